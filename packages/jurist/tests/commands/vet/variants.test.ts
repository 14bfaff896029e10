import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { project } from '../../project.js'
import { onPostgres, testOnce } from '../../project-results.js'

const reference = `const shown = (text) => text.trim()

export class Cart {
  #rows = []
  add(price) {
    if (typeof price !== 'number') throw new TypeError('a price must be a number')
    this.#rows.push(price)
  }
  get rows() {
    return this.#rows
  }
}

export function total(prices) {
  let sum = 0
  for (const price of prices) sum += price
  return sum
}

export function label(name, prices) {
  return shown(name) + ': ' + total(prices)
}
`
const before = reference
  .replace('sum += price', 'sum -= price')
  .replaceAll('#rows', '#list')
  .replace(/^.*throw new TypeError.*\n/m, '')
/** Tests that any right solution passes: they are in the reference alone, so agents do not see them. */
const fair = `import assert from 'node:assert'
import test from 'node:test'
import { readFileSync, rmSync } from 'node:fs'
import { Cart, label, total } from '../src/cart.mjs'
const source = readFileSync(new URL('../src/cart.mjs', import.meta.url), 'utf8')
const message = (act) => { try { act() } catch (error) { return error } }
test('totals', () => {
  assert.equal(total([1, 2, 3]), 6)
  assert.equal(total([]), 0)
  assert.equal(total([4]), 4)
  assert.equal(label('tea', [1]), 'tea: 1')
})
`

const filesOf = (tests: string, task = 'Totals are wrong.') => ({
  'jurist.config.yaml': `experiments:
  carts:
    dataset: dataset
    jury: { type: tests-pass, tool: command, command: node --test-reporter=tap tests/hidden.test.mjs, overlay: { paths: [tests] } }
`,
  'dataset/dataset.json':
    '{ "schemaVersion": 1, "name": "carts", "version": "1.0.0", "description": "", "items": [{ "id": "cart", "path": "cart" }] }',
  'dataset/cart/item.json': JSON.stringify({ developerTask: task }),
  'dataset/cart/before/src/cart.mjs': before,
  'dataset/cart/reference/src/cart.mjs': reference,
  'dataset/cart/reference/tests/hidden.test.mjs': `${fair}${tests === '' ? '' : `test('more', () => {\n  ${tests}})\n`}`,
})
const words = ['vet', 'mutate', '--operators', 'relation', '--per-item', '15', '--variants'] as const

interface Found {
  readonly outcome: string
  readonly kind: string
  readonly inputs: number | null
  readonly path: string
  readonly what: string
  readonly equality: string
}
const variantsIn = (text: string): readonly Found[] => JSON.parse(text).variants.items[0].variants

