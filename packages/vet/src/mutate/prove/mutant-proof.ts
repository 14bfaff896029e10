import type { Json, JsonObject } from '@jurist/core'
import { counted } from '@jurist/experiment/internal/results'
import type { Witness } from './prover.js'

/**
 * The result of comparing a survivor with the reference. `proven`: an input for which they differ, and a test that the
 * mutant fails. `suspected-equivalent`: no difference for any input. `out-of-budget`: no difference for the tried
 * inputs, but others were left out because they take too long. `not-compared`: the reason why nothing is known.
 * `not-reached`: the run ended earlier and can be resumed.
 *
 * `cutByClock`: a time limit left inputs out, so another machine may find a different witness.
 */
export type MutantProof =
  | { readonly status: 'proven'; readonly witness: Witness; readonly test: string; readonly cutByClock?: true }
  | { readonly status: 'suspected-equivalent'; readonly inputs: number }
  | {
      readonly status: 'out-of-budget'
      readonly inputs: number
      readonly leftOut: number
      readonly cutByClock?: true
    }
  | { readonly status: 'not-compared'; readonly reason: string }
  | { readonly status: 'not-reached' }

/**
 * Describes a proof in one or two sentences.
 *
 * @example
 * import { proofText } from '@jurist/vet'
 *
 * proofText({ status: 'suspected-equivalent', inputs: 1000 })
 */
export function proofText(proof: MutantProof): string {
  switch (proof.status) {
    case 'proven':
      return `Proven different: ${shown(proof.witness.got)} where the reference gives ${shown(proof.witness.expected)}. A test that notices it follows the change.${cut(proof)}`
    case 'suspected-equivalent':
      return `Suspected equivalent: no difference for ${counted(proof.inputs, 'input')} of the functions that the file exports.`
    case 'out-of-budget':
      return `Not proven: budget. No difference for ${counted(proof.inputs, 'input')}; ${counted(proof.leftOut, 'input')} left out.${cut(proof)}`
    case 'not-compared':
      return `Not compared: ${proof.reason}.`
    case 'not-reached':
      return 'Not compared: the time did not suffice.'
    default:
      return proof satisfies never
  }
}

function cut({ cutByClock }: { readonly cutByClock?: true }): string {
  return cutByClock === true ? ' A clock left inputs out: another machine may show more.' : ''
}

const longest = 80

/** Formats a value in one line. */
function shown(value: Json): string {
  const isError = typeof value === 'object' && value !== null && '$' in value && value['$'] === 'error'
  const text = isError ? `it ${String((value as JsonObject)['is'])}` : JSON.stringify(value)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
