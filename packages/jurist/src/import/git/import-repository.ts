import { rm } from 'node:fs/promises'
import { withoutUserInfo } from '@jurist/workspace/internal'
import { type ImportChoices, type LeftOut, leftOutWords, stillLeftOut } from './candidates.js'
import { type GitItem, writeItem } from './item.js'
import { type Mined, type Mining, mine } from './mine.js'
import { type OpenRepository, reading } from './open-repository.js'
import { type ImportedState, type ProjectPlaces, saveState } from './project.js'

/** What a person should look at: of an item, or of a commit that gave none. */
interface Note {
  readonly of: string
  readonly note: string
}

/** What an import has found so far. It is on disk after every step. */
interface FoundItems {
  readonly state: () => ImportedState
  readonly notes: () => readonly Note[]
  /** The number of commits that were looked at, also by earlier imports. */
  readonly looked: () => number
  readonly isKnown: (hash: string) => boolean
  /** The commits of the items, by their ids. */
  readonly taken: ReadonlyMap<string, string>
  /** Lists items that are not validated yet: no run takes them. */
  readonly propose: (ids: readonly string[]) => Promise<void>
  readonly settle: (batch: readonly Mined[]) => Promise<void>
}

const shortHash = 10

/** Opens what a project has found, and writes its `dataset.json`. */
async function openFoundItems(
  places: ProjectPlaces,
  { name, repoPath }: OpenRepository,
  earlier: ImportedState | undefined,
  choices: ImportChoices,
): Promise<FoundItems> {
  const items = [...(earlier?.items ?? [])]
  const leftOut: Record<string, LeftOut> =
    earlier === undefined ? {} : { ...stillLeftOut(earlier.leftOut, earlier.choices, choices) }
  const notes: Note[] = []
  const known = new Set([...items.map(({ commit }) => commit), ...Object.keys(leftOut)])
  const repository = withoutUserInfo(repoPath)
  const state = () => ({ name, repository, items: [...items], leftOut: { ...leftOut }, choices })
  await saveState(places, state())
  return {
    state,
    notes: () => notes,
    looked: () => items.length + Object.keys(leftOut).length,
    isKnown: (hash) => known.has(hash),
    taken: new Map(items.map(({ id, commit }) => [id, commit])),
    propose: (ids) => saveState(places, state(), ids),
    async settle(batch) {
      for (const mined of batch) {
        if ('item' in mined) items.push({ id: mined.item.id, commit: mined.hash })
        else leftOut[mined.hash] = mined.leftOut
        const of = 'item' in mined ? mined.item.id : mined.hash.slice(0, shortHash)
        notes.push(...mined.notes.map((note) => ({ of, note })))
      }
      await saveState(places, state())
    },
  }
}

/** What is imported, and into which project. */
interface Importing {
  readonly repository: OpenRepository
  readonly places: ProjectPlaces
  readonly mining: Omit<Mining, 'isKnown' | 'taken'>
  readonly choices: ImportChoices
  /** What an earlier import left. */
  readonly earlier: ImportedState | undefined
  /** The number of items that the dataset shall have. */
  readonly max: number
  /** The files of the items are copied into the dataset. */
  readonly copy: boolean
  readonly validate: Validate
  readonly onProgress: (progress: ImportProgress) => void
  readonly signal: AbortSignal
}

/** Why an item is unsound, and what its trials say of it; `null`: nothing more. */
export interface Unsound {
  readonly leftOut: LeftOut
  readonly why: string | null
}

/** Says which of these items of the dataset are unsound. All others are sound. */
type Validate = (ids: readonly string[], signal: AbortSignal) => Promise<ReadonlyMap<string, Unsound>>

/** How far an import is. */
interface ImportProgress {
  readonly looked: number
  readonly items: number
  readonly max: number
}

/** What an import made. */
export interface Imported {
  readonly state: ImportedState
  /** What a person should look at. */
  readonly notes: readonly Note[]
  /** Whether the signal ended it early. */
  readonly stopped: boolean
}

