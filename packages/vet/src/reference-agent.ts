import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentOutput, AgentTask, Workspace } from '@jurist/core'
import type { DatasetItem, Provision } from '@jurist/experiment'
import { type Solution, solutionOf } from '@jurist/experiment/internal'
import { trialKey } from '@jurist/experiment/internal/results'

/** The name of trials with the right answer. */
export const referenceName = 'reference'

/** The references of running trials. */
export interface References {
  /** Provides the same workspaces, and remembers the reference of each. */
  readonly provision: Provision
  of(itemId: string, repetition: number): Workspace | null
}

/** Remembers the references that a provision opens. */
export function rememberedReferences(provision: Provision): References {
  const known = new Map<string, Workspace | null>()
  const remembering: Provision = async (request) => {
    const lease = await provision(request)
    const key = trialKey({ itemId: request.item.id, repetition: request.repetition })
    known.set(key, lease.reference)
    return Object.create(lease, {
      [Symbol.asyncDispose]: {
        value: async () => {
          known.delete(key)
          await lease[Symbol.asyncDispose]()
        },
      },
    })
  }
  const isolation = provision.isolation?.bind(provision)
  return {
    provision: isolation === undefined ? remembering : Object.assign(remembering, { isolation }),
    of: (itemId, repetition) => known.get(trialKey({ itemId, repetition })) ?? null,
  }
}

export interface RightAnswer {
  readonly item: DatasetItem | undefined
  readonly reference: Workspace | null
  /** Globs of the files of the reference that an agent would write. Default: all but tests. */
  readonly solution: readonly string[] | undefined
}

/** Gives the right answer of an item: applies its reference to the workspace, and returns the expected output. */
export async function rightAnswer(
  task: AgentTask,
  { item, reference, solution }: RightAnswer,
): Promise<AgentOutput | undefined> {
  if (reference !== null) await layReference(task, { item, reference, solution })
  const { expectedOutput = null, expectedAnyOf = false } = item ?? {}
  if (expectedOutput === null) return undefined
  const isSeveral = expectedAnyOf && expectedOutput.type === 'structured' && Array.isArray(expectedOutput.data)
  if (!isSeveral) return expectedOutput
  const [first = null] = expectedOutput.data as readonly AgentOutput[]
  return typeof first === 'string' ? { type: 'text', text: first } : { type: 'structured', data: first as never }
}

/**
 * Applies the solution of a reference to a workspace. A commit contains the whole tree, so other files are removed; a
 * directory may contain only part of it.
 */
async function layReference({ workspace, signal }: AgentTask, right: RightAnswer): Promise<void> {
  const { item, reference } = right
  if (reference === null) return
  const { files, isPart } = await solutionIn(reference, right.solution, signal)
  await copiedInto({ workspace, signal }, reference, files)
  if (item?.reference?.type !== 'git') return
  for (const path of await filesIn(workspace, signal))
    if (isPart(path) && !(await reference.exists(path))) await workspace.remove(path)
}

/** Copies files of another workspace, and keeps programs executable. */
export async function copiedInto(
  { workspace, signal }: Pick<AgentTask, 'workspace' | 'signal'>,
  from: Workspace,
  files: readonly string[],
): Promise<void> {
  for (const path of files) await workspace.write(path, await from.readBytes(path))
  const programs = files.filter((path) => isProgram(from, path) && !isProgram(workspace, path))
  if (programs.length > 0) await workspace.run(['chmod', '+x', '--', ...programs], { signal })
}

/** Returns the paths of all files but those of git. */
export async function filesIn(workspace: Workspace, signal: AbortSignal): Promise<readonly string[]> {
  const all: string[] = []
  for await (const { path, type } of workspace.list({ signal }))
    if (type === 'file' && !path.startsWith('.git/')) all.push(path)
  return all
}

/** The largest file that is read as text, in bytes, and the most characters of all files. */
const [mostBytes, mostCharacters] = [500_000, 10_000_000]

/** Reads files as texts, by path. Those that are large or not text are left out. */
export async function textsIn(
  workspace: Workspace,
  signal: AbortSignal,
  isWanted: (path: string) => boolean,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  let left = mostCharacters
  for (const path of await filesIn(workspace, signal)) {
    if (!isWanted(path) || left <= 0) continue
    const text = await workspace.read(path, { maxBytes: mostBytes }).catch(() => undefined)
    if (text === undefined) continue
    texts.set(path, text)
    left -= text.length
  }
  return texts
}

/** Whether a file is executable. Unknown without a directory. */
function isProgram({ root }: Workspace, path: string): boolean {
  return root !== undefined && (lstatSync(join(root, path)).mode & 0o111) !== 0
}

/** Returns the solution in a reference, from all of its files. */
export async function solutionIn(
  reference: Workspace,
  globs: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<Solution> {
  return solutionOf(await filesIn(reference, signal), globs)
}
