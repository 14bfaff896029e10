import { error, flatten, type JournalEvent, type VerdictRow } from '@jurist/core'
import { phaseEvents } from '../journal/phase-events.js'
import { trajectory } from '../journal/trajectory.js'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import type { DiagnosticInput } from './diagnosis.js'

/** Reads the journal of a trial. */
export type ReadJournal = (item: ItemResult) => Promise<readonly JournalEvent[]>

/** What went wrong in a trial: one input for each failed check of a judge that did not pass, or for the judge, or the trial. */
export async function inputsOf(
  item: ItemResult,
  run: ExperimentResult,
  results: readonly ExperimentResult[],
  journals: ReadJournal | undefined,
): Promise<readonly DiagnosticInput[]> {
  const wrong = item.verdict === null ? unjudged(item) : unpassed(item.verdict)
  if (wrong.length === 0) return []
  const events = (await journals?.(item)) ?? eventsOfPhases(item)
  const way = events.length === 0 ? null : trajectory(events)
  return wrong.map((one) => ({ item, ...one, trajectory: way, run, results, events }))
}

type Wrong = Pick<DiagnosticInput, 'path' | 'judgment' | 'check'>

function unpassed(verdict: NonNullable<ItemResult['verdict']>): readonly Wrong[] {
  const rows = flatten(verdict).filter(({ kind, judgment }) => kind === 'judge' && judgment.status !== 'pass')
  return rows.flatMap(wrongIn)
}

function wrongIn({ path, judgment }: VerdictRow): readonly Wrong[] {
  const failed = judgment.checks.filter(({ passed }) => !passed)
  if (failed.length === 0) return [{ path, judgment, check: null }]
  return failed.map(({ name }) => ({ path, judgment, check: name }))
}

/** A trial that ended before it was judged; one that nobody wanted judged has nothing wrong with it. */
function unjudged({ failure, agent }: ItemResult): readonly Wrong[] {
  if (failure === null || agent === 'cancelled') return []
  const { message, name, code } = failure
  const cause = Object.assign(new Error(message), { name, ...(code === undefined ? {} : { code }) })
  return [{ path: '', judgment: error(message.trim() === '' ? name : message, cause), check: null }]
}

function eventsOfPhases({ detail }: ItemResult): readonly JournalEvent[] {
  return detail?.kind === 'agent' ? phaseEvents(detail.invocation.phases ?? [], 'unknown') : []
}
