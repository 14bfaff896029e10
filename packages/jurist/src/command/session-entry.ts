import type { ExperimentOptions } from '@jurist/experiment'
import type { ExperimentResult } from '@jurist/experiment/result'
import type { Results } from './results-store.js'

/** Writes a run that went on by itself into the session that it belongs to; a session of which all is done is over. */
export async function noteInSession(
  { store: { sessions } }: Results,
  { name, variants }: ExperimentOptions,
  result: ExperimentResult,
): Promise<void> {
  const { id: runId, session, variant, status, passRate, costUsd, durationMs, counts } = result
  if (session === null || variant === null || (await sessions.load(name, session)) === undefined) return
  const entry = { variant, runId, status, passRate, trials: counts.run, costUsd, durationMs }
  const noted = await sessions.put(name, session, entry)
  const over = noted.variants.filter((one) => one.status === 'completed' || one.status === 'stopped')
  const isOver = Object.keys(variants ?? {}).every((known) => over.some((one) => one.variant === known))
  if (isOver && noted.status !== 'completed') await sessions.finish(name, session, 'completed')
}
