import type { AgentTask, Failure } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { changedTask } from './changed-task.js'

/** What a stage before the work came to. */
export interface Stage<Value> {
  readonly value: Value | null
  readonly failure: Failure | null
  readonly elapsedMs: number
}

/** A stage that there is not. */
export const noStage: Stage<never> = Object.freeze({ value: null, failure: null, elapsedMs: 0 })

/** Runs a stage on the task within its time; a stage that throws, is late or gives nothing is a failure. */
export async function runStage<Value extends object>(
  name: string,
  task: AgentTask,
  timeoutMs: number | undefined,
  stage: (task: AgentTask) => Promise<Value>,
): Promise<Stage<Value>> {
  const startedMs = performance.now()
  const ended = () => performance.now() - startedMs
  const late = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
  const signal = late === undefined ? task.signal : AbortSignal.any([task.signal, late])
  try {
    const value = await untilAborted(signal, async () => stage(changedTask(task, { signal })))
    if (typeof value !== 'object' || value === null) throw new TypeError(`the stage "${name}" gave no object`)
    return { value, failure: null, elapsedMs: ended() }
  } catch (thrown) {
    const isLate = late?.aborted === true && !task.signal.aborted
    const failure = isLate
      ? { name: 'Timeout', message: `The stage "${name}" did not end within ${timeoutMs} ms.`, code: 'stage-timeout' }
      : failureOf(thrown)
    return { value: null, failure, elapsedMs: ended() }
  }
}

/** What the action gives, or a rejection as soon as the signal fires. */
async function untilAborted<Value>(signal: AbortSignal, action: () => Promise<Value>): Promise<Value> {
  signal.throwIfAborted()
  return new Promise<Value>((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    action()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop))
  })
}
