import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  abstain,
  categorical,
  consensus,
  type Judge,
  jury,
  majority,
  named,
  numerical,
  pass,
  scored,
} from '@jurist/core'
import {
  type CalibrateOptions,
  calibrate,
  calibrationOf,
  exactCategoryMatch,
  exactVerdictMatch,
  type JudgeScorer,
  numericalTolerance,
} from '@jurist/experiment/calibrate'
import { compare } from '@jurist/experiment/compare'
import { dataset } from '@jurist/experiment/dataset'
import { fileStore, memoryStore } from '@jurist/experiment/store'
import { aResult } from '@jurist/experiment/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { labelledItem, told } from './labelled.js'

/** Twenty items: ten to pass, of which one is failed, and ten to fail, of which two are passed. */
const items = Array.from({ length: 20 }, (_, index) => {
  const label = index < 10 ? 'pass' : 'fail'
  const wrong = [3, 12, 17].includes(index)
  const said = (label === 'pass') === wrong ? 'fail' : 'pass'
  return labelledItem(`item-${index + 1}`, label, { said })
})

const options: CalibrateOptions = { name: 'strict', candidate: told('said'), items, resamples: 500 }

test('a judge beside its labels', async () => {
  const { agreementRate, disagreements, report, result } = await calibrate(options)
  expect(agreementRate).toBeCloseTo(17 / 20, 12)
  expect(disagreements.map(({ itemId }) => itemId)).toEqual(['item-4', 'item-13', 'item-18'])
  expect(report).toMatchObject({
    counts: { items: 20, trials: 20, scored: 20, matches: 17, unscored: {} },
    coverage: 1,
    confusion: {
      labels: ['fail', 'pass'],
      matrix: [
        [8, 2],
        [1, 9],
      ],
      unscored: { fail: 0, pass: 0 },
    },
    falsePassRate: 0.2,
    falseFailRate: 0.1,
    balancedAccuracy: expect.closeTo(0.85, 12),
    kappa: { value: expect.closeTo(0.7, 12) },
    weightedKappa: null,
    krippendorffAlpha: { level: 'nominal' },
    scores: null,
    consistency: { repeats: null, swap: null },
    jury: null,
    altTest: null,
    // Of the same trials it would give the share of labels back.
    correctedPassRate: null,
    reliability: null,
  })
  expect(report.notes).toContain('20 scored trials: with fewer than 30, every figure is a rough estimate.')
  expect(result).toMatchObject({
    kind: 'judge',
    status: 'completed',
    planned: 20,
    metadata: { candidate: 'said', scorer: 'exactVerdictMatch' },
    conditions: { scorer: { name: 'exactVerdictMatch' }, candidate: expect.stringMatching(/^[0-9a-f]{64}$/) },
  })
  expect(result.items[3]).toMatchObject({
    passed: false,
    judged: 'fail',
    scores: { agreement: 0 },
    verdict: { individual: { said: { status: 'fail' } } },
    detail: { kind: 'judge', expectedLabel: 'pass', scorer: { scored: true, match: false }, swapped: null },
  })
})

