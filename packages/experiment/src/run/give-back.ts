import { failureOf, type Soon } from '@jurist/core/internal'
import { nothingToGiveBack } from '../provision/lease.js'
import type { Lease } from '../provision/provision.js'
import type { Bench } from './bench.js'
import { inTime } from './in-time.js'
import type { Trial } from './trial.js'

const graceMs = 30_000

/** Gives a lease back. What goes wrong, or takes more than 30 seconds, is a warning. */
export function giveBack(bench: Bench, trial: Trial, lease: Lease): Soon<void> {
  let given: PromiseLike<void>
  try {
    given = lease[Symbol.asyncDispose]()
  } catch (thrown) {
    given = Promise.reject(thrown)
  }
  if (given !== nothingToGiveBack) return givenBack(bench, trial, given)
}

async function givenBack(bench: Bench, { itemId }: Trial, given: PromiseLike<void>): Promise<void> {
  try {
    const ended = await inTime(given, graceMs)
    if (!ended) bench.warn('lease-kept', `The workspace was not given back within ${graceMs} ms.`, itemId)
  } catch (thrown) {
    bench.warn('lease-kept', `The workspace could not be given back: ${failureOf(thrown).message}`, itemId)
  }
}
