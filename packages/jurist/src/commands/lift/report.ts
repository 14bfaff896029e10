import { itemsForPopulation, type Lift, type LiftArm, type LiftRatio, powerWithin } from '@jurist/experiment/internal'
import { counted, grouped, points, rateBounds, unknown } from '@jurist/experiment/internal/results'
import { dollars, pEquals, percent } from '@jurist/experiment/result'
import { safeLine } from '@jurist/kit/terminal'
import { arms } from './arms.js'

/** What can be found with so many items, before anything runs. */
export function powerText(items: number, repetitions: number): string {
  if (items >= itemsForPopulation) return `${counted(items, 'eval')}: the result is about tasks like these.`
  const shown = [0.7, 0.9].map(
    (rate) => `from 50 % to ${percent(rate)} in ${percent(powerWithin(items, repetitions, 0.5, rate))}`,
  )
  return `${counted(items, 'eval')} can show only large effects on ${items === 1 ? 'it' : 'them'}: ${shown.join(', ')} of such studies. About tasks like these, nothing can be said with fewer than ${itemsForPopulation}.`
}

export function liftText(lift: Lift, isProven: boolean): string {
  const rows = arms.map((arm) => rowOf(arm, lift[arm]))
  const table = [['arm', 'passed', 'rate', '95 %', 'cost', 'turns', 'used'], ...rows]
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? []
  const lines = table.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
  )
  const worse = lift.items.filter((item) => rate(item.with) < rate(item.without))
  return [
    ...lines,
    '',
    `  ${headline(lift)}`,
    ...(isProven ? [] : ['  Unproven: nothing shows that the agent loaded the skill.']),
    `  ${ratiosText(lift)}`,
    ...worse.map(
      (item) =>
        `  Worse on: ${safeLine(item.itemId)} (${item.without.passed} of ${item.without.decided} → ${item.with.passed} of ${item.with.decided})`,
    ),
    '',
  ].join('\n')
}

/** For a comment or a README. */
export function liftMarkdown(name: string, text: string): string {
  return `### Does ${name} help?\n\n\`\`\`\n${text.replaceAll(/^ {2}/gm, '').trimEnd()}\n\`\`\`\n`
}

function rate({ passed, decided }: { readonly passed: number; readonly decided: number }): number {
  return decided === 0 ? Number.NaN : passed / decided
}

function rowOf(name: string, arm: LiftArm): readonly string[] {
  return [
    name,
    `${arm.passed}/${arm.decided}${arm.trials > arm.decided ? ` of ${arm.trials}` : ''}`,
    percent(arm.rate),
    arm.interval === null ? unknown : rateBounds(arm.interval),
    dollars(arm.costUsd),
    arm.turns === null ? unknown : grouped(arm.turns),
    arm.used.of === 0 ? unknown : `${arm.used.trials}/${arm.used.of}`,
  ]
}

/** The conclusion, the difference and the test, as sentences. */
export function headline(lift: Lift): string {
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

function ratiosText({ costUsd, turns, tokens }: Lift): string {
  const known = Object.entries({ cost: costUsd, turns, tokens }).flatMap(([name, one]) =>
    one === null ? [] : [`${name} ${ratioText(one)}`],
  )
  return known.length === 0
    ? 'Cost, turns and tokens: unknown.'
    : `With the skill: ${known.join('; ')}.${known.length > 1 ? ` Holm over the ${known.length}.` : ''}`
}

function ratioText({ ratio, interval, pValue, items }: LiftRatio): string {
  const bounds = interval === null ? '' : `${interval.low.toFixed(2)} to ${interval.high.toFixed(2)}, `
  return `${ratio.toFixed(2)} × (${bounds}${pEquals(pValue)}, ${counted(items, 'eval')})`
}
