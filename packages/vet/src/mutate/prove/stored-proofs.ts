import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { arrayOf, type FieldRules, finite, hasFields, type OptionRule, option } from '@jurist/core/internal'
import type { ExperimentOptions } from '@jurist/experiment'
import { storeOf } from '@jurist/experiment/internal'
import type { ExperimentResult } from '@jurist/experiment/result'
import { parseOrUndefined } from '@jurist/kit/json'
import type { MutantProof } from './mutant-proof.js'

/** The result of comparing a survivor with its reference: a line of `proofs.jsonl` in the directory of the run. */
export interface StoredProof {
  readonly itemId: string
  readonly repetition: number
  /** The seed of the inputs. */
  readonly seed: number
  /** Milliseconds for the inputs of one function. */
  readonly budgetMs: number
  readonly proof: MutantProof
}

/**
 * Reads the proofs of a run of mutants from its `proofs.jsonl`. Lines without a valid proof, such as a truncated one,
 * are left out.
 *
 * @returns an empty array if the file does not exist
 *
 * @example
 * import { readProofs } from '@jurist/vet'
 *
 * for (const { itemId, proof } of await readProofs('results/fix/20261123T031854616Z-k3d8xq/proofs.jsonl'))
 *   if (proof.status === 'proven') console.log(itemId, proof.test)
 */
export async function readProofs(path: string): Promise<readonly StoredProof[]> {
  const text = await readFile(path, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return ''
    throw thrown
  })
  return text.split('\n').flatMap((line) => {
    const read = parseOrUndefined(line)
    return isProof(read) ? [read] : []
  })
}

function isProof(read: unknown): read is StoredProof {
  if (!hasFields<StoredProof>(read, { itemId: string, repetition: finite, proof: record })) return false
  const { status } = read.proof
  return status !== 'not-reached' && Object.hasOwn(proofs, status) && hasFields(read.proof, proofs[status])
}

const { string, record } = option
const witness: OptionRule = {
  wants: 'an object with an array "input"',
  holds: (value) => hasFields(value, { input: arrayOf('an array', option.anything) }),
}

/** The fields of the proofs that are stored, by status. */
const proofs: { readonly [status in Exclude<MutantProof['status'], 'not-reached'>]: FieldRules } = {
  proven: { witness, test: string },
  'suspected-equivalent': { inputs: finite },
  'out-of-budget': { inputs: finite, leftOut: finite },
  'not-compared': { reason: string },
}

/** The settings that a proof depends on, apart from the mutants of its run. */
export type ProofTerms = Pick<StoredProof, 'seed' | 'budgetMs'>

const proofsFile = 'proofs.jsonl'

/** Stores proofs of a run while it keeps the run open. */
export interface ProofKeeper {
  readonly stored: readonly StoredProof[]
  /** Marks the run as unfinished, so that it can be resumed after an interruption. */
  begin(): Promise<void>
  keep(proof: Omit<StoredProof, keyof ProofTerms>): Promise<void>
  /** Completes a run again, with the same result as before `begin`. */
  finish(): Promise<void>
  /** Releases the run without further changes. */
  release(): Promise<void>
}

/**
 * Opens a run for its proofs. Stored proofs count if they have the same terms, but the budget matters only if it cut
 * inputs off. A store without files does not keep proofs.
 */
export async function proofKeeper(
  { store }: Pick<ExperimentOptions, 'store'>,
  { id, status, stopReason, durationMs }: ExperimentResult,
  terms: ProofTerms,
): Promise<ProofKeeper> {
  if (store === undefined) return keepsNothing
  const { store: opened, close } = storeOf({ store })
  const { manifest, writer } = await opened.resume(id)
  const { planned, itemOrder } = manifest
  const path = writer.directory === null ? undefined : join(writer.directory, proofsFile)
  const isOfTerms = ({ seed, budgetMs, proof }: StoredProof) =>
    seed === terms.seed && (proof.status !== 'out-of-budget' || budgetMs === terms.budgetMs)
  return {
    stored: path === undefined ? [] : (await readProofs(path)).filter(isOfTerms),
    async begin() {
      // A new line first, so that a truncated line does not swallow the next one.
      if (path !== undefined) await appendFile(path, '\n')
      await writer.extend?.({ planned, itemOrder })
    },
    async keep(proof) {
      if (path !== undefined) await appendFile(path, `${JSON.stringify({ ...proof, ...terms })}\n`)
    },
    async finish() {
      await writer.finish({ status: status === 'running' ? 'completed' : status, stopReason, durationMs })
    },
    async release() {
      await writer.release()
      await close()
    },
  }
}

const nothing = async () => undefined
const keepsNothing: ProofKeeper = { stored: [], begin: nothing, keep: nothing, finish: nothing, release: nothing }
