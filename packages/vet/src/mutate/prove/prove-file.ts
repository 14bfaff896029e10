import type { Workspace } from '@jurist/core'
import { isTestFile } from '../../code-languages.js'
import { mutated } from '../mutants.js'
import type { JudgedMutant, MutantProof } from '../mutation-report.js'
import { type Comparison, openProver, type Prover } from './prover.js'
import { witnessTest } from './witness-test.js'

/** A file whose mutants are compared with it. */
export interface ProvedFile {
  readonly workspace: Workspace
  readonly path: string
  readonly source: string
  readonly tests: readonly string[]
  readonly seed: number
  readonly budgetMs: number
  readonly signal: AbortSignal
}

/** The endings of the languages whose code runs apart from its tests. */
const comparable = /\.(?:[cm]?[jt]sx?|py)$/
const mostBytes = 500_000

/** The texts of the tests of a workspace, from whose calls inputs are read. */
export async function testsIn(workspace: Workspace, signal: AbortSignal): Promise<readonly string[]> {
  const texts: string[] = []
  for await (const { path, type } of workspace.list({ signal })) {
    if (type !== 'file' || !isTestFile(path) || !comparable.test(path)) continue
    const text = await workspace.read(path, { maxBytes: mostBytes }).catch(() => undefined)
    if (text !== undefined) texts.push(text)
  }
  return texts
}

/**
 * Compares mutants of one file with it.
 *
 * @throws the reason of `signal`; what was compared before has been noted
 */
export async function proveFile(
  file: ProvedFile,
  mutants: readonly JudgedMutant[],
  note: (mutant: JudgedMutant, proof: MutantProof) => Promise<void>,
): Promise<void> {
  if (mutants.length === 0) return
  const prover = await proverOf(file)
  if ('status' in prover) {
    for (const mutant of mutants) await note(mutant, prover)
    return
  }
  await using opened = prover
  for (const mutant of mutants) await note(mutant, proofOf(file, await opened.compare(mutated(file.source, mutant))))
}

function proofOf(
  { path }: Pick<ProvedFile, 'path'>,
  { witness, inputs, leftOut, isCutByClock }: Comparison,
): MutantProof {
  const cut = isCutByClock ? ({ cutByClock: true } as const) : {}
  if (witness !== undefined) {
    const test = witnessTest(witness, path.endsWith('.py') ? 'python' : 'javascript')
    return { status: 'proven', witness, test, ...cut }
  }
  if (leftOut > 0) return { status: 'out-of-budget', inputs, leftOut, ...cut }
  return { status: 'suspected-equivalent', inputs }
}

/** A prover of a file, or why it cannot be compared. */
async function proverOf({ workspace, ...file }: ProvedFile): Promise<Prover | MutantProof> {
  if (!comparable.test(file.path)) return notCompared('only JavaScript, TypeScript and Python can be compared')
  if (!hasDirectory(workspace)) return notCompared('its workspace has no directory')
  try {
    const prover = await openProver({ ...file, workspace })
    if (prover.inputs > 0) return prover
    await prover[Symbol.asyncDispose]()
    if (prover.leftOut > 0) return proofOf(file, { witness: undefined, ...prover })
    return notCompared('the tests call no exported function of the file with literals to which it always answers alike')
  } catch (thrown) {
    file.signal.throwIfAborted()
    return notCompared(thrown instanceof Error ? thrown.message : String(thrown))
  }
}

function notCompared(reason: string): MutantProof {
  return { status: 'not-compared', reason }
}

function hasDirectory(workspace: Workspace): workspace is Workspace & { readonly root: string } {
  return workspace.root !== undefined
}
