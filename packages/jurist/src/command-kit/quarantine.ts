import { readFile } from 'node:fs/promises'
import type { ExperimentOptions } from '@jurist/experiment'
import type { Dataset } from '@jurist/experiment/dataset'
import {
  endOf,
  expiredProblems,
  type Quarantine,
  readQuarantine,
  refuseErrors,
  tooManyProblems,
} from '@jurist/experiment/internal'
import { outcomeOf, type TrialOutcome } from '@jurist/experiment/result'
import { right, safeLine, textTable } from '@jurist/kit/terminal'
import { markOf, painted } from '../terminal/cells.js'
import type { Terminal } from '../terminal/terminal.js'
import { writeOutput } from './files.js'
import type { Host } from './host.js'
import type { Results } from './results-store.js'
import { openedDataset } from './selection.js'

/** Everything about the quarantine of a dataset that a run with a gate refuses: entries that are over, and too many of them. */
export function gateProblems(quarantine: Quarantine, dataset: Dataset, { quarantine: asked }: ExperimentOptions) {
  const active = dataset.entries.filter(({ status }) => status === 'active').length
  const most = asked === false ? undefined : asked?.most
  const tooMany = quarantine.problems.length > 0 ? [] : tooManyProblems(quarantine, active, most)
  return [...expiredProblems(quarantine, 'error'), ...tooMany]
}

/**
 * Refuses a run with a gate whose quarantine is over or too large.
 *
 * @throws `dataset-invalid`
 */
export async function refuseQuarantine(experiment: ExperimentOptions): Promise<void> {
  if (experiment.quarantine === false) return
  const dataset = await openedDataset(experiment)
  const quarantine = await readQuarantine(dataset)
  refuseErrors(quarantine.file ?? dataset.name, [
    ...quarantine.problems,
    ...gateProblems(quarantine, dataset, experiment),
  ])
}

/** Writes today as `since` of each entry that has none. Returns how many it changed. */
export async function datedQuarantine(host: Host, { file }: Pick<Quarantine, 'file'>): Promise<number> {
  const { isMap, isSeq, parseDocument } = await import('yaml')
  const text = file === null ? '' : await readFile(file, 'utf8').catch(() => '')
  const document = parseDocument(text)
  const undated = isSeq(document.contents)
    ? document.contents.items.filter((one) => isMap(one) && !one.has('since'))
    : []
  if (file === null || document.errors.length > 0 || undated.length === 0) return 0
  const today = new Date().toISOString().slice(0, 10)
  for (const entry of undated) if (isMap(entry)) entry.add(document.createPair('since', today) as never)
  await writeOutput(host, file, String(document))
  return undated.length
}

const mostOutcomes = 20
/** Runs that are read for the outcomes of an item. */
const mostRuns = 100
/** Fewer failures in a row do not show that an item always fails. */
const leastFailures = 5
const dayMs = 86_400_000

/** An item in quarantine, with its latest trials. */
export interface QuarantinedItem {
  readonly experiment: string
  readonly item: string
  readonly judge: string | null
  readonly owner: string
  readonly reason: string
  readonly until: string
  /** Below 0 when the last day is over. */
  readonly daysLeft: number
  /** The latest decided trials, the newest first. */
  readonly outcomes: readonly TrialOutcome[]
  readonly advice: string
}

/** The items in quarantine of some experiments, with the outcomes of their last 20 decided trials. */
export async function quarantinedItems(
  experiments: readonly ExperimentOptions[],
  { store }: Results,
  nowMs: number = Date.now(),
): Promise<readonly QuarantinedItem[]> {
  const found: QuarantinedItem[] = []
  for (const experiment of experiments) {
    const { entries, expired } = await readQuarantine(await openedDataset(experiment), nowMs)
    const all = [...expired, ...entries]
    const outcomes = new Map<string, TrialOutcome[]>(all.map(({ item }) => [item, []]))
    const isOpen = () => [...outcomes.values()].some((known) => known.length < mostOutcomes)
    let read = 0
    for await (const { id } of store.list({ experimentName: experiment.name, kind: 'agent' })) {
      if (!isOpen() || ++read > mostRuns) break
      for (const trial of ((await store.overview(id))?.trials ?? []).toReversed()) {
        const known = outcomes.get(trial.itemId)
        if (known !== undefined && known.length < mostOutcomes && trial.passed !== null) known.push(outcomeOf(trial))
      }
    }
    for (const { item, judge = null, owner, reason, until } of all) {
      const known = outcomes.get(item) ?? []
      const daysLeft = Math.ceil((endOf({ until }) - nowMs) / dayMs)
      const entry = { item, judge, owner, reason, until, daysLeft, outcomes: known }
      found.push({ experiment: experiment.name, ...entry, advice: adviceOf(known, daysLeft) })
    }
  }
  return found
}

function adviceOf(outcomes: readonly TrialOutcome[], daysLeft: number): string {
  const passes = outcomes.filter((outcome) => outcome === 'pass').length
  const over = daysLeft <= 0 ? ['over'] : []
  if (outcomes.length >= mostOutcomes && passes === outcomes.length) return [...over, 'can leave'].join(', ')
  if (outcomes.length >= leastFailures && passes === 0)
    return [...over, `not flaky: 0 of ${outcomes.length}`].join(', ')
  return over.join(', ')
}

export function quarantineTable(items: readonly QuarantinedItem[], terminal: Terminal): string {
  const { style, unicode, columns: width } = terminal
  const rows = items.map(({ item, judge, owner, daysLeft, outcomes, advice, reason }) => [
    safeLine(judge === null ? item : `${item} › ${judge}`),
    safeLine(owner),
    `${daysLeft}`,
    outcomes.map((outcome) => painted(outcome, markOf(outcome, unicode), style)).join(''),
    advice,
    safeLine(reason),
  ])
  const columns = [
    { title: 'ITEM', shrinks: true },
    { title: 'OWNER', shrinks: true },
    right('DAYS LEFT'),
    { title: 'NEWEST FIRST', drops: 2 },
    { title: '' },
    { title: 'REASON', shrinks: true, drops: 1 },
  ]
  return textTable(columns, rows, { width })
}
