import type { Failure } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { retryPauseMs } from '@jurist/kit/retry-pause'
import type { ItemFailure } from '../result/records.js'
import type { Retries } from './experiment.js'
import type { Recording } from './recording.js'

const codes: ReadonlySet<string> = new Set([
  ...['infrastructure', 'rate-limited', 'overloaded', 'unavailable', 'sandbox-unavailable', 'git-failed'],
  'setup-failed',
  ...['ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EPIPE'],
  ...['ENOSPC', 'EMFILE'],
])
const passing = /^(http-)?(408|409|425|429|5\d\d)$/
/** Retrying does not help: a wrong key stays wrong, and so does a package that cannot be built. */
const lasting = /^((http-)?(401|402|403)|setup-failed)$/

/**
 * A function that decides whether the infrastructure is to blame for a failure: by `isInfrastructure`, then by the failure's
 * own `infrastructure`, then by its code. Never by its message. The failure gains the frames of the user's code.
 *
 * @param warn called if `isInfrastructure` throws; the default then applies
 */
export function classifier(
  { isInfrastructure }: Retries,
  { located }: Pick<Recording, 'located'>,
  warn: (code: string, message: string) => void,
): (failure: Failure, origin: ItemFailure['origin']) => ItemFailure {
  return function classify(failure, origin) {
    const infrastructure = failure.infrastructure ?? isInfrastructureCode(failure.code)
    const byDefault: ItemFailure = Object.freeze({ ...located(failure), origin, infrastructure })
    if (isInfrastructure === undefined) return byDefault
    try {
      return Object.freeze({ ...byDefault, infrastructure: isInfrastructure(byDefault) === true })
    } catch (thrown) {
      warn('is-infrastructure-failed', `retries.isInfrastructure threw: ${failureOf(thrown).message}`)
      return byDefault
    }
  }
}

function isInfrastructureCode(code: string | undefined): boolean {
  return code !== undefined && (codes.has(code) || passing.test(code) || lasting.test(code))
}

/** Whether a trial with this failure is worth another attempt. */
export function isRetried({ infrastructure, code = '' }: ItemFailure): boolean {
  return infrastructure && !lasting.test(code)
}

/**
 * The pause before the next attempt, in milliseconds.
 *
 * @param attempt the attempt that failed, counted from 1
 * @param atLeastMs what the server asked for
 */
export function retryDelay(
  attempt: number,
  { baseMs, maxMs, jitter }: Required<Omit<Retries, 'isInfrastructure' | 'user'>>,
  atLeastMs: number,
): number {
  return Math.max(atLeastMs, retryPauseMs(attempt, { baseMs, maxMs, jitter }))
}
