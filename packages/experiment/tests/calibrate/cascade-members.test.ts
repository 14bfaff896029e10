import { cascade, jury } from '@jurist/core'
import { calibrate, calibrationOf } from '@jurist/experiment/calibrate'
import { calibrationReport } from '@jurist/experiment/report'
import { expect, test } from 'vitest'
import { labelledItem, told } from './labelled.js'

/**
 * 100 items, 70 to pass. `gate` rejects 14 of those to fail and passes everything else; `deep`, asked about the 86 that are
 * left, agrees with all but 4.
 */
const items = Array.from({ length: 100 }, (_, index) => {
  const label = index < 70 ? 'pass' : 'fail'
  const wrong = [1, 2, 75, 76].includes(index)
  const deep = (label === 'pass') === wrong ? 'fail' : 'pass'
  return labelledItem(`item-${index}`, label, { gate: index < 86 ? 'pass' : 'fail', deep })
})

const alone = (name: string) => jury({ judges: { [name]: told(name) } })
const candidate = cascade([
  { name: 'gate', jury: alone('gate'), policy: 'reject-on-any-fail' },
  { name: 'deep', jury: alone('deep'), policy: 'final' },
])

test('the members of a cascade are reported over every trial that they judged, and none is called the best', async () => {
  const calibration = await calibrate({ name: 'rag', candidate, items, resamples: 100 })
  const { report } = calibration
  expect(report.jury).toMatchObject({
    sameTrials: false,
    members: {
      'gate/gate': { scored: 100, agreement: 0.84 },
      'deep/deep': { scored: 86, agreement: 82 / 86 },
    },
    bestMember: null,
    juryMinusBest: null,
    mcnemarAgainstBest: null,
    effectiveVotes: null,
  })
  expect(report.notes.join(' ')).toContain('The members judged different trials')
  expect(report.notes.join(' ')).not.toMatch(/best member|distinguishable/)
  const text = calibrationReport(calibration)
  expect(text).toMatch(/gate\/gate +84\.0 % +100/)
  expect(text).toMatch(/deep\/deep +95\.3 % +86/)
  expect(text).not.toMatch(/\(best\)|less its best/)
  expect(calibrationOf(calibration.result).report.jury).toEqual(report.jury)
})

test('a disagreement says what the judge said that decided', async () => {
  const text = calibrationReport(await calibrate({ name: 'rag', candidate, items, resamples: 100 }))
  expect(text).toMatch(/item-1#1 +pass +fail +deep\/deep: bad/)
})

test('a jury that is worse than its best member is called worse', async () => {
  const labelled = Array.from({ length: 40 }, (_, index) =>
    labelledItem(`item-${index}`, 'pass', {
      one: 'pass',
      two: index < 20 ? 'pass' : 'fail',
      three: index < 20 ? 'pass' : 'fail',
    }),
  )
  const three = jury({ judges: { one: told('one'), two: told('two'), three: told('three') } })
  const { report } = await calibrate({ name: 'worse', candidate: three, items: labelled, resamples: 100 })
  expect(report.jury).toMatchObject({ sameTrials: true, bestMember: 'one', juryMinusBest: -0.5 })
  expect(report.notes).toContain(
    'The jury is worse than its best member, one (-50.0 points over 40 trials, p < 0.001): use one alone, or another vote.',
  )
  expect(report.notes.join(' ')).not.toContain('distinguishable')
})
