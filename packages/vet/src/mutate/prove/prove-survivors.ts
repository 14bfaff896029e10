import type { Json, Workspace } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import type { DatasetItem, ExperimentOptions } from '@jurist/experiment'
import { trialKey } from '@jurist/experiment/internal/results'
import type { ExperimentResult } from '@jurist/experiment/result'
import { isTestFile } from '@jurist/kit/code-languages'
import { groupBy } from '@jurist/kit/group-by'
import { lookAtItems } from '../../derived-experiment.js'
import { type References, rightAnswer, textsIn } from '../../reference-agent.js'
import type { ProvingProgress } from '../mutate-options.js'
import type { MutantProof } from './mutant-proof.js'
import { type Comparison, openProver, type Prover, type Witness } from './prover.js'
import { type ProofKeeper, type ProofTerms, proofKeeper } from './stored-proofs.js'

export interface ProvingScene {
  readonly experiment: ExperimentOptions
  readonly dataset: ExperimentOptions['dataset']
  readonly items: ReadonlyMap<string, DatasetItem>
  readonly references: References
  readonly terms: ProofTerms
  readonly signal: AbortSignal
  readonly onProof: ((progress: ProvingProgress) => void) | undefined
}

/** Returns the proof for a survivor, given its item and repetition. */
export type ProofOf = (itemId: string, repetition: number) => MutantProof | undefined

/** A program of an item that is compared with its reference: a survivor, or a variant that the jury failed. */
export interface Compared {
  readonly itemId: string
  /** The repetition of its trial. */
  readonly repetition: number
  readonly path: string
  /** The file of the reference, and what replaces it. */
  readonly source: string
  readonly text: string
}

/**
 * Compares programs with their references, in new workspaces of the items with their sandbox, and stores the proofs
 * with the run. Programs that were already compared are skipped. They have no proof if the time runs out first.
 */
export async function proveSurvivors(
  survivors: readonly Compared[],
  result: ExperimentResult,
  scene: ProvingScene,
): Promise<ProofOf> {
  const proofs = new Map<string, MutantProof>()
  if (survivors.length > 0) {
    const keeper = await proofKeeper(scene.experiment, result, scene.terms)
    for (const { proof, ...trial } of keeper.stored) proofs.set(trialKey(trial), proof)
    try {
      const open = survivors.filter((survivor) => !proofs.has(trialKey(survivor)))
      if (open.length > 0 && !scene.signal.aborted) await proveOpen(open, { keeper, proofs, scene, result })
    } finally {
      await keeper.release()
    }
  }
  return (itemId, repetition) => proofs.get(trialKey({ itemId, repetition }))
}

interface Proving {
  readonly keeper: ProofKeeper
  readonly proofs: Map<string, MutantProof>
  readonly scene: ProvingScene
  readonly result: ExperimentResult
}

/** Compares the open survivors and stores each proof. If none stays open, the run is completed again. */
async function proveOpen(open: readonly Compared[], { keeper, proofs, scene, result }: Proving): Promise<void> {
  await keeper.begin()
  const stored = proofs.size
  let done = 0
  const tell = () => scene.onProof?.({ runId: result.id, done: stored + done, survivors: stored + open.length, stored })
  tell()
  await proveItems(open, scene, async (compared, proof) => {
    const { itemId, repetition } = compared
    await keeper.keep({ itemId, repetition, proof })
    proofs.set(trialKey(compared), proof)
    done += 1
    tell()
  })
  if (done === open.length) await keeper.finish()
}

type Note = (compared: Compared, proof: MutantProof) => Promise<void>

async function proveItems(
  survivors: readonly Compared[],
  { experiment, dataset, references, items, terms, signal: stopped }: ProvingScene,
  note: Note,
): Promise<void> {
  const ids = new Set(survivors.map(({ itemId }) => itemId))
  const filtered = { ...experiment, filter: { id: [...ids], status: 'any' } } as const
  const looked = { experiment: filtered, dataset, references, signal: stopped }
  await lookAtItems(looked, async ({ itemId, task, reference }) => {
    const { workspace, signal } = task
    if (reference === null) return
    const isTest = (path: string) => isTestFile(path) && comparable.test(path)
    const texts = [await textsIn(workspace, signal, isTest), await textsIn(reference, signal, isTest)]
    const tests = texts.flatMap((found) => [...found.values()])
    await rightAnswer(task, { item: items.get(itemId), reference, solution: experiment.vet?.solution })
    const own = groupBy(
      survivors.filter((survivor) => survivor.itemId === itemId),
      ({ path }) => path,
    )
    for (const [path, programs] of own) await proveFile({ ...terms, workspace, path, tests, signal }, programs, note)
  })
}

