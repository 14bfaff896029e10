import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { root } from './structure/source.js'

const run = promisify(execFile)
const command = join(root, 'packages/jurist/dist/command/main.js')

/** What the command prints as JSON in the directory of an example, whatever its exit code. */
async function jurist(example: string, ...words: readonly string[]) {
  const results = mkdtempSync(join(tmpdir(), 'jurist-vetted-'))
  try {
    const all = [command, '--json', '--quiet', '--results', results, ...words]
    const ran = run(process.execPath, all, { cwd: resolve(root, 'examples', example) })
    const { stdout } = await ran.catch((thrown) => thrown)
    return JSON.parse(stdout)
  } finally {
    rmSync(results, { recursive: true, force: true })
  }
}

// Of large examples one item, since each takes some 20 trials with processes of their own: `node build/vet-examples.mjs` tries all.
// What the config of `asserts` accepts gets through on one of its items, so there each probe is tried on all.
test.each([
  ['first', ['--quick'], { items: 2, probes: 12, accepted: [] }],
  ['repair', ['--quick', '--item', 'flatten'], { items: 1, probes: 12, accepted: [] }],
  ['migration', ['--quick', '--item', 'order-servlet'], { items: 1, probes: 5, accepted: [] }],
  ['asserts', [], { items: 5, probes: 4, accepted: ['claim', 'empty-object'] }],
] as const)('nothing gets through the jury of examples/%s but what its config accepts', async (example, words, is) => {
  const card = await jurist(example, 'vet', ...words)
  expect(card).toMatchObject({
    conclusion: 'sound',
    solvable: { count: is.items, of: is.items },
    trivial: { count: 0, of: is.items },
    probes: { gameable: { count: 0, of: is.items }, notJudged: 0 },
  })
  expect(card.probes.holes.map(({ probe }: { readonly probe: string }) => probe)).toEqual(is.accepted)
  expect(card.probes.tried).toBeGreaterThanOrEqual(is.probes)
})

test('the tests of examples/strict-tests are too strict, until the task says what they ask for', async () => {
  const words = ['vet', 'mutate', '--item', 'cart', '--variants', '--operators', 'relation'] as const
  const failed = async (example: string) => {
    const { variants } = await jurist(example, ...words)
    return variants.items.flatMap((item: Failed) =>
      item.variants.flatMap(({ outcome, what }) => (outcome === 'passed' ? [] : [[item.itemId, outcome, what]])),
    )
  }
  expect(await failed('strict-tests')).toEqual(
    expect.arrayContaining([
      ['cart', 'too-strict', '_sum → _sum2'],
      ['cart', 'too-strict', 'A price must be a number → A price has to be a number'],
    ]),
  )
  const copy = mkdtempSync(join(tmpdir(), 'jurist-strict-'))
  try {
    cpSync(join(root, 'examples/strict-tests'), copy, { recursive: true })
    const file = join(copy, 'dataset/items/cart/item.json')
    const { task } = JSON.parse(readFileSync(file, 'utf8'))
    const said = `${task} Its message is "A price must be a number". The total is in the field _sum.`
    writeFileSync(file, JSON.stringify({ task: said }))
    expect(await failed(copy)).toEqual([])
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
})

interface Failed {
  readonly itemId: string
  readonly variants: readonly { readonly outcome: string; readonly what: string }[]
}
