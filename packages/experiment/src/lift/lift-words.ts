import { counted, dollars, grouped, pEquals, percent, points, rateBounds, unknown } from '../result/amounts.js'
import type { Lift, LiftArm, LiftRatio } from './lift.js'

/** The conclusion, the difference and the test, as sentences. */
export function liftHeadline(lift: Lift): string {
  const { conclusion, difference, interval, pValue, needed, items, test } = lift
  if (difference === null || pValue === null) return 'Nothing is decided: no eval was decided in both arms.'
  const words = { helps: 'Helps.', hurts: 'Hurts.', 'not-shown': noDifference(lift) }[conclusion]
  const bounds = interval === null ? '' : ` (${points(interval.low)} to ${points(interval.high)})`
  const scope =
    test === 'by-item'
      ? 'on tasks like these, exact paired test by item'
      : `on ${items.length === 1 ? 'this task' : `these ${items.length} tasks`}, exact test within items`
  const more =
    needed === null
      ? ''
      : ` ${'items' in needed ? `${counted(needed.items, 'eval')}` : `--repeat ${needed.repetitions}`} would show a difference like this in 4 of 5 studies.`
  return `${words} ${points(difference)} points${bounds} ${scope}, ${pEquals(pValue)}.${more}`
}

function noDifference({ costUsd }: Lift): string {
  const isCheaper = costUsd !== null && costUsd.pValue <= 0.05 && costUsd.ratio < 1
  return isCheaper ? 'No difference in passes is shown; costs less.' : 'No difference is shown.'
}

/**
 * The sentences after the headline: costs, evals that became worse, assertions that tell nothing, questions.
 *
 * @param arms the names of both
 */
export function liftNotes(lift: Lift, [before, after]: readonly string[]): readonly string[] {
  const { always, never } = lift.same
  const rate = ({ passed, decided }: LiftArm | Lift['items'][number]['with']) =>
    decided === 0 ? Number.NaN : passed / decided
  const worse = lift.items.filter((item) => rate(item.with) < rate(item.without))
  const same = [
    ...(always.length === 0
      ? []
      : [`${always.length} ${always.length === 1 ? 'passes' : 'pass'} in every trial of both arms`]),
    ...(never.length === 0 ? [] : [`${never.length} in none`]),
  ]
  return [
    ratiosText(lift),
    ...worse.map(
      ({ itemId, without, with: after }) =>
        `Worse on: ${itemId} (${without.passed} of ${without.decided} → ${after.passed} of ${after.decided})`,
    ),
    ...(same.length === 0 ? [] : [`Assertions that tell nothing: ${same.join(', ')}.`]),
    ...(lift.without.asked + lift.with.asked === 0
      ? []
      : [
          `Ended with a question: ${lift.without.asked} of ${counted(lift.without.trials, 'trial')} ${before}, ${lift.with.asked} of ${lift.with.trials} ${after}.`,
        ]),
  ]
}

function ratiosText({ costUsd, turns, tokens }: Lift): string {
  const known = Object.entries({ cost: costUsd, turns, tokens }).flatMap(([name, one]) =>
    one === null ? [] : [`${name} ${ratioText(one)}`],
  )
  return known.length === 0
    ? 'Cost, turns and tokens: unknown.'
    : `Times as much: ${known.join('; ')}.${known.length > 1 ? ` Holm over the ${known.length}.` : ''}`
}

function ratioText({ ratio, interval, pValue, items }: LiftRatio): string {
  const bounds = interval === null ? '' : `${interval.low.toFixed(2)} to ${interval.high.toFixed(2)}, `
  return `${ratio.toFixed(2)} × (${bounds}${pEquals(pValue)}, ${counted(items, 'eval')})`
}

/** The head of the table of arms, and a row of it. */
export const liftColumns: readonly string[] = ['arm', 'passed', 'rate', '95 %', 'cost', 'turns', 'tokens', 'used']

export function liftRow(name: string, arm: LiftArm): readonly string[] {
  return [
    name,
    `${arm.passed}/${arm.decided}${arm.trials > arm.decided ? ` of ${arm.trials}` : ''}`,
    percent(arm.rate),
    arm.interval === null ? unknown : rateBounds(arm.interval),
    dollars(arm.costUsd),
    arm.turns === null ? unknown : grouped(arm.turns),
    arm.tokens === null ? unknown : grouped(Math.round(arm.tokens)),
    arm.used.of === 0 ? unknown : `${arm.used.trials}/${arm.used.of}`,
  ]
}
