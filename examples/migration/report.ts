import type { ExperimentResult, ItemResult } from '@jurist/experiment/result'
import { flatten, type Verdict } from 'jurist'

/**
 * Which tier decided each item and why, what the cascade saved, and what judges could not look into.
 *
 * @param calls how many times the model was asked
 */
export function report({ items, judgeCostUsd }: ExperimentResult, calls: number): string {
  const head = ['ITEM', 'OUTCOME', 'DECIDED BY', 'MODEL', 'WHY']
  return [
    ...aligned([head, ...items.map(row)]),
    '',
    `Model calls: ${calls}; without the cascade: ${items.length}; saved: ${items.length - calls}.`,
    `Model cost: ${dollars(judgeCostUsd)}.`,
    ...abstentions(items),
  ].join('\n')
}

function row({ itemId, judged, verdict, judgeCostUsd }: ItemResult): readonly string[] {
  const decider = verdict?.tiers?.findLast(({ outcome }) => outcome !== 'not-reached')
  const by = decider === undefined ? '-' : `${decider.name} (${decider.outcome})`
  return [itemId, judged, by, dollars(judgeCostUsd), verdict === null ? '-' : reasonOf(verdict)]
}

/** What the first judge said that the whole agrees with, in one line: it may quote what an agent wrote. */
function reasonOf({ aggregated, individual }: Verdict): string {
  const agreeing = Object.values(individual).find(({ status }) => status === aggregated.status)
  return (agreeing ?? aggregated).reasoning.replace(/\p{Cc}+/gu, ' ')
}

/** US dollars; a dash where no cost is declared, as without a model. */
function dollars(amount: number | null): string {
  return amount === null ? '-' : `$${amount.toFixed(4)}`
}

/** A line for each reason why a judge abstained. */
function abstentions(items: readonly ItemResult[]): readonly string[] {
  const rows = items.flatMap(({ verdict }) => (verdict === null ? [] : flatten(verdict)))
  const abstained = rows.filter(({ kind, judgment }) => kind === 'judge' && judgment.status === 'abstain')
  return [...new Set(abstained.map(({ path, judgment }) => `${path.slice(1)} abstained: ${judgment.reasoning}.`))]
}

function aligned(table: readonly (readonly string[])[]): readonly string[] {
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0)))
  return table.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
