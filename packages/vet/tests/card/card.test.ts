import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fail, type Judge, outputText, pass, withInfo } from '@jurist/core'
import { matchesExpected } from '@jurist/core/answers'
import { copyWorkspaces, type ExperimentOptions } from '@jurist/experiment'
import { memoryStore } from '@jurist/experiment/store'
import { describe, expect, test } from 'vitest'
import { establish, type VetPlan, vet, vetReportText } from '../../src/index.js'

const items = [
  { id: 'product', task: 'What is 6 times 7? Answer with the number alone.', expectedOutput: '42' },
  { id: 'capital', task: 'What is the capital of France? Answer with its name alone.', expectedOutput: 'Paris' },
]
const experimentOf = (jury: ExperimentOptions['jury'], more: Partial<ExperimentOptions> = {}): ExperimentOptions => ({
  name: 'questions',
  dataset: items,
  jury: jury ?? matchesExpected(),
  store: memoryStore(),
  concurrency: 1,
  ...more,
})
const mentions = outputText({ contains: '42' })
const onlyProduct = { filter: { id: ['product'] } } as const
const broken: Judge = async function broken() {
  throw new Error('the key of the model is missing')
}
/** Passes every other time that it judges. */
function coin(): Judge {
  let tosses = 0
  return async function coin() {
    tosses += 1
    return tosses % 2 === 1
  }
}
const right = 'export const isAdult = (age) => age >= 18 && age < 130\n'
/** A dataset of one item with a source; it is deleted at the end of the block. */
function adults(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'jurist-card-'))
  for (const [name, source] of [
    ['before', right.replace('>=', '<')],
    ['reference', right],
  ] as const) {
    mkdirSync(join(path, 'adult', name), { recursive: true })
    writeFileSync(join(path, 'adult', name, 'age.js'), source)
  }
  writeFileSync(join(path, 'adult/item.json'), JSON.stringify({ task: 'Adults are 18 to 129.' }))
  const described = { schemaVersion: 1, name: 'adults', version: '1', items: [{ id: 'adult', path: 'adult' }] }
  writeFileSync(join(path, 'dataset.json'), JSON.stringify(described))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
const states = ({ checks }: Awaited<ReturnType<typeof vet>>) =>
  Object.fromEntries(checks.map(({ id, state }) => [id, state]))