/** A file of a reference. */
interface ProvedFile {
  readonly workspace: Workspace
  readonly path: string
  readonly tests: readonly string[]
  readonly seed: number
  readonly budgetMs: number
  readonly signal: AbortSignal
}

/** Extensions of the languages whose code can run isolated from its tests. */
const comparable = /\.(?:[cm]?[jt]sx?|py)$/
/**
 * Compares programs that replace one file with the original.
 *
 * @throws the reason of `signal`; earlier results have been noted
 */
async function proveFile(file: ProvedFile, programs: readonly Compared[], note: Note): Promise<void> {
  const prover = await proverOf(file)
  if ('status' in prover) {
    for (const program of programs) await note(program, prover)
    return
  }
  await using opened = prover
  for (const program of programs) await note(program, proofOf(file, await opened.compare(program.text)))
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

/** Returns a prover for a file, or the reason why it cannot be compared. */
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

type WitnessLanguage = 'javascript' | 'python'

/** Prints a test that the mutant fails and the reference passes, ready to be added to the others. */
export function witnessTest(witness: Witness, language: WitnessLanguage): string {
  const { function: name, input, expected } = witness
  const print = (value: Json) => literal(value, language)
  const given = `${name}(${input.map(print).join(', ')})`
  const { returned, args } = partsOf(expected)
  if (language === 'python') {
    const title = `test_${name.replace(/\W/g, '_')}_witness`
    if (args === undefined) return `def ${title}():\n    assert ${given} == ${print(returned)}\n`
    const lines = [`args = [${input.map(print).join(', ')}]`, `assert ${name}(*args) == ${print(returned)}`]
    return `def ${title}():\n${[...lines, `assert args == ${print(args)}`].map((line) => `    ${line}\n`).join('')}`
  }
  const title = JSON.stringify(given.length > 80 ? `${given.slice(0, 79)}…` : given)
  if (args === undefined) return `test(${title}, () => assert.deepEqual(${given}, ${print(returned)}))\n`
  const lines = [
    `const args = [${input.map(print).join(', ')}]`,
    `assert.deepEqual(${name}(...args), ${print(returned)})`,
  ]
  return `test(${title}, () => {\n${[...lines, `assert.deepEqual(args, ${print(args)})`].map((line) => `  ${line}\n`).join('')}})\n`
}

/** Returns the returned value, and the final arguments if the function changed them. */
function partsOf(expected: Json): { readonly returned: Json; readonly args?: Json } {
  if (!isPlainObject(expected)) return { returned: expected }
  const { returned, arguments: args, ...rest } = expected as { readonly [key: string]: Json }
  const isChanged = returned !== undefined && Array.isArray(args) && Object.keys(rest).length === 0
  return isChanged ? { returned, args } : { returned: expected }
}

const words = { javascript: ['true', 'false', 'null'], python: ['True', 'False', 'None'] } as const

export function literal(value: Json, language: WitnessLanguage): string {
  const [yes, no, nothing] = words[language]
  if (value === null) return nothing
  if (typeof value === 'boolean') return value ? yes : no
  if (typeof value !== 'object') return JSON.stringify(value)
  const all = (values: readonly Json[]) => values.map((one) => literal(one, language)).join(', ')
  if (Array.isArray(value)) return `[${all(value)}]`
  const record = value as { readonly [key: string]: Json }
  if (typeof record['$'] === 'string') return special(record['$'], record['is'] ?? null, language)
  return `{${Object.entries(record)
    .map(([key, one]) => `${JSON.stringify(key)}: ${literal(one, language)}`)
    .join(', ')}}`
}

function special(kind: string, is: Json, language: WitnessLanguage): string {
  const all = Array.isArray(is) ? is.map((one) => literal(one, language)) : []
  switch (kind) {
    case 'tuple':
      return `(${all.join(', ')}${all.length === 1 ? ',' : ''})`
    case 'set':
      if (language === 'javascript') return `new Set([${all.join(', ')}])`
      return all.length === 0 ? 'set()' : `{${all.join(', ')}}`
    case 'map':
      return `new Map([${all.join(', ')}])`
    case 'dict':
      return `dict([${all.join(', ')}])`
    case 'bigint':
      return `${String(is)}n`
    case 'number':
    case 'int':
      return String(is)
    case 'undefined':
      return 'undefined'
    case 'date':
      return `new Date(${literal(is, language)})`
    case 'regexp':
      return `new RegExp(${all.join(', ')})`
    default:
      return JSON.stringify({ $: kind, is })
  }
}
