import { calibrationOf } from '@jurist/experiment/calibrate'
import { anItem, aResult } from '@jurist/experiment/testing'
import { median, row, seconds } from './measure.mjs'

const members = ['one', 'two', 'three']

/** A recorded calibration of a jury of three: right about most of `count` items, and so are its members and three people. */
function recorded(count) {
  const word = (passed) => (passed ? 'pass' : 'fail')
  const items = Array.from({ length: count }, (_, index) => {
    const [expected, match] = [index % 5 < 3, index % 7 !== 0]
    const [label, predicted] = [word(expected), word(expected === match)]
    const judgment = {
      status: predicted,
      reasoning: '',
      checks: [],
      metadata: {},
      score: { type: 'boolean', value: match },
    }
    const scorer = { scored: true, match, score: match ? 1 : 0, expected: label, predicted, reasoning: '' }
    const facts = {
      cluster: null,
      annotators: Object.fromEntries(members.map((name, place) => [name, index % (place + 9) === 0 ? 'fail' : label])),
      members: Object.fromEntries(members.map((name, place) => [name, index % (place + 5) !== 0])),
      swapped: null,
    }
    return anItem({
      itemId: `item-${index}`,
      passed: match,
      detail: { kind: 'judge', judgment, expectedLabel: label, scorer, swapped: null },
      metadata: { calibration: facts },
    })
  })
  const scorer = { name: 'exactVerdictMatch', numeric: null, options: {} }
  return aResult({ kind: 'judge', items, configuration: { candidate: { name: 'three', isJury: true }, scorer } })
}

/** How long does the report on 50,000 recorded judgments of a jury take, in process? */
export async function calibrate() {
  const run = recorded(50_000)
  const measure = (resamples) => {
    const startedAt = performance.now()
    const { report } = calibrationOf(run, { resamples })
    if (report.counts.scored !== 50_000 || report.altTest === null) throw new Error('the report is not complete')
    return performance.now() - startedAt
  }
  const [bare, full] = [0, 10_000].map((resamples) => median([1, 2, 3, 4, 5].map(() => measure(resamples))))
  return [
    row('calibrating 50,000 recorded judgments', seconds(bare), 'at most 2 s', bare <= 2_000),
    row('the same with 10,000 resamples', seconds(full), 'at most 10 s', full <= 10_000),
  ]
}
