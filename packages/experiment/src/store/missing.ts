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
