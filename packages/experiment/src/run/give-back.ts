import { failureOf } from '@jurist/core'
import type { Lease } from '../provision/provision.js'
import type { Bench } from './bench.js'
import { inTime } from './in-time.js'
import type { Trial } from './trial.js'

const graceMs = 30_000

/** Gives a lease back. What goes wrong, or takes more than 30 seconds, is a warning. */
export async function giveBack(bench: Bench, { itemId }: Trial, lease: Lease): Promise<void> {
  try {
    const ended = await inTime(lease[Symbol.asyncDispose](), graceMs)
    if (!ended) bench.warn('lease-kept', `The workspace was not given back within ${graceMs} ms.`, itemId)
  } catch (thrown) {
    bench.warn('lease-kept', `The workspace could not be given back: ${failureOf(thrown).message}`, itemId)
  }
}
