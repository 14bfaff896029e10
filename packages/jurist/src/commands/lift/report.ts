import {
  itemsForPopulation,
  type Lift,
  powerWithin,
  type TriggerSide,
  type Triggers,
} from '@jurist/experiment/internal'
import {
  counted,
  liftColumns,
  liftHeadline,
  liftNotes,
  liftRow,
  rateBounds,
  unknown,
} from '@jurist/experiment/internal/results'
import { percent } from '@jurist/experiment/result'
import { safeLine, textTable } from '@jurist/kit/terminal'
import type { TriggerQuery } from './evals.js'

/** The differences that this many items can show, before anything runs. */
export function powerText(items: number, repetitions: number): string {
  if (items >= itemsForPopulation) return `${counted(items, 'eval')}: the result is about tasks like these.`
  const shown = [0.7, 0.9].map(
    (rate) => `from 50 % to ${percent(rate)} in ${percent(powerWithin(items, repetitions, 0.5, rate))}`,
  )
  return `${counted(items, 'eval')} can show only large effects on ${items === 1 ? 'it' : 'them'}: ${shown.join(', ')} of such studies. About tasks like these, nothing can be said with fewer than ${itemsForPopulation}.`
}

/** The findings of a study. */
export interface Findings {
  /** The names of both arms. */
  readonly arms: readonly string[]
  readonly lift: Lift | null
  readonly triggers: Triggers | null
  readonly queries: readonly TriggerQuery[]
  readonly isProven: boolean
}

/** The columns that a narrow table leaves out, the last one first. */
const dropped = ['cost', 'turns', 'tokens']

/** @param width in columns; a narrow table leaves columns out */
export function liftText({ arms, lift, triggers, queries, isProven }: Findings, width: number): string {
  const lines: string[] = []
  if (lift !== null) {
    const rows = [liftRow(arms[0] ?? '', lift.without), liftRow(arms[1] ?? '', lift.with)]
    const columns = liftColumns.map((title) => ({ title, shrinks: false, drops: dropped.indexOf(title) + 1 }))
    lines.push(
      textTable(columns, rows, { width, indent: '  ', hint: () => '' }).trimEnd(),
      '',
      ...[liftHeadline(lift), ...liftNotes(lift, arms)].map((line) => `  ${safeLine(line)}`),
    )
  }
  if (lift !== null && triggers !== null) lines.push('')
  if (triggers !== null) lines.push(...triggerLines(triggers, queries, width))
  if (!isProven) lines.push('  Unproven: nothing shows that the agent loaded it.')
  return `${lines.join('\n')}\n`
}

function triggerLines(triggers: Triggers, queries: readonly TriggerQuery[], width: number): readonly string[] {
  const { should, shouldNot, leftOut } = triggers
  const row = (name: string, { fired, not, ties, rate, interval, trials }: TriggerSide) => [
    name,
    ...[fired, not, ties].map(String),
    percent(rate),
    interval === null ? unknown : rateBounds(interval),
    `${trials.fired}/${trials.of}`,
  ]
  const columns = ['query', 'fires', 'does not', 'tie', 'rate', '95 %', 'trials']
  const named = (side: TriggerSide, word: string, isWrong: (share: number) => boolean) =>
    side.queries.flatMap(({ id, fired, trials }) =>
      trials > 0 && isWrong(fired / trials)
        ? [`  ${word}: ${JSON.stringify(shortened(queryOf(queries, id)))} (${fired} of ${trials})`]
        : [],
    )
  return [
    textTable(
      columns.map((title) => ({ title, shrinks: false })),
      [row('should', should), row('should not', shouldNot)],
      { width, indent: '  ' },
    ).trimEnd(),
    '',
    ...named(should, 'Missed', (share) => share < 0.5),
    ...named(shouldNot, 'Fired wrongly', (share) => share > 0.5),
    ...(leftOut === 0 ? [] : [`  Left out, since nothing shows what was called: ${counted(leftOut, 'trial')}.`]),
  ]
}

function queryOf(queries: readonly TriggerQuery[], id: string): string {
  return queries.find((one) => one.id === id)?.query ?? id
}

const longestQuery = 60

function shortened(query: string): string {
  const line = safeLine(query)
  return line.length > longestQuery ? `${line.slice(0, longestQuery - 1)}…` : line
}

/** For a comment or a README. */
export function liftMarkdown(name: string, text: string): string {
  return `### Does ${name} help?\n\n\`\`\`\n${text.replaceAll(/^ {2}/gm, '').trimEnd()}\n\`\`\`\n`
}