describe('vet', () => {
  test('a jury that compares answers is sound, and each check says what was seen', async () => {
    const card = await vet(experimentOf(matchesExpected()))
    expect(card).toMatchObject({
      kind: 'card',
      conclusion: 'sound',
      dataset: { selectedItemCount: 2, activeItemCount: 2 },
      establish: { repeat: 3 },
      solvable: { count: 2, of: 2 },
      trivial: { count: 0, of: 2 },
      flaky: { count: 0, of: 2 },
      probes: { gameable: { count: 0, of: 2 }, leaks: null, notJudged: 0, holes: [] },
    })
    expect(card.probes?.tried).toBe(4)
    expect(states(card)).toEqual({
      'T.4': 'holds',
      'T.5': 'not-checked',
      'T.7': 'holds',
      'T.8': 'holds',
      'T.9': 'holds',
      'T.10': 'not-checked',
      'O.b.2': 'holds',
      'O.b.3': 'holds',
      'O.c.2': 'not-checked',
      'O.d.1': 'not-checked',
    })
    expect(JSON.parse(JSON.stringify(card))).toEqual(card)
  })

  test('a jury that searches for words is gameable: the card names the probe, the item and the remedy', async () => {
    const card = await vet(experimentOf(mentions, onlyProduct))
    expect(card).toMatchObject({ conclusion: 'problems', probes: { gameable: { count: 1, of: 1 } } })
    expect(card.probes?.holes).toMatchObject([{ probe: 'dump-everything', items: ['product'], accepted: null }])
    expect(states(card)).toMatchObject({ 'O.b.2': 'fails', 'O.b.3': 'holds' })
    const text = await vetReportText(card)
    expect(text).toContain('Not sound: of the items, 1 gameable')
    expect(text).toMatch(/gameable +1 of 1/)
    expect(text).toContain('Remedy: A search for words finds them here.')
  })

  test('the card says how far commands can reach', async () => {
    const reach = async (network: { readonly hosts: readonly string[] } | undefined) => {
      const provision = Object.assign(copyWorkspaces(), {
        isolation: async () => (network === undefined ? ('none' as const) : ('namespace' as const)),
        ...(network && { network: { ...network, unsandboxedAgent: false, allows: () => false } }),
      })
      const card = await vet({ ...experimentOf(matchesExpected()), provision }, { level: 'quick' })
      return (await vetReportText(card)).replaceAll(/\s+/g, ' ')
    }
    expect(await reach(undefined)).toContain('Isolation none, which reaches everything;')
    expect(await reach({ hosts: ['a.test', 'b.test'] })).toContain(
      'Isolation namespace, which reaches 2 hosts: a.test, b.test;',
    )
    expect(await reach({ hosts: [] })).toContain('Isolation namespace, which reaches no host;')
  })

  test.each([
    ['accepted by the experiment', { vet: { accepted: [{ probe: 'dump-everything', reason: 'known' }] } }, undefined],
    ['allowed for this run', {}, { allow: ['dump-everything'] }],
  ] as const)('a hole that is %s stays visible and is no problem', async (_, more, options) => {
    const card = await vet(experimentOf(mentions, { ...onlyProduct, ...more }), options)
    expect(card).toMatchObject({ conclusion: 'sound', probes: { gameable: { count: 0, of: 1 } } })
    expect(card.probes?.holes).toHaveLength(1)
    expect(states(card)['O.b.2']).toBe('accepted')
    expect(await vetReportText(card)).toContain('Accepted: ')
  })

  test.each([
    [
      'trivial',
      async () => pass('always'),
      { solvable: { count: 2, of: 2 }, trivial: { count: 2, of: 2 } },
      '2 trivial',
    ],
    ['unsolvable', async () => false, { solvable: { count: 0, of: 2 }, trivial: { count: 0, of: 2 } }, '2 unsolvable'],
    ['flaky', coin(), { flaky: { count: 2, of: 2 } }, '2 flaky'],
  ] as const)('finds items that are %s', async (_, jury, figures, words) => {
    const card = await vet(experimentOf(jury))
    expect(card).toMatchObject({ conclusion: 'problems', ...figures })
    expect(await vetReportText(card)).toContain(words)
  })

  test('where nothing was judged, nothing holds, and nothing is said', async () => {
    const card = await vet(experimentOf(broken))
    expect(card).toMatchObject({
      conclusion: 'nothing-said',
      solvable: { count: 0, of: 0 },
      trivial: { count: 0, of: 0 },
    })
    expect(states(card)['O.b.2']).toBe('not-checked')
    expect(card.checks.filter(({ id, state }) => id !== 'T.4' && id !== 'T.9' && state === 'holds')).toEqual([])
    expect(await vetReportText(card)).toContain('Nothing can be said')
  })

  test('quick tries each item once, and does not say that equal trials end alike', async () => {
    const card = await vet(experimentOf(matchesExpected()), { level: 'quick' })
    expect(card).toMatchObject({ conclusion: 'sound', establish: { repeat: 1 }, flaky: null })
    expect(states(card)['T.4']).toBe('not-checked')
  })

  test('quick tries each probe on one item, items in turn, and says on how much that rests', async () => {
    const store = memoryStore()
    const four = Array.from({ length: 4 }, (_, index) => ({
      ...{ id: `sum-${index}`, task: `What is ${index} + 1000?`, expectedOutput: String(index + 1000) },
    }))
    const plans: VetPlan[] = []
    const onPlan = (plan: VetPlan) => void plans.push(plan)
    const options = { level: 'quick', onPlan } as const
    const card = await vet(experimentOf(matchesExpected(), { dataset: four, store }), options)
    expect(card).toMatchObject({
      ...{ conclusion: 'sound', solvable: { count: 4, of: 4 } },
      probes: { tried: 4, trials: { count: 4, of: 16 }, gameable: { count: 0, of: 4 } },
    })
    expect(plans).toEqual([{ items: 4, trials: 12, expectedMs: null }])
    expect(states(card)).toMatchObject({ 'T.8': 'holds', 'O.b.2': 'not-checked', 'O.b.3': 'not-checked' })
    const text = (await vetReportText(card)).replaceAll(/\s+/g, ' ')
    expect(text).toContain('no item is unsolvable or trivial, and no probe got through that is not accepted')
    expect(text).toContain('(4 probes, each on one item: 4 of 16 trials)')
    // The right answer, and nothing, were judged before.
    const tried = async ({ probes }: typeof card) => {
      const { trials = [] } = (await store.overview(probes?.runId ?? '')) ?? {}
      return new Map(trials.map((trial) => [trial.tried, trial.itemId]))
    }
    const first = await tried(card)
    expect([...first.keys()].toSorted()).toEqual(['claim', 'constant-answer', 'dump-everything', 'empty-object'])
    expect(new Set(first.values()).size).toBe(4)
    const again = await vet(experimentOf(matchesExpected(), { dataset: four, store }), { ...options, seed: 2 })
    expect(await tried(again)).not.toEqual(first)
  })

  test('quick tries a probe that gets through on every item, in the same run', async () => {
    const store = memoryStore()
    const three = ['12', '34', '56'].map((answer) => ({ id: answer, task: `Say ${answer}.`, expectedOutput: answer }))
    const options = { dataset: three, store } as const
    const card = await vet(experimentOf(outputText({ matches: /12|34|56/ }), options), { level: 'quick' })
    expect(card.probes?.holes.map(({ probe, items }) => [probe, items.toSorted()])).toEqual([
      ['dump-everything', ['12', '34', '56']],
    ])
    expect(card).toMatchObject({
      conclusion: 'problems',
      probes: { gameable: { count: 3, of: 3 }, trials: { count: 6, of: 12 } },
    })
    expect((await store.overview(card.probes?.runId ?? ''))?.counts).toMatchObject({ run: 6, notRun: 0 })
  })

  test('mutants get a few times as long as the right answer, since some loop', async () => {
    using dataset = adults()
    const store = memoryStore()
    const exact: Judge = async ({ workspace }) => (await workspace.read('age.js')) === right
    const { mutants } = await vet(experimentOf(exact, { dataset: dataset.path, store }), { level: 'quick' })
    const { configuration, counts } = (await store.overview(mutants?.runId ?? '')) ?? {}
    expect(configuration).toMatchObject({ judgeTimeoutMs: 10_000 })
    // No right answer among them: that was judged before.
    expect(counts).toMatchObject({ run: 2 })
    expect(mutants?.survived).toEqual({ count: 0, of: 2 })
  })

  test('mutants that do not end within that time are killed', async () => {
    using dataset = adults()
    const waits: Judge = async ({ workspace, signal }) => {
      const code = await workspace.read('age.js')
      const isMutant = /^export const isAdult = \(age\) => .*\n$/.test(code) && !code.includes('age < 18')
      if (isMutant && code !== right)
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      return code === right
    }
    const limited = { dataset: dataset.path, judgeTimeoutMs: 2_000, concurrency: 2 } as const
    const card = await vet(experimentOf(waits, limited), { level: 'quick' })
    expect(card).toMatchObject({ conclusion: 'sound', mutants: { survived: { count: 0, of: 2 }, notJudged: 0 } })
  })

  test('quick judges by the lock of an item as long as it is that of this item', async () => {
    using dataset = adults()
    const canaries = { judge: 'exact', form: 'two-runs', changes: [], titleEnds: {}, problem: 'there are none' }
    const exact: Judge = async function exact({ workspace }) {
      const isRight = (await workspace.read('age.js')) === right
      const tests = { [isRight ? 'passed' : 'failed']: ['adults are 18'], expectsLock: true }
      return isRight
        ? pass('right', { metadata: { tests, canaries } })
        : fail('wrong', { metadata: { tests, canaries } })
    }
    const runs = async () => {
      const store = memoryStore()
      const plans: VetPlan[] = []
      const onPlan = (plan: VetPlan) => void plans.push(plan)
      const card = await vet(experimentOf(exact, { dataset: dataset.path, store }), { level: 'quick', onPlan })
      expect(card).toMatchObject({ conclusion: 'sound', canaries: { enough: { count: 0, of: 1 } } })
      const kinds: string[] = []
      for await (const { kind } of store.list()) kinds.push(kind)
      return [kinds.toReversed(), plans[0]?.expectedMs]
    }
    const twice = ['establish', 'establish', 'probe', 'mutate']
    expect(await runs()).toEqual([twice, null])
    await establish(experimentOf(exact, { dataset: dataset.path, store: memoryStore() }), { repeat: 1, write: true })
    expect(await runs()).toEqual([twice.slice(1), expect.any(Number)])
    writeFileSync(join(dataset.path, 'adult/item.json'), JSON.stringify({ task: 'Adults are 18 to 129 years old.' }))
    expect((await runs())[0]).toEqual(twice)
  })

  test.each([
    [undefined, 'sound'],
    [0.5, 'nothing-said'],
  ] as const)(
    'mutants that await a paid member decide only where there is a limit (%s)',
    async (survival, conclusion) => {
      const paid: Judge = withInfo(async ({ workspace }) => (await workspace?.read('age.js')) === right, {
        name: 'paid',
        kind: 'model',
      })
      using dataset = adults()
      const more = { dataset: dataset.path, ...(survival === undefined ? {} : { vet: { survival } }) }
      const card = await vet(experimentOf(paid, more), { level: 'quick' })
      expect(card).toMatchObject({ conclusion, skippedMembers: [], solvable: { count: 1, of: 1 } })
      expect(card.mutants).toMatchObject({ survived: { count: 0, of: 0 }, notJudged: 2, skippedMembers: ['paid'] })
      const text = (await vetReportText(card)).replaceAll(/\s+/g, ' ')
      expect(text).toContain('2 mutants not judged')
      expect(text).toContain('Left out where mutants are judged, since they cost money: paid')
    },
  )

  test('runs no probe after an interruption', async () => {
    const card = await vet(experimentOf(matchesExpected()), { signal: AbortSignal.abort() })
    expect(card).toMatchObject({ conclusion: 'nothing-said', probes: null })
    expect(await vetReportText(card)).toMatch(/gameable +not tried +the probes did not run/)
  })

  test('a page of a card has no script, also where a reason is one', async () => {
    const reason = '<script>alert(1)</script>'
    const card = await vet(
      experimentOf(mentions, { ...onlyProduct, vet: { accepted: [{ probe: 'dump-everything', reason }] } }),
    )
    const page = await vetReportText(card, { format: 'html' })
    expect(page).not.toContain('<script')
    expect(page).toContain('&lt;script&gt;')
    expect(await vetReportText(card, { format: 'markdown' })).not.toContain(reason)
  })

  test.each([{ level: 'slow' }, { repeat: 2 }, { resume: 'id' }])('refuses %j', async (options) => {
    await expect(vet(experimentOf(undefined), options as never)).rejects.toMatchObject({ code: 'option-invalid' })
  })
})
