import type { UserPart } from '@jurist/core'
import { failureOf, type Held, heldConversation } from '@jurist/core/internal'
import { sha256 } from '../dataset/hash.js'
import type { ItemFailure } from '../result/records.js'
import { isUserAtFault } from '../result/trial-outcome.js'
import type { Attempted, Trial } from './run-context.js'
import type { Judging } from './run-jury.js'
import { runStep } from './run-step.js'

/**
 * The part of the simulated user in a trial that has been judged: a trial that failed is audited, and of those that passed a
 * sample, so that the pass rate is not biased by looking at fails only. `undefined`: the trial is no conversation.
 */
export async function auditUser(attempted: Attempted, { judged }: Judging): Promise<UserPart | undefined> {
  const { run, trial, turn, controller } = attempted
  const invocation = turn.invocation as (Attempted['turn']['invocation'] & Held) | null
  const user = invocation?.user
  const { audit, ofPassed = 0 } = invocation?.[heldConversation] ?? {}
  if (user === undefined || audit === undefined) return user
  if (!(judged === 'fail' || (judged === 'pass' && isSampled(trial, ofPassed)))) return user
  const { cancellation, settings } = run
  const { judgeTimeoutMs: timeoutMs } = settings
  const late = `The audit of the user did not end within ${timeoutMs} ms.`
  const end = await runStep({ cancellation, timeoutMs, controller: controller(), late }, ({ signal }) => audit(signal))
  if (end.type === 'value') return end.value
  const reason = end.type === 'thrown' ? failureOf(end.thrown).message : (end.interruption?.message ?? late)
  run.warn('user-audit-failed', `The user was not audited: ${reason}`, trial.itemId)
  return user
}

/** The same trials in every run and every variant. */
function isSampled({ itemId, repetition }: Trial, share: number): boolean {
  const draw = Number.parseInt(sha256(`${itemId}\n${repetition}`).slice(0, 8), 16) / 2 ** 32
  return draw < share
}

/** The failure of a trial whose simulated user made a mistake; `null` for any other. */
export function userFailure(user: UserPart | undefined): ItemFailure | null {
  if (user === undefined || !isUserAtFault(user)) return null
  const faults = user.faults.map(
    ({ name, turn, message }) => `${name}${turn === 0 ? '' : ` (message ${turn})`}: ${message}`,
  )
  return Object.freeze({
    name: 'UserFault',
    code: 'user-at-fault',
    message: `The user was at fault: ${faults.join('; ')}`,
    origin: 'user',
    infrastructure: false,
  })
}
