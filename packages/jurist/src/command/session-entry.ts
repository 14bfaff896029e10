import { type ExperimentOptions, sessionPlanOf } from '@jurist/experiment'
import type { ExperimentResult } from '@jurist/experiment/result'
import type { Results } from './results-store.js'

/** Writes a run that went on by itself into the session that it belongs to; a session of which all is done is over. */
export async function noteInSession(
  { store: { sessions } }: Results,
  { name, variants }: ExperimentOptions,
  result: ExperimentResult,
): Promise<void> {
  const { id: runId, session, variant, status, passRate, costUsd, durationMs, counts } = result
  if (session === null || variant === null) return
  const known = await sessions.load(name, session)
  if (known === undefined) return
  const entry = { variant, runId, status, passRate, trials: counts.run, costUsd, durationMs }
  const noted = await sessions.put(name, session, entry)
  const over = noted.variants.filter((one) => one.status === 'completed' || one.status === 'stopped')
  const planned = sessionPlanOf(known)?.variants ?? Object.keys(variants ?? {})
  const isOver = planned.every((one) => over.some((entry) => entry.variant === one))
  if (isOver && noted.status !== 'completed') await sessions.finish(name, session, 'completed')
}
