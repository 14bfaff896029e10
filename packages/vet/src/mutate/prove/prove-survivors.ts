import type { Workspace } from '@jurist/core'
import type { DatasetItem, ExperimentOptions } from '@jurist/experiment'
import { isTestFile } from '../../code-languages.js'
import { lookAtItems } from '../../items-looked-at.js'
import { type References, rightAnswer } from '../../reference-agent.js'
import { mutated } from '../mutants.js'
import type { ItemMutants, JudgedMutant, MutantProof } from '../mutation-report.js'
import { openProver, type Prover } from './prover.js'
import { witnessTest } from './witness-test.js'

/** Where survivors are compared with their references. */
export interface ProvingScene {
  readonly experiment: ExperimentOptions
  readonly dataset: ExperimentOptions['dataset']
  readonly items: ReadonlyMap<string, DatasetItem>
  readonly references: References
  readonly seed: number
  readonly signal: AbortSignal | undefined
}

/** What the comparison of a survivor showed, by its item and its repetition. */
export type ProofOf = (itemId: string, repetition: number) => MutantProof | undefined

/**
 * Compares each survivor with its reference, in new workspaces of the items and their sandbox. Items that the time did not
 * suffice for have no proofs.
 */
export async function proveSurvivors(items: readonly ItemMutants[], scene: ProvingScene): Promise<ProofOf> {
  const proofs = new Map<string, MutantProof>()
  const keyOf = (itemId: string, repetition: number) => `${repetition} ${itemId}`
  const open = new Map(items.flatMap((item) => (survivorsOf(item).length > 0 ? [[item.itemId, item] as const] : [])))
  if (open.size > 0 && scene.signal?.aborted !== true)
    await lookAtItems(lookedAt(scene, [...open.keys()]), async ({ itemId, task, reference }) => {
      const [item, { workspace, signal }] = [open.get(itemId), task]
      if (item === undefined || reference === null) return
      const tests = [...(await testsIn(workspace, signal)), ...(await testsIn(reference, signal))]
      const { solution } = scene.experiment.vet ?? {}
      await rightAnswer(task, { item: scene.items.get(itemId), reference, solution })
      for (const path of Object.keys(item.sources))
        await proveFile({ workspace, path, tests, seed: scene.seed, signal }, item, ({ repetition }, proof) =>
          proofs.set(keyOf(itemId, repetition), proof),
        )
    })
  return (itemId, repetition) => proofs.get(keyOf(itemId, repetition))
}

function survivorsOf({ mutants }: ItemMutants): readonly JudgedMutant[] {
  return mutants.filter(({ outcome }) => outcome === 'survived')
}

function lookedAt({ experiment, dataset, references, signal }: ProvingScene, ids: readonly string[]) {
  return { experiment: { ...experiment, filter: { id: ids, status: 'any' } } as const, dataset, references, signal }
}

const mostBytes = 500_000

/** The texts of the tests of a workspace, from whose calls inputs are read. */
async function testsIn(workspace: Workspace, signal: AbortSignal): Promise<readonly string[]> {
  const texts: string[] = []
  for await (const { path, type } of workspace.list({ signal })) {
    if (type !== 'file' || !isTestFile(path) || !comparable.test(path)) continue
    const text = await workspace.read(path, { maxBytes: mostBytes }).catch(() => undefined)
    if (text !== undefined) texts.push(text)
  }
  return texts
}

interface ProvedFile {
  readonly workspace: Workspace
  readonly path: string
  readonly tests: readonly string[]
  readonly seed: number
  readonly signal: AbortSignal
}

/** The endings of the languages whose code runs apart from its tests. */
const comparable = /\.(?:[cm]?[jt]sx?|py)$/

/** Compares the survivors of one file. */
async function proveFile(
  file: ProvedFile,
  item: ItemMutants,
  note: (mutant: JudgedMutant, proof: MutantProof) => void,
): Promise<void> {
  const mutants = survivorsOf(item).filter(({ path }) => path === file.path)
  if (mutants.length === 0) return
  const prover = await proverOf(file)
  if (typeof prover === 'string') {
    for (const mutant of mutants) note(mutant, { status: 'not-compared', reason: prover })
    return
  }
  await using opened = prover
  for (const mutant of mutants) {
    const witness = await opened.witness(mutated(item.sources[file.path] ?? '', mutant))
    const test = witness && witnessTest(witness, file.path.endsWith('.py') ? 'python' : 'javascript')
    if (witness === undefined || test === undefined)
      note(mutant, { status: 'suspected-equivalent', inputs: opened.inputs })
    else note(mutant, { status: 'proven', witness, test })
  }
}

/** A prover of a file, or why it cannot be compared. */
async function proverOf({ workspace, ...file }: ProvedFile): Promise<Prover | string> {
  if (!comparable.test(file.path)) return 'only JavaScript, TypeScript and Python can be compared'
  if (!hasDirectory(workspace)) return 'its workspace has no directory'
  try {
    const prover = await openProver({ ...file, workspace })
    if (prover.inputs > 0) return prover
    await prover[Symbol.asyncDispose]()
    return 'the tests call no exported function of the file with literals to which it always answers alike'
  } catch (thrown) {
    file.signal.throwIfAborted()
    return thrown instanceof Error ? thrown.message : String(thrown)
  }
}

function hasDirectory(workspace: Workspace): workspace is Workspace & { readonly root: string } {
  return workspace.root !== undefined
}