describe('what is not scored', () => {
  const open: Judge = ({ metadata }) => {
    if (metadata['said'] === 'throw') throw new Error('broken')
    return metadata['said'] === 'nothing' ? abstain('nothing to judge') : pass('good')
  }
  const labelled = [
    labelledItem('good', 'pass'),
    labelledItem('none', null),
    labelledItem('odd', 'perhaps'),
    labelledItem('silent', 'fail', { said: 'nothing' }),
    labelledItem('broken', 'pass', { said: 'throw' }),
  ]

  test('is in no rate, but is counted', async () => {
    const { report, result } = await calibrate({ ...options, candidate: open, items: labelled })
    expect(report.counts).toEqual({
      items: 5,
      trials: 5,
      scored: 1,
      matches: 1,
      unscored: { 'label-missing': 1, 'label-invalid': 1, abstained: 1, 'candidate-error': 1 },
    })
    expect(report.confusion.unscored).toEqual({ fail: 1, pass: 1 })
    expect(report.agreement.value).toBe(1)
    expect(result.items.map(({ passed }) => passed)).toEqual([true, null, null, null, null])
    expect(result.items[4]?.failure).toMatchObject({ message: 'broken', origin: 'jury' })
  })

  const half = (() => ({ scored: true, match: true })) as unknown as JudgeScorer
  const tooMuch: JudgeScorer = () => ({
    scored: true,
    match: true,
    score: 1.5,
    expected: 'a',
    predicted: 'a',
    reasoning: '',
  })
  test.each<[string, Partial<CalibrateOptions>]>([
    [
      'input',
      {
        input: () => {
          throw new Error('no input')
        },
      },
    ],
    [
      'expected',
      {
        expected: () => {
          throw new Error('no label')
        },
      },
    ],
    [
      'a scorer',
      {
        scorer: () => {
          throw new Error('no score')
        },
      },
    ],
    ['a scorer with half a result', { scorer: half }],
    ['a scorer with too high a score', { scorer: tooMuch }],
  ])('%s that throws leaves its trial unscored, and the run continues', async (_, given) => {
    const { report, result } = await calibrate({ ...options, items: items.slice(0, 2), ...given })
    expect(report.counts.unscored).toEqual({ 'scorer-error': 2 })
    expect(report.agreement).toEqual({ value: null, wilson: null, bootstrap: null })
    const [item] = result.items
    expect(item?.failure?.message).toMatch(/^no |^The scorer must/)
    expect(item?.detail).toMatchObject({ scorer: { reasoning: item?.failure?.message } })
    expect(result.status).toBe('completed')
  })
})

test('a jury: its members by the same scorer, and what it gains over the best of them', async () => {
  const labelled = items.map((item, index) => ({
    ...item,
    metadata: { ...item.metadata, one: index < 9 ? 'pass' : 'fail', two: index < 8 ? 'pass' : 'fail', three: 'pass' },
  }))
  const candidate = jury({ judges: { one: told('one'), two: told('two'), three: told('three') }, vote: majority() })
  const { report } = await calibrate({ ...options, candidate, items: labelled })
  // One errs on the tenth item, two on the ninth and tenth, three on the last ten; the jury as `one` does.
  expect(report.jury).toMatchObject({
    members: { one: { agreement: 0.95, scored: 20 }, two: { agreement: 0.9 }, three: { agreement: 0.5 } },
    bestMember: 'one',
    juryMinusBest: 0,
    mcnemarAgainstBest: 1,
  })
  const phi12 = (20 * 1 - 1 * 2) / Math.sqrt(1 * 19 * 2 * 18)
  const phi13 = (20 * 0 - 1 * 10) / Math.sqrt(1 * 19 * 10 * 10)
  const phi23 = (20 * 0 - 2 * 10) / Math.sqrt(2 * 18 * 10 * 10)
  expect(report.jury?.meanErrorCorrelation).toBeCloseTo((phi12 + phi13 + phi23) / 3, 9)
  expect(report.reliability).toMatchObject({ source: 'votes', trials: 20 })
  expect(report.notes.join(' ')).toContain('The jury is not distinguishable from its best member, one (0.0 points')
})

test('repetitions and a swap: whether the candidate agrees with itself', async () => {
  let calls = 0
  const moody: Judge = ({ metadata }) => {
    calls += 1
    return metadata['first'] === 'b' || metadata['said'] === 'fail' ? false : calls % 2 === 1
  }
  const labelled = [labelledItem('a', 'pass'), labelledItem('b', 'fail', { said: 'fail' })]
  const { report } = await calibrate({
    ...options,
    candidate: named(moody, 'moody'),
    items: labelled,
    repetitions: 2,
    concurrency: 1,
    swap: (context) => ({ ...context, metadata: { ...context.metadata, first: 'b' } }),
  })
  // a: passed, swapped failed, then passed again (third call); b: always failed.
  expect(report.consistency).toEqual({
    repeats: { items: 2, agreement: 1, unanimous: 2 },
    swap: { items: 2, consistent: 1, flipRate: 0.5, flips: [{ given: 'pass', exchanged: 'fail', items: 1 }] },
  })
  expect(calls).toBe(6)
})

