import { rm } from 'node:fs/promises'
import { withoutUserInfo } from '@jurist/workspace/internal'
import { type LeftOut, leftOutWords } from './candidates.js'
import { itemId, writeItem } from './item.js'
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
  /** Lists items that are not validated yet: no run takes them. */
  readonly propose: (ids: readonly string[]) => Promise<void>
  readonly settle: (batch: readonly Mined[]) => Promise<void>
}

/** Opens what a project has found, and writes its `dataset.json`. */
async function openFoundItems(
  places: ProjectPlaces,
  { name, repoPath }: OpenRepository,
  earlier: ImportedState | undefined,
): Promise<FoundItems> {
  const items = [...(earlier?.items ?? [])]
  const leftOut: Record<string, LeftOut> = { ...earlier?.leftOut }
  const notes: Note[] = []
  const known = new Set([...items, ...Object.keys(leftOut)])
  const state = () => ({ name, repository: withoutUserInfo(repoPath), items: [...items], leftOut: { ...leftOut } })
  await saveState(places, state())
  return {
    state,
    notes: () => notes,
    looked: () => items.length + Object.keys(leftOut).length,
    isKnown: (hash) => known.has(hash) || known.has(itemId(hash)),
    propose: (ids) => saveState(places, state(), ids),
    async settle(batch) {
      for (const mined of batch) {
        if ('item' in mined) items.push(mined.item.id)
        else leftOut[mined.hash] = mined.leftOut
        const of = itemId(mined.hash)
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
  readonly mining: Omit<Mining, 'isKnown'>
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
  const { repository, places, mining, earlier, max, signal, onProgress } = importing
  const found = await openFoundItems(places, repository, earlier)
  const missing = () => max - found.state().items.length
  try {
    await reading(repository, signal, async (git) => {
      const mined = mine(git, { ...mining, isKnown: found.isKnown })
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
  const { repository, places, copy, validate, signal } = importing
  const items = batch.flatMap((mined) => ('item' in mined ? [mined.item] : []))
  const origin = { repoPath: repository.repoPath, repository: repository.directory, copy }
  for (const item of items) {
    await rm(places.item(item.id), { recursive: true, force: true })
    await writeItem(places.item(item.id), item, origin, signal)
  }
  await found.propose(items.map(({ id }) => id))
  const unsound =
    items.length === 0
      ? new Map<string, Unsound>()
      : await validate(
          items.map(({ id }) => id),
          signal,
        )
  signal.throwIfAborted()
  for (const { id } of items) if (unsound.has(id)) await rm(places.item(id), { recursive: true, force: true })
  await found.settle(batch.map((mined) => settled(mined, unsound)))
}

function settled(mined: Mined, unsound: ReadonlyMap<string, Unsound>): Mined {
  const found = 'item' in mined ? unsound.get(mined.item.id) : undefined
  if (found === undefined) return mined
  const { leftOut, why } = found
  const notes = why === null ? [] : [`${leftOutWords[leftOut]}: ${why.split('\n', 1)[0]}`]
  return { hash: mined.hash, leftOut, notes }
}
