import { readFile } from 'node:fs/promises'
import { isPlainObject } from '@jurist/core/internal'
import type { MutantProof } from '../mutation-report.js'

/** What the comparison of a survivor with its reference showed: a line of `proofs.jsonl` beside the run. */
export interface StoredProof {
  readonly itemId: string
  readonly repetition: number
  /** That the inputs were made with. */
  readonly seed: number
  /** Milliseconds for the inputs of one function. */
  readonly budgetMs: number
  readonly proof: MutantProof
}

const statuses: readonly unknown[] = ['proven', 'suspected-equivalent', 'out-of-budget', 'not-compared']

/**
 * The proofs of a run of mutants: the lines of `proofs.jsonl` beside it. What is no proof, such as a line that was cut off, is
 * left out.
 *
 * @returns an empty array where the file does not exist
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
    const read = parsed(line)
    return isProof(read) ? [read] : []
  })
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function isProof(read: unknown): read is StoredProof {
  if (!isPlainObject(read) || typeof read['itemId'] !== 'string' || typeof read['repetition'] !== 'number') return false
  const proof = read['proof']
  if (!isPlainObject(proof) || !statuses.includes(proof['status'])) return false
  const { status, witness, test, inputs, leftOut, reason } = proof
  if (status === 'proven') return isPlainObject(witness) && Array.isArray(witness['input']) && typeof test === 'string'
  if (status === 'not-compared') return typeof reason === 'string'
  return typeof inputs === 'number' && (status !== 'out-of-budget' || typeof leftOut === 'number')
}
