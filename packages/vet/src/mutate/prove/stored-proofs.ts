import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExperimentOptions } from '@jurist/experiment'
import { storeOf } from '@jurist/experiment/internal'
import type { ExperimentResult } from '@jurist/experiment/result'
import { readProofs, type StoredProof } from './proof-file.js'

/** What a proof depends on beside the mutants of its run. */
export type ProofTerms = Pick<StoredProof, 'seed' | 'budgetMs'>

/** The file beside a run that keeps its proofs. */
const proofsFile = 'proofs.jsonl'

/** The proofs of a run that is held for more of them. */
export interface ProofKeeper {
  readonly stored: readonly StoredProof[]
  /** Marks the run as unfinished, so that an interruption leaves one that can be resumed. */
  begin(): Promise<void>
  keep(proof: Omit<StoredProof, keyof ProofTerms>): Promise<void>
  /** Ends a run that was begun as it had ended. */
  finish(): Promise<void>
  /** Lets the run go as it is. Nothing follows. */
  release(): Promise<void>
}

/**
 * Holds a run for its proofs. Those of the same terms count; where a budget did not matter, another one is the same. A run in a
 * store without files keeps none.
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
      // A line that a crash cut off must not swallow the next one.
      if (path !== undefined) await appendFile(path, '\n')
      await writer.extend?.({ planned, ...(itemOrder === undefined ? {} : { itemOrder }) })
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
