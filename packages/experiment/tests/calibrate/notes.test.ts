import { abstain, fail, type Judge, jury, majority, named, pass } from '@jurist/core'
import { type CalibrateOptions, calibrate } from '@jurist/experiment/calibrate'
import type { DatasetItem } from '@jurist/experiment/dataset'
import { calibrationReport } from '@jurist/experiment/report'
import { describe, expect, test } from 'vitest'
import { labelledItem, told } from './labelled.js'

/** Items with a label each and what the candidate says: `pp` passes what should pass, `pf` fails it. */
function items(cases: Readonly<Record<'pp' | 'pf' | 'fp' | 'ff', number>>): readonly DatasetItem[] {
  const words = { p: 'pass', f: 'fail' } as const
  return Object.entries(cases).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, index) => {
      const [label = 'p', said = 'p'] = kind as unknown as readonly ('p' | 'f')[]
      return labelledItem(`${kind}-${index}`, words[label], { said: words[said] })
    }),
  )
}

async function notesOf(given: Partial<CalibrateOptions>): Promise<string> {
  const { report } = await calibrate({ name: 'x', candidate: told('said'), items: [], resamples: 100, ...given })
  return report.notes.join('\n')
}

describe('a judge that tells little has a note', () => {
  test.each<[string, Parameters<typeof items>[0], RegExp]>([
    ['worse than chance', { pp: 4, pf: 36, fp: 36, ff: 4 }, /^The candidate is worse than chance \(kappa -0\.80/m],
    ['as good as chance', { pp: 10, pf: 10, fp: 10, ff: 10 }, /^The candidate is not distinguishable from chance/m],
    [
      'always pass',
      { pp: 30, pf: 0, fp: 10, ff: 0 },
      /^The candidate always says pass and never says fail \(the label of 10 trials\)/m,
    ],
    [
      'always fail',
      { pp: 0, pf: 30, fp: 0, ff: 10 },
      /^The candidate always says fail and never says pass \(the label of 30 trials\)/m,
    ],
  ])('%s', async (_, cases, note) => {
    expect(await notesOf({ items: items(cases) })).toMatch(note)
  })

  test('and a judge that agrees has none', async () => {
    expect(await notesOf({ items: items({ pp: 30, pf: 2, fp: 3, ff: 25 }) })).toBe('')
  })

  test('one that abstains where it should fail never says fail', async () => {
    const shy: Judge = ({ metadata }) => (metadata['said'] === 'pass' ? pass('good') : abstain(''))
    const notes = await notesOf({ candidate: named(shy, 'shy'), items: items({ pp: 30, pf: 0, fp: 0, ff: 10 }) })
    expect(notes).toMatch(/always says pass and never says fail \(the label of 10 trials\)/)
  })
})

describe('places that decide', () => {
  const places = (prefersFirst: (item: string) => boolean): Partial<CalibrateOptions> => ({
    candidate: named(
      (({ metadata }) => {
        const better = metadata['best'] === metadata['first']
        return prefersFirst(String(metadata['itemId'])) || better ? pass('the first') : fail('the second')
      }) satisfies Judge,
      'pairs',
    ),
    items: Array.from({ length: 60 }, (_, index) =>
      labelledItem(`i${index}`, index % 2 === 0 ? 'pass' : 'fail', {
        itemId: `i${index}`,
        best: index % 2 === 0 ? 'a' : 'b',
        first: 'a',
      }),
    ),
    swap: (context) => ({ ...context, metadata: { ...context.metadata, first: 'b' } }),
    unswap: (judgment) => (judgment.status === 'pass' ? fail('the first') : pass('the second')),
  })

  test('name the place and how often', async () => {
    const notes = await notesOf(places((item) => Number(item.slice(1)) < 40))
    expect(notes).toContain(
      'The places decide: 40 of 60 pairs (66.7 %) flip when the places are exchanged, 40 of them from pass to fail and 0 the ' +
        'other way (p < 0.001): the candidate favours the place that pass means in the original context',
    )
    expect(notes).toContain('Ask it in both orders')
  })

  test('are not, where few judgments flip', async () => {
    expect(await notesOf(places((item) => Number(item.slice(1)) < 3))).not.toContain('places')
  })

  test('are not blamed where both are favoured alike', async () => {
    const moody = named(
      (({ metadata }) => {
        const place = Number(String(metadata['itemId']).slice(1)) % 4
        return place < 2 ? place === 0 : metadata['first'] === (place === 2 ? 'a' : 'b') ? pass('') : fail('')
      }) satisfies Judge,
      'moody',
    )
    const notes = await notesOf({ ...places(() => false), unswap: (judgment) => judgment, candidate: moody })
    expect(notes).toMatch(/^30 of 60 pairs \(50\.0 %\) flip .* 15 from (pass|fail) to .* and 15 the other way/m)
    expect(notes).not.toContain('The places decide')
  })

  test('need no label', async () => {
    const { items: labelled = [], ...rest } = places(() => true)
    const unlabelled = (labelled as readonly DatasetItem[]).map((item) => ({
      ...item,
      metadata: Object.fromEntries(Object.entries(item.metadata).filter(([key]) => key !== 'label')),
    }))
    const { report } = await calibrate({ name: 'x', candidate: told('said'), ...rest, items: unlabelled })
    expect(report.consistency.swap).toEqual({
      items: 60,
      consistent: 0,
      flipRate: 1,
      flips: [{ given: 'pass', exchanged: 'fail', items: 60 }],
    })
    expect(report.notes).toHaveLength(1)
  })
})

describe('a jury beside its best member', () => {
  const three = (seats: Readonly<Record<string, (index: number) => string>>, count = 60) => ({
    candidate: jury({
      judges: Object.fromEntries(Object.keys(seats).map((name) => [name, told(name)])),
      vote: majority(),
    }),
    items: Array.from({ length: count }, (_, index) =>
      labelledItem(
        `i${index}`,
        index % 2 === 0 ? 'pass' : 'fail',
        Object.fromEntries(Object.entries(seats).map(([name, says]) => [name, says(index)])),
      ),
    ),
  })
  const right = (index: number) => (index % 2 === 0 ? 'pass' : 'fail')
  const wrong = (index: number) => (index % 2 === 0 ? 'fail' : 'pass')
  const wrongAt = (from: number, to: number) => (index: number) =>
    index >= from && index < to ? wrong(index) : right(index)

  test.each([
    [
      'better',
      three({ one: wrongAt(0, 20), two: wrongAt(20, 40), three: wrongAt(40, 60) }),
      /^The jury is better than its best member, one \(\+33\.3 points over 60 trials, p < 0\.001\): use the jury\.$/m,
    ],
    [
      'not distinguishable',
      three({ one: wrongAt(0, 4), two: wrongAt(2, 8), three: wrongAt(20, 30) }),
      /^The jury is not distinguishable from its best member, one \(\+3\.3 points over 60 trials, p = 0\.500\)/m,
    ],
    [
      'worse',
      three({ one: right, two: wrongAt(0, 30), three: wrongAt(10, 40) }),
      /^The jury is worse than its best member, one \(-33\.3 points over 60 trials, p < 0\.001\): use one alone/m,
    ],
  ])('%s', async (_, given, note) => {
    expect(await notesOf(given)).toMatch(note)
  })

  test('gains no certainty by repetitions', async () => {
    const given = three({ one: right, two: wrongAt(0, 4), three: wrongAt(1, 5) })
    const p = async (repetitions: number) =>
      (await calibrate({ name: 'x', ...given, repetitions, resamples: 0 })).report.jury?.mcnemarAgainstBest
    expect(await p(1)).toBeCloseTo(0.25, 12)
    expect(await p(5)).toBeCloseTo(0.25, 12)
  })

  test('is compared on the trials that all were scored on', async () => {
    // "easy" decides only what it gets right, "hard" everything and is right more often on the same trials.
    const easy: Judge = ({ metadata }) => (metadata['easy'] === 'silent' ? abstain('') : metadata['easy'] === 'pass')
    const given = three({ easy: (index) => (index < 20 ? wrongAt(0, 2)(index) : 'silent'), hard: wrongAt(30, 60) })
    const candidate = jury({ judges: { easy: named(easy, 'easy'), hard: told('hard') } })
    const calibration = await calibrate({ name: 'x', ...given, candidate, resamples: 100 })
    expect(calibration.report.jury).toMatchObject({
      members: { easy: { agreement: 0.9, scored: expect.any(Number) }, hard: { agreement: expect.any(Number) } },
      bestMember: 'hard',
    })
    expect(calibration.report.notes.join('\n')).toMatch(
      /^The members were scored on \d+ to \d+ trials, and all of them on/m,
    )
    expect(calibrationReport(calibration)).toContain('that all were scored on')
  })
})