test('whether it agrees with itself takes no label', async () => {
  let calls = 0
  const alternating: Judge = () => ++calls % 2 === 1
  const unlabelled = [labelledItem('a', null)]
  const given = { ...options, items: unlabelled, repetitions: 3, concurrency: 1 }
  const { report } = await calibrate({ ...given, candidate: named(alternating, 'alternating') })
  expect(report.counts.scored).toBe(0)
  expect(report.consistency.repeats).toEqual({ items: 1, agreement: expect.closeTo(1 / 3, 12), unanimous: 0 })
  const words = ['red', 'red', 'blue']
  const colours: Judge = () => pass('seen', { score: categorical(words[calls++ % 3] ?? '', ['red', 'blue']) })
  calls = 0
  const byColour = { ...given, candidate: named(colours, 'colours'), scorer: exactCategoryMatch() }
  expect((await calibrate(byColour)).report.consistency.repeats).toMatchObject({ agreement: expect.closeTo(1 / 3, 12) })
  calls = 0
  const byStatus = { ...byColour, scorer: exactVerdictMatch() }
  expect((await calibrate(byStatus)).report.consistency.repeats).toMatchObject({ agreement: 1, unanimous: 1 })
})

test('the share of agreement lies within its bounds, however unevenly trials are scored', async () => {
  // a: four matches; b: one failure and three abstentions; c: one match and three abstentions.
  const said: Record<string, readonly string[]> = {
    a: ['p', 'p', 'p', 'p'],
    b: ['f', '-', '-', '-'],
    c: ['p', '-', '-', '-'],
  }
  const left = new Map(Object.entries(said).map(([id, words]) => [id, [...words]]))
  const uneven: Judge = ({ metadata }) => {
    const word = left.get(String(metadata['itemId']))?.shift()
    return word === '-' ? abstain('cannot say') : word === 'p'
  }
  const labelled = ['a', 'b', 'c'].map((id) => labelledItem(id, 'pass', { itemId: id }))
  const given = { ...options, items: labelled, repetitions: 4, concurrency: 1, resamples: 2_000 }
  const { agreement } = (await calibrate({ ...given, candidate: named(uneven, 'uneven') })).report
  expect(agreement.value).toBeCloseTo(5 / 6, 12)
  expect(agreement.bootstrap).toMatchObject({ low: 0, high: 1 })
})

test('a class of which nothing was scored changes no figure', async () => {
  const only = items.slice(0, 20)
  const with3 = [...only, labelledItem('unread', 'maybe', { said: 'silent' })]
  const quiet: Judge = ({ metadata }) => (metadata['said'] === 'silent' ? abstain('?') : metadata['said'] === 'pass')
  const given = { ...options, candidate: named(quiet, 'quiet'), scorer: exactCategoryMatch() }
  const [without, withClass] = [await calibrate({ ...given, items: only }), await calibrate({ ...given, items: with3 })]
  expect(withClass.report.confusion).toMatchObject({ labels: ['fail', 'maybe', 'pass'], unscored: { maybe: 1 } })
  for (const figure of ['gwetAC1', 'kappa', 'mcc', 'krippendorffAlpha'] as const)
    expect(withClass.report[figure]).toEqual(without.report[figure])
})

test('numbers: errors, ranks, and two halves as classes', async () => {
  const numbers: Judge = ({ metadata }) => scored(numerical(Number(metadata['number'])), { passingAt: 0.5 })
  const labelled = [0.1, 0.4, 0.6, 0.9].map((label, index) =>
    labelledItem(`n${index}`, String(label * 10), { number: [0.2, 0.4, 0.5, 0.7][index] ?? 0 }),
  )
  const scorer = numericalTolerance(0.1, { labelRange: { min: 0, max: 10 } })
  const given = { ...options, candidate: named(numbers, 'numbers'), items: labelled, scorer }
  const { report, agreementRate } = await calibrate(given)
  expect(agreementRate).toBe(0.75)
  expect(report.scores).toMatchObject({
    meanAbsoluteError: expect.closeTo(0.1, 9),
    bias: expect.closeTo(-0.05, 9),
    spearman: expect.closeTo(1, 12),
    kendallTauB: expect.closeTo(1, 12),
  })
  expect(report.confusion).toMatchObject({
    labels: ['below 0.5', 'at or above 0.5'],
    matrix: [
      [2, 0],
      [0, 2],
    ],
  })
  expect(report.krippendorffAlpha.level).toBe('interval')
  const ordered = await calibrate({ ...given, ordinal: ['0', '5', '10'] })
  expect(ordered.report.confusion).toMatchObject({ labels: ['0', '5', '10'] })
  expect(ordered.report.weightedKappa?.quadratic.value).toBeTypeOf('number')
})

