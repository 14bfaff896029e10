import type { ExperimentEvent } from '@jurist/experiment'
import type { TrialPhase } from '@jurist/experiment/internal'
import type { ItemResult } from '@jurist/experiment/result'

export interface RunningTrial {
  readonly variant: string | null
  readonly itemId: string
  readonly repetition: number
  readonly phase: TrialPhase
  readonly since: number
}

export interface EndedTrial {
  readonly variant: string | null
  readonly result: ItemResult
}

/** The progress of all runs of one command. */
export interface Progress {
  readonly experimentName: string
  readonly runs: number
  /** The trials of all runs. A run that has not started counts as many as the last one. */
  readonly trials: number
  readonly done: number
  /** Trials that resumed runs had already stored. */
  readonly resumed: number
  readonly passed: number
  readonly failed: number
  readonly undecided: number
  /** US dollars, including judges; `null` until a cost is declared. */
  readonly costUsd: number | null
  readonly running: readonly RunningTrial[]
  /** The progress of the evidence of a run that stops when it is decided; `null` for others. */
  readonly evidence: Pick<ExperimentEvent & { readonly type: 'evidence' }, 'items' | 'evidence' | 'line'> | null
}

/** Follows the events of one or several runs. */
export interface Follower {
  readonly follow: (event: ExperimentEvent) => EndedTrial | undefined
  readonly counts: () => Omit<Progress, 'running'>
  readonly progress: () => Progress
}

/** Creates a follower of `expectedRuns` runs. */
export function follower(expectedRuns: number, now: () => number = Date.now): Follower {
  const runs = new Map<string, { readonly variant: string | null; readonly trials: number; readonly resumed: number }>()
  const running = new Map<string, RunningTrial>()
  const counts = { done: 0, passed: 0, failed: 0, undecided: 0 }
  let experimentName = ''
  let costUsd: number | null = null
  let evidence: Progress['evidence'] = null
  const variantOf = (runId: string) => runs.get(runId)?.variant ?? null

  function start(event: ExperimentEvent & { readonly type: 'item-start' | 'item-phase' }): void {
    const { itemId, repetition, runId } = event
    const phase = event.type === 'item-phase' ? event.phase : 'setup'
    running.set(keyOf(event), { variant: variantOf(runId), itemId, repetition, phase, since: now() })
  }
  function end(event: ExperimentEvent & { readonly type: 'item-end' }): EndedTrial {
    const { result, runId } = event
    running.delete(keyOf(event))
    counts.done += 1
    counts[result.passed === null ? 'undecided' : result.passed ? 'passed' : 'failed'] += 1
    for (const cost of [result.costUsd, result.judgeCostUsd]) if (cost !== null) costUsd = (costUsd ?? 0) + cost
    return { variant: variantOf(runId), result }
  }
  function counted(): Omit<Progress, 'running'> {
    const facts = [...runs.values()]
    const ahead = Math.max(0, expectedRuns - facts.length) * (facts.at(-1)?.trials ?? 0)
    const resumed = facts.reduce((sum, run) => sum + run.resumed, 0)
    const trials = facts.reduce((sum, run) => sum + run.trials, ahead)
    return {
      experimentName,
      runs: runs.size,
      trials,
      ...counts,
      done: counts.done + resumed,
      resumed,
      costUsd,
      evidence,
    }
  }
  return {
    follow(event) {
      if (event.type === 'experiment-start') {
        experimentName = event.experimentName
        // A run may be widened, in which case the trials that it had stored have ended here.
        const { resumed } = runs.get(event.runId) ?? event
        runs.set(event.runId, { variant: event.variant, trials: event.trials, resumed })
      }
      if (event.type === 'evidence') evidence = event
      if (event.type === 'item-start' || event.type === 'item-phase') start(event)
      return event.type === 'item-end' ? end(event) : undefined
    },
    counts: counted,
    progress: () => ({ ...counted(), running: [...running.values()] }),
  }
}

function keyOf(event: { readonly runId: string; readonly itemId: string; readonly repetition: number }): string {
  return `${event.runId}\0${event.repetition}\0${event.itemId}`
}
