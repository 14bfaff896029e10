import { abstain, cascade, error, fail, type Judge, jury, pass, type Verdict } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judgesReport } from '../../src/report/index.js'
import { judgesSummary } from '../../src/result/judge-figures.js'
import { anItem, aResult } from '../../src/testing/index.js'

function itemsOf(verdicts: readonly Verdict[]) {
  return verdicts.map((verdict, at) => {
    const { status } = verdict.aggregated
    const passed = status === 'pass' ? true : status === 'fail' ? false : null
    return anItem({ itemId: `item-${at}`, verdict, passed, judged: status })
  })
}

const words = { pass, fail, abstain, error }
type Word = keyof typeof words
const says =
  (word: Word, extras: { readonly costUsd?: number } = {}): Judge =>
  async () =>
    word === 'abstain' || word === 'error' ? words[word]('so') : words[word]('so', extras)

describe('the judges of a run', () => {
  test('are counted, with the fails that only one of them saw, and agree as kappa says', async () => {
    const vote = (...said: readonly [Word, Word, Word]) =>
      jury({ judges: { build: says(said[0]), style: says(said[1]), depth: says(said[2]) } }).vote(aContext())
    const verdicts = await Promise.all([
      vote('pass', 'pass', 'pass'),
      vote('fail', 'pass', 'pass'),
      vote('fail', 'fail', 'pass'),
      vote('pass', 'pass', 'abstain'),
    ])
    const { judged, judges, pairs, tiers } = judgesSummary([...itemsOf(verdicts), anItem({ verdict: null })])
    expect(judged).toBe(4)
    expect(tiers).toBe(null)
    expect(judges.map(({ path, counts, onlyFailed }) => ({ path, ...counts, onlyFailed }))).toEqual([
      { path: 'build', pass: 2, fail: 2, abstain: 0, error: 0, onlyFailed: 1 },
      { path: 'style', pass: 3, fail: 1, abstain: 0, error: 0, onlyFailed: 0 },
      { path: 'depth', pass: 3, fail: 0, abstain: 1, error: 0, onlyFailed: 0 },
    ])
    const [pair] = pairs
    // Two passes, one fail in common; one more fail of build: (0.75 - 0.5) / (1 - 0.5).
    expect(pair).toMatchObject({ first: 'build', second: 'style', n: 4, agreed: 3, kappa: { value: 0.5 } })
    expect(pairs.find(({ second }) => second === 'depth')?.n).toBe(3)
  })

  test('of a cascade show what each tier decided, cost and saved', async () => {
    const vote = (rule: Word) =>
      cascade([
        { name: 'rules', policy: 'reject-on-any-fail', jury: jury({ judges: { build: says(rule) } }) },
        { name: 'meaning', policy: 'final', jury: jury({ judges: { model: says('pass', { costUsd: 0.5 }) } }) },
      ]).vote(aContext())
    const verdicts = await Promise.all([vote('fail'), vote('fail'), vote('fail'), vote('pass')])
    const { judges, tiers } = judgesSummary(itemsOf(verdicts))
    expect(tiers).toMatchObject([
      { name: 'rules', reached: 4, decided: 3, costUsd: null, savedUsd: null },
      { name: 'meaning', reached: 1, decided: 1, costUsd: 0.5, savedUsd: 1.5 },
    ])
    expect(judges.map(({ path, notReached }) => [path, notReached])).toEqual([
      ['rules/build', 0],
      ['meaning/model', 3],
    ])
  })

  test('have a distribution where scores lie between 0 and 1, and the threshold of their vote', async () => {
    const { average, numerical, scored } = await import('@jurist/core')
    const graded =
      (score: number): Judge =>
      async () =>
        scored(numerical(score), { passingAt: 0.5 })
    const vote = (score: number) =>
      jury({ judges: { clarity: graded(score), build: says('pass') }, vote: average({ threshold: 0.6 }) }).vote(
        aContext(),
      )
    const verdicts = await Promise.all([0, 0.05, 0.55, 1].map(vote))
    const [clarity, build] = judgesSummary(itemsOf(verdicts)).judges
    expect(clarity?.threshold).toBe(0.6)
    expect(clarity?.scores).toEqual({ n: 4, mean: 0.4, bins: [2, 0, 0, 0, 0, 1, 0, 0, 0, 1] })
    expect([build?.scores, build?.meanScore]).toEqual([null, 1])
    const report = judgesReport(aResult({ items: itemsOf(verdicts) }), { format: 'markdown' })
    expect(report).toMatch(/\| Mean score \|[\s\S]*\| clarity \|.* 0\.400 \|[\s\S]*\| build \|.* 1\.000 \|/)
  })

  test('every judgment is in one count, and every pair has at most the trials that both decided', async () => {
    const word = fc.constantFrom<Word>('pass', 'fail', 'abstain', 'error')
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(word, word), { maxLength: 12 }), async (trials) => {
        const verdicts = await Promise.all(
          trials.map(([a, b]) => jury({ judges: { a: says(a), b: says(b) } }).vote(aContext())),
        )
        const { judged, judges, pairs } = judgesSummary(itemsOf(verdicts))
        expect(judged).toBe(trials.length)
        for (const [at, { counts, notReached }] of judges.entries()) {
          expect(counts.pass + counts.fail + counts.abstain + counts.error + notReached).toBe(judged)
          for (const status of ['pass', 'fail', 'abstain', 'error'] as const)
            expect(counts[status]).toBe(trials.filter((said) => said[at] === status).length)
        }
        const decided = trials.filter((said) => said.every((one) => one === 'pass' || one === 'fail'))
        expect(pairs.map(({ n, agreed }) => [n, agreed])).toEqual(
          decided.length === 0 ? [] : [[decided.length, decided.filter(([a, b]) => a === b).length]],
        )
      }),
      { numRuns: 40 },
    )
  })
})

test('a report names every judge, pair and tier', async () => {
  const verdict = await jury({ judges: { build: says('pass'), 'we|rd': says('fail') } }).vote(aContext())
  const result = aResult({ items: itemsOf([verdict]) })
  expect(judgesReport(result)).toMatch(/Of 1 trials? with a verdict/)
  // Passes and fails are counted: a mean would say the same again.
  expect(judgesReport(result)).not.toMatch(/mean score/i)
  expect(judgesReport(result)).toMatch(/build and we\|rd +1 +0\.0 %/)
  expect(judgesReport(result, { format: 'markdown' })).toContain('we\\|rd')
  expect(() => judgesReport(result, { format: 'html' as 'markdown' })).toThrow(/format/)
})