test('annotators: may the judge take the place of one of them?', async () => {
  const many = Array.from({ length: 40 }, (_, index) =>
    labelledItem(`i${index}`, index % 2 === 0 ? 'pass' : 'fail', { said: index % 2 === 0 ? 'pass' : 'fail' }),
  )
  const annotators: CalibrateOptions['annotators'] = ({ metadata, id }) => ({
    ann: String(metadata['said']),
    ben: String(metadata['said']).toUpperCase(),
    cat: id.endsWith('0') ? 'pass' : String(metadata['said']),
  })
  const { report } = await calibrate({ ...options, items: many, annotators })
  expect(report.altTest).toMatchObject({ passes: true, winningRate: 1, excluded: [] })
  expect(report.altTest?.annotators['ann']?.items).toBe(40)
})

test('clusters: intervals rest on groups', async () => {
  const { report } = await calibrate({ ...options, cluster: ({ id }) => (Number(id.slice(5)) <= 10 ? 'one' : 'two') })
  // Two groups of ten with 0.9 and 0.8: a resample has the mean of two of them, widened by t/z · √2 for one degree of freedom.
  const half = 0.05 * (12.706204736432095 / 1.959963984540054) * Math.SQRT2
  expect(report.agreement.bootstrap).toMatchObject({ low: expect.closeTo(0.85 - half, 9), high: 1 })
})

test('a confidence that judges declare', async () => {
  const sure: Judge = ({ metadata }) =>
    pass('good', { metadata: { confidence: metadata['said'] === 'pass' ? 0.95 : 0.55 } })
  const { report } = await calibrate({ ...options, candidate: named(sure, 'sure') })
  expect(report.reliability).toMatchObject({ source: 'declared', trials: 20 })
  expect(report.reliability?.bins).toEqual([
    { low: 0.5, high: 0.6, trials: 9, meanConfidence: expect.closeTo(0.55, 9), agreement: expect.closeTo(1 / 9, 9) },
    { low: 0.9, high: 1, trials: 11, meanConfidence: expect.closeTo(0.95, 9), agreement: expect.closeTo(9 / 11, 9) },
  ])
  const error = (9 * (0.55 - 1 / 9) + 11 * (0.95 - 9 / 11)) / 20
  expect(report.reliability?.calibrationError).toBeCloseTo(error, 9)
})

describe('the stored run', () => {
  test('gives the same report, in files too', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'jurist-test-'))
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    const candidate = jury({ judges: { said: told('said'), other: told('other') }, vote: consensus() })
    const made = await calibrate({
      ...options,
      candidate,
      store: directory,
      repetitions: 2,
      swap: (context) => context,
    })
    await using store = fileStore(directory)
    const stored = await store.mostRecent('strict', { kind: 'judge' })
    expect(stored).toBeDefined()
    if (stored !== undefined) expect(calibrationOf(stored).report).toEqual(made.report)
  })

  test('may be reported in another way', async () => {
    const { result } = await calibrate(options)
    expect(calibrationOf(result, { resamples: 0 }).report.agreement.bootstrap).toBeNull()
    expect(calibrationOf(result, { level: 0.5 }).report.agreement.wilson?.level).toBe(0.5)
    const { weightedKappa } = calibrationOf(result, { ordinal: ['fail', 'pass'] }).report
    expect(weightedKappa?.linear.value).toBeCloseTo(0.7, 12)
  })

  test('must be one of a judge', () => {
    expect(() => calibrationOf(aResult())).toThrow(expect.objectContaining({ code: 'option-invalid' }))
  })

  test('compares with that of another candidate', async () => {
    const [one, other] = [await calibrate(options), await calibrate({ ...options, candidate: told('label') })]
    const { differences, passRate } = compare(one.result, other.result)
    expect(differences.map(({ condition }) => condition)).toEqual(['candidate'])
    expect(passRate).toMatchObject({ candidateMean: 1, test: { better: 3, worse: 0 } })
  })
})

