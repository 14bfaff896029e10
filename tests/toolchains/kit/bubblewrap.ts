import { failureOf } from '@jurist/core/internal'
import { bubblewrapSandbox } from '@jurist/workspace'
import { missing } from './programs.js'

/** Why bubblewrap cannot be tried here; `undefined` when it works. */
export async function whyNoBubblewrap(): Promise<string | undefined> {
  const absent = missing('bwrap', 'prlimit')
  if (absent !== undefined) return absent
  return bubblewrapSandbox()
    .probe()
    .then(
      () => undefined,
      (thrown: unknown) => failureOf(thrown).message,
    )
}