describe.concurrent('jurist vet mutate --variants', () => {
  test('passes right solutions in other forms', async () => {
    using at = project(filesOf(''))
    const { code, stdout, stderr } = await at.jurist(...words, '--json')
    expect({ code, stderr }).toMatchObject({ code: 0 })
    const found = variantsIn(stdout)
    expect(new Set(found.map(({ outcome }) => outcome))).toEqual(new Set(['passed']))
    expect([...new Set(found.map(({ kind }) => kind))].sort()).toEqual([
      'comments',
      'equal-expression',
      'error-subtype',
      'extract',
      'layout',
      'loop-form',
      'message',
      'order-declarations',
      'rename-local',
      'rename-private',
    ])
    expect(JSON.parse((await at.jurist('list', '--json')).stdout)).toHaveLength(1)
  })

  test.each([
    ['rename-private', "assert(/#rows\\b/.test(source), 'needs #rows')\n"],
    ['message', "assert.equal(message(() => new Cart().add('x')).message, 'a price must be a number')\n"],
    ['error-subtype', "assert.equal(message(() => new Cart().add('x')).constructor, TypeError)\n"],
    ['order-declarations', "assert(source.indexOf('function total') < source.indexOf('function label'))\n"],
    ['layout', "assert(source.includes('\\n  let sum'))\n"],
    ['rename-local', 'assert(/\\bsum\\b/.test(source))\n'],
  ])('proves that a test is too strict: %s', async (kind, strict) => {
    using at = project(filesOf(strict))
    const { code, stdout, stderr } = await at.jurist(...words, '--json')
    const proven = variantsIn(stdout).filter(({ outcome }) => outcome === 'too-strict')
    expect({ code, stderr, kinds: [...new Set(proven.map((one) => one.kind))] }).toMatchObject({
      code: 1,
      kinds: [kind],
    })
    // A second run judges the failed variants again beside the reference.
    const runs = JSON.parse((await at.jurist('list', '--json')).stdout)
    expect(runs.map(({ kind }: Found) => kind)).toEqual(['mutate', 'mutate'])
  })

  test('says what fails, why it is right and how to settle it, and the settled one counts no longer', async () => {
    using at = project(
      filesOf("assert.equal(message(() => new Cart().add('x')).message, 'a price must be a number')\n"),
    )
    const { stdout } = await at.jurist(...words, '-o', 'variants.json', '-o', 'variants.md')
    expect(stdout).toContain('Too strict: 1 of 1 item\n')
    expect(stdout).toContain('Too strict: cart, message src/cart.mjs:6')
    expect(stdout).toMatch(/Equal on [\d,]+ inputs; the task does not say which form is meant/)
    expect(stdout).toContain(`- ${reference.split('\n')[5]}`)
    expect(readFileSync(join(at.directory, 'variants.md'), 'utf8')).toContain('Too strict: cart')
    const found = JSON.parse(readFileSync(join(at.directory, 'variants.json'), 'utf8'))
    const { mark } = found.variants.items[0].variants.find(({ outcome }: Found) => outcome === 'too-strict')
    at.write({
      'dataset/cart/variants.lock.json': JSON.stringify({ intended: [{ ...mark, reason: 'shown to people' }] }),
    })
    const settled = await at.jurist(...words, '--json')
    expect([settled.code, JSON.parse(settled.stdout).variants.items[0].accepted]).toEqual([0, 1])
    at.write({ 'dataset/cart/variants.lock.json': '{ "intended": [{ "kind": "message" }] }' })
    expect(await at.jurist(...words)).toMatchObject({ code: 2, stderr: expect.stringContaining('variants.lock.json') })
  })

  test('finds nothing where the task says the form', async () => {
    const strict = "assert.equal(message(() => new Cart().add('x')).message, 'a price must be a number')\n"
    using at = project(filesOf(strict, 'Other prices throw "a price must be a number".'))
    const { code, stdout } = await at.jurist(...words, '--json')
    expect([code, JSON.parse(stdout).variants.items[0].said > 0]).toEqual([0, true])
  })

  testOnce('names what a hidden test demands and the task does not say', async () => {
    using at = project(filesOf('assert.equal(new Cart().netWorth, undefined)\n'))
    const { stdout } = await at.jurist('vet', '--quick', '--variants', '--item', 'cart')
    expect(stdout).toMatch(/hidden demand +1 of 1 /)
    expect(stdout).toMatch(/cart: tests\/hidden\.test\.mjs:\d+ demands the member "netWorth"/)
  })

  testOnce('a right solution of a person that fails is proven, and the card names it', async () => {
    using at = project({
      ...filesOf("assert(source.includes('export function total'))\n"),
      'dataset/cart/right/arrow/src/cart.mjs': reference
        .replace('function total(prices) {', 'const total = (prices) => {')
        .replace('export function label', 'export function label'),
    })
    const { code, stdout } = await at.jurist('vet', '--quick', '--variants', '-o', 'card.json')
    expect(code).toBe(1)
    expect(stdout).toMatch(/too strict +1 of 1 +a solution that behaves alike fails/)
    expect(stdout).toContain('Too strict: cart, right arrow')
    expect(JSON.parse(readFileSync(join(at.directory, 'card.json'), 'utf8')).variants).toMatchObject({
      strict: { count: 1, of: 1 },
      findings: [{ kind: 'right', path: 'arrow', outcome: 'too-strict', equality: 'people' }],
    })
  })

  test('a trial that people labelled right and the jury failed is a finding: two prove it, one and a dispute are suspected', async () => {
    const files = filesOf("assert(source.includes('export function total'))\n")
    using at = project({
      ...files,
      'arrow.mjs': reference.replace('function total(prices) {', 'const total = (prices) => {'),
    })
    at.write({
      'jurist.config.yaml': (files['jurist.config.yaml'] ?? '').concat(
        `    repetitions: 3\n    agent: { command: [cp, ${join(at.directory, 'arrow.mjs')}, src/cart.mjs] }\n`,
      ),
    })
    expect(await at.jurist('run')).toMatchObject({ stdout: expect.stringMatching(/0 of 3/) })
    const [run = ''] = await at.results.runs('carts')
    const found = async () => {
      const { code, stdout } = await at.jurist(...words, '--json')
      const labelled = variantsIn(stdout).filter(({ kind }) => kind === 'labelled')
      for (const { path, equality } of labelled)
        expect([path, equality]).toEqual([expect.stringMatching(`^${run} cart#\\d$`), 'people'])
      return [code, ...labelled.map(({ what, outcome }) => `${what}: ${outcome}`).sort()]
    }
    await at.juristReading('ppf', {}, 'label', run, '--by', 'ana')
    expect(await found()).toEqual([0, 'right by ana: suspected', 'right by ana: suspected'])
    await at.juristReading('pff', {}, 'label', run, '--by', 'ben')
    const both = ['right by ana and ben: too-strict', 'right by ana, wrong by ben: suspected']
    expect(await found()).toEqual([1, ...both])
    const { stdout } = await at.jurist('vet', '--quick', '--variants')
    expect(stdout).toContain(`Too strict: cart, labelled ${run} cart#`)
    expect(stdout).toContain('The trial is labelled right by ana, wrong by ben.')
    if (onPostgres) return
    rmSync(join(at.directory, 'results', 'carts', run, 'workspaces'), { recursive: true })
    const gone = await at.jurist(...words)
    expect(gone).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Not judged: .*cart#\d, labelled right by ana and ben: .* is not at /),
    })
  })

  test('a run that was killed is resumed: no variant is lost or doubled', async () => {
    using at = project(filesOf('assert(/#rows\\b/.test(source))\n'))
    const begun = at.start(...words)
    await begun.said('mutate [')
    begun.child.kill('SIGKILL')
    await begun.ended
    const { code, stdout } = await at.jurist(...words, '--resume', '--json')
    const whole = await at.jurist(...words, '--json')
    const outcomes = (text: string) => variantsIn(text).map((one) => [one.kind, one.outcome])
    expect([code, outcomes(stdout)]).toEqual([1, outcomes(whole.stdout)])
  })
})