test('items from a path, and from a dataset', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'jurist-test-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const path = join(directory, 'labelled.jsonl')
  const row = (id: string, output: string, label: string) => JSON.stringify({ id, task: 'say hello', output, label })
  writeFileSync(path, `${row('a', 'Hello!', 'pass')}\n${row('b', 'Go away', 'fail')}\n`)
  const greets: Judge = function greets({ agentOutput }) {
    return agentOutput?.type === 'text' && agentOutput.text.startsWith('Hello')
  }
  const { report } = await calibrate({ name: 'greets', candidate: greets, items: path })
  expect(report.confusion.matrix).toEqual([
    [1, 0],
    [0, 1],
  ])
  const inline = dataset({
    name: 'inline',
    items: [{ id: 'a', task: 't', metadata: { output: 'Hello!', label: 'fail' } }],
  })
  expect((await calibrate({ name: 'greets', candidate: greets, items: inline })).agreementRate).toBe(0)
})

test('stops when the signal fires, and keeps what was judged', async () => {
  const controller = new AbortController()
  const store = memoryStore()
  let judged = 0
  const candidate: Judge = async function counting({ signal }) {
    judged += 1
    if (judged === 5) controller.abort(new Error('enough'))
    if (signal.aborted) await new Promise(() => undefined)
    return pass('good')
  }
  const events: string[] = []
  const { result, report } = await calibrate({
    ...options,
    candidate,
    store,
    concurrency: 1,
    signal: controller.signal,
    onEvent: ({ type }) => void events.push(type),
  })
  expect(result).toMatchObject({ status: 'interrupted', stopReason: 'cancelled', counts: { run: 4, notRun: 16 } })
  expect(report.counts.trials).toBe(4)
  expect([events[0], events.at(-1)]).toEqual(['experiment-start', 'experiment-end'])
  expect(events.filter((type) => type === 'item-end')).toHaveLength(4)
})

test('a candidate that takes too long is an error', async () => {
  const { report } = await calibrate({
    ...options,
    items: items.slice(0, 1),
    candidate: named((() => new Promise(() => undefined)) as Judge, 'slow'),
    judgeTimeoutMs: 10,
  })
  expect(report.counts.unscored).toEqual({ 'candidate-error': 1 })
})

test('bad options are named in one error', async () => {
  const bad = { ...options, repetitions: 0, level: 2, ordinal: ['a'], unknown: 1 } as CalibrateOptions
  await expect(calibrate(bad)).rejects.toThrow(/unknown.*|repetitions.*level/s)
  await expect(calibrate({ name: 'a' } as CalibrateOptions)).rejects.toThrow('"candidate", "items"')
  await expect(calibrate({ ...options, name: 'a/b' })).rejects.toMatchObject({ code: 'name-invalid' })
  await expect(calibrate({ ...options, candidateName: '' })).rejects.toMatchObject({ code: 'name-invalid' })
  const twice = [items[0], items[0]] as typeof items
  await expect(calibrate({ ...options, items: twice })).rejects.toMatchObject({ code: 'option-invalid' })
})

test('a store that fails ends the run, and says so', async () => {
  const store = memoryStore()
  let judged = 0
  const broken: typeof store = {
    ...store,
    async open(manifest) {
      const writer = await store.open(manifest)
      return { ...writer, append: () => Promise.reject(new Error('disk full')) }
    },
  }
  const counting: Judge = function counting() {
    judged += 1
    return true
  }
  const ends: unknown[] = []
  const onEvent: CalibrateOptions['onEvent'] = (event) => {
    if (event.type === 'experiment-end') ends.push(event.status)
  }
  await expect(calibrate({ ...options, candidate: counting, store: broken, onEvent })).rejects.toThrow('disk full')
  expect(ends).toEqual(['failed'])
  expect(judged).toBeLessThanOrEqual(8)
})