/** Items that are validated together: fewer cost more starts, more cost time after the last one that is needed. */
const batchSize = 8

/**
 * Makes items of commits, newest first, until there are enough of them. What is finished stays when it is stopped.
 *
 * @throws `git-failed`
 */
export async function importRepository(importing: Importing): Promise<Imported> {
  const { repository, places, mining, choices, earlier, max, signal, onProgress } = importing
  const found = await openFoundItems(places, repository, earlier, choices)
  const missing = () => max - found.state().items.length
  try {
    await reading(repository, signal, async (git) => {
      const mined = mine(git, { ...mining, isKnown: found.isKnown, taken: found.taken })
      if (missing() <= 0) return
      for await (const batch of batches(mined, () => Math.min(batchSize, missing()))) {
        await settle(importing, found, batch)
        onProgress({ looked: found.looked(), items: found.state().items.length, max })
        if (missing() <= 0) return
      }
    })
  } catch (thrown) {
    if (!signal.aborted) throw thrown
  }
  return { state: found.state(), notes: found.notes(), stopped: signal.aborted }
}

/** Groups with equal numbers of items, and with all commits between them. */
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

/** Writes the items of a batch, and takes those away again that are unsound. */
async function settle(importing: Importing, found: FoundItems, batch: readonly Mined[]): Promise<void> {
  const { places, choices, signal } = importing
  const items = batch.flatMap((mined) => ('item' in mined ? [mined.item] : []))
  const propose = () => found.propose(items.map(({ id }) => id))
  const unsound = new Map(await tried(importing, items, propose))
  // Tests that hold objects of the code cannot run in another process than the code.
  const together = new Map<string, string | null>()
  if (choices.isolate !== true) {
    const others = items.filter(({ id }) => mayNotBeIsolated.has(unsound.get(id)?.leftOut ?? 'first-commit'))
    const still = await tried(
      importing,
      others.map((item) => ({ ...item, judge: inOneProcess(item.judge) })),
      propose,
    )
    for (const { id } of others) {
      const found = still.get(id)
      if (found === undefined) together.set(id, unsound.get(id)?.why ?? null)
      if (found === undefined) unsound.delete(id)
      else unsound.set(id, found)
    }
  }
  signal.throwIfAborted()
  for (const { id } of items) if (unsound.has(id)) await rm(places.item(id), { recursive: true, force: true })
  await found.settle(batch.map((mined) => settled(mined, unsound, together)))
}

/** Reasons that an item may have only because its code runs in a separate process. */
const mayNotBeIsolated: ReadonlySet<LeftOut> = new Set<LeftOut>([
  'reference-fails',
  'not-judged',
  'flaky',
  'no-named-test',
])

function inOneProcess({ isolate: _, ...judge }: GitItem['judge']): GitItem['judge'] {
  return judge
}

/** Writes items, and says which of them are unsound. */
async function tried(
  { repository, places, copy, validate, signal }: Importing,
  items: readonly GitItem[],
  propose: () => Promise<void>,
): Promise<ReadonlyMap<string, Unsound>> {
  if (items.length === 0) return new Map()
  const origin = { repoPath: repository.repoPath, repository: repository.directory, copy }
  for (const item of items) {
    await rm(places.item(item.id), { recursive: true, force: true })
    await writeItem(places.item(item.id), item, origin, signal)
  }
  await propose()
  return validate(
    items.map(({ id }) => id),
    signal,
  )
}

function settled(
  mined: Mined,
  unsound: ReadonlyMap<string, Unsound>,
  together: ReadonlyMap<string, string | null>,
): Mined {
  if (!('item' in mined)) return mined
  const { id } = mined.item
  const found = unsound.get(id)
  if (found !== undefined) {
    const { leftOut, why } = found
    const notes = why === null ? [] : [`${leftOutWords[leftOut]}: ${firstLine(why)}`]
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
