import { JuristError } from '@jurist/core'
import { isRunId } from './run-id.js'

/** Refuses something that no store could know, or that this one does not: throws `run-unknown`. */
export function runUnknown(id: string, what = 'run'): never {
  throw new JuristError(
    'run-unknown',
    `There is no ${what} ${JSON.stringify(String(id).slice(0, 80))} in this store. List what it holds to find the name.`,
    { id: String(id) },
  )
}

/** Returns `id` when it can be a run id; nothing else may become part of a path. */
export function checkRunId(id: string): string {
  if (isRunId(id)) return id
  throw new JuristError(
    'run-unknown',
    `${JSON.stringify(String(id).slice(0, 80))} is no run id. A run id looks like 20261121T091500123Z-4kq7rm.`,
    { id: String(id) },
  )
}

/** Refuses an id that is taken: throws `store-failed`. */
export function runExists(id: string): never {
  throw new JuristError('store-failed', `There is a run ${id} already. Resume it, or begin one with a new id.`, {
    path: id,
  })
}

/** Refuses a run that somebody writes: throws `run-locked`. */
export function runLocked(id: string, holder?: { readonly pid: number; readonly host: string }): never {
  const by = holder === undefined ? '' : ` by pid ${holder.pid} on ${holder.host}`
  throw new JuristError('run-locked', `Run ${id} is being written${by}. Wait for it, or resume when it has ended.`, {
    id,
    holder: { ...holder },
  })
}

/** Refuses a writer that has ended: throws `store-failed`. */
export function writerClosed(id: string, path: string = id): never {
  throw new JuristError('store-failed', `The writer of run ${id} has ended. Resume the run to add to it.`, { path })
}
