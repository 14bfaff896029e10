import { rm } from 'node:fs/promises'
import { withoutUserInfo } from '@jurist/workspace/internal'
import { itemDirectory } from '../write-project.js'
import { type ImportChoices, type LeftOut, leftOutWords, stillLeftOut } from './candidates.js'
import { type GitItem, writeItem } from './item.js'
import { type Mined, type Mining, mine } from './mine.js'
import { type OpenRepository, reading } from './open-repository.js'
import { type ImportedState, saveState } from './project.js'

const shortHash = 10

/** A note for the user about an item, or about a commit that gave no item. */
interface Note {
  readonly of: string
  readonly note: string
}

/** The settings of an import, and its target. */
interface Importing {
  readonly repository: OpenRepository
  readonly root: string
  readonly mining: Omit<Mining, 'isKnown' | 'taken'>
  readonly choices: ImportChoices
  /** The state that an earlier import left. */
  readonly earlier: ImportedState | undefined
  /** The number of items that the dataset should have. */
  readonly max: number
  /** Whether the files of the items are copied into the dataset. */
  readonly copy: boolean
  readonly validate: Validate
  readonly onProgress: (progress: { readonly looked: number; readonly items: number; readonly max: number }) => void
  readonly signal: AbortSignal
}

/** The reason why an item is unsound, and the explanation from its trials; `null` if there is no more to say. */
export interface Unsound {
  readonly leftOut: LeftOut
  readonly why: string | null
}

/** Returns the unsound items among these of the dataset. */
type Validate = (ids: readonly string[], signal: AbortSignal) => Promise<ReadonlyMap<string, Unsound>>

/** The result of an import. */
export interface Imported {
  readonly state: ImportedState
  /** Notes for the user. */
  readonly notes: readonly Note[]
  /** Whether the signal ended it early. */
  readonly stopped: boolean
}

/**
 * The number of items that are validated together. A smaller number costs more starts, a larger one more time after the
 * last item that is needed.
 */
const batchSize = 8

/**
 * Makes items of commits, newest first, until there are enough of them. After every step the result is on disk, so that
 * an interrupted import keeps it.
 *
 * @throws `git-failed`
 */
export async function importRepository(importing: Importing): Promise<Imported> {
  const { repository, root, mining, choices, earlier, max, signal, onProgress } = importing
  const { name } = repository
  const items = [...(earlier?.items ?? [])]
  const leftOut: Record<string, LeftOut> =
    earlier === undefined ? {} : { ...stillLeftOut(earlier.leftOut, earlier.choices, choices) }
  const notes: Note[] = []
  const state = { name, repository: withoutUserInfo(repository.repoPath), items, leftOut, choices }
  const save = (proposed: readonly string[] = []) => saveState(root, state, proposed)
  const known = new Set([...items.map(({ commit }) => commit), ...Object.keys(leftOut)])
  const taken = new Map(items.map(({ id, commit }) => [id, commit]))
  await save()
  try {
    await reading(repository, signal, async (git) => {
      const mined = mine(git, { ...mining, isKnown: (hash) => known.has(hash), taken })
      if (items.length >= max) return
      for await (const batch of batches(mined, () => Math.min(batchSize, max - items.length))) {
        for (const one of await settled(importing, batch, save)) {
          if ('item' in one) items.push({ id: one.item.id, commit: one.hash })
          else leftOut[one.hash] = one.leftOut
          const of = 'item' in one ? one.item.id : one.hash.slice(0, shortHash)
          notes.push(...one.notes.map((note) => ({ of, note })))
        }
        await save()
        onProgress({ looked: items.length + Object.keys(leftOut).length, items: items.length, max })
        if (items.length >= max) return
      }
    })
  } catch (thrown) {
    if (!signal.aborted) throw thrown
  }
  return { state, notes, stopped: signal.aborted }
}

/** Yields groups with the same number of items, together with all commits between them. */
async function* batches(mined: AsyncIterable<Mined>, size: () => number): AsyncGenerator<readonly Mined[]> {
  let batch: Mined[] = []
  for await (const one of mined) {
    batch.push(one)
    if (batch.filter((each) => 'item' in each).length < size()) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Writes the items of a batch, and removes the unsound ones again. */
async function settled(
  importing: Importing,
  batch: readonly Mined[],
  save: (proposed: readonly string[]) => Promise<void>,
): Promise<readonly Mined[]> {
  const { root, choices, signal } = importing
  const items = batch.flatMap((mined) => ('item' in mined ? [mined.item] : []))
  const propose = () => save(items.map(({ id }) => id))
  const unsound = new Map(await tried(importing, items, propose))
  // Tests that hold objects of the code cannot run in a separate process.
  const together = new Map<string, string | null>()
  if (choices.isolate !== true) {
    const others = items.filter(({ id }) => mayNotBeIsolated.has(unsound.get(id)?.leftOut ?? 'first-commit'))
    const inOneProcess = others.map(({ judge: { isolate: _, ...judge }, ...item }) => ({ ...item, judge }))
    const still = await tried(importing, inOneProcess, propose)
    for (const { id } of others) {
      const found = still.get(id)
      if (found === undefined) together.set(id, unsound.get(id)?.why ?? null)
      if (found === undefined) unsound.delete(id)
      else unsound.set(id, found)
    }
  }
  signal.throwIfAborted()
  for (const { id } of items) if (unsound.has(id)) await rm(itemDirectory(root, id), { recursive: true, force: true })
  return batch.map((mined) => outcomeOf(mined, unsound, together))
}

/** Reasons that may apply to an item only because its code runs in a separate process. */
const mayNotBeIsolated: ReadonlySet<LeftOut> = new Set<LeftOut>([
  'reference-fails',
  'not-judged',
  'flaky',
  'no-named-test',
])

/** Writes items and returns the unsound ones. */
async function tried(
  { repository, root, copy, validate, signal }: Importing,
  items: readonly GitItem[],
  propose: () => Promise<void>,
): Promise<ReadonlyMap<string, Unsound>> {
  if (items.length === 0) return new Map()
  const origin = { repoPath: repository.repoPath, repository: repository.directory, copy }
  for (const item of items) {
    await rm(itemDirectory(root, item.id), { recursive: true, force: true })
    await writeItem(itemDirectory(root, item.id), item, origin, signal)
  }
  await propose()
  return validate(
    items.map(({ id }) => id),
    signal,
  )
}

function outcomeOf(
  mined: Mined,
  unsound: ReadonlyMap<string, Unsound>,
  together: ReadonlyMap<string, string | null>,
): Mined {
  if (!('item' in mined)) return mined
  const { id } = mined.item
  const found = unsound.get(id)
  if (found !== undefined) {
    const { leftOut, why } = found
    const notes = why === null ? [] : [`${leftOutWords(leftOut)}: ${firstLine(why)}`]
    return { hash: mined.hash, leftOut, notes }
  }
  const why = together.get(id)
  if (why === undefined) return mined
  const note = `not isolated, tests and code run in one process${why === null ? '' : `: ${firstLine(why)}`}`
  return { ...mined, notes: [...mined.notes, note] }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
