import { withoutUserInfo } from '@jurist/workspace/internal'
import type { LeftOut } from './candidates.js'
import { itemId } from './item.js'
import type { Mined } from './mine.js'
import type { OpenRepository } from './open-repository.js'
import { type ImportedState, type ProjectPlaces, saveState } from './project.js'

/** What a person should look at: of an item, or of a commit that gave none. */
export interface Note {
  readonly of: string
  readonly note: string
}

/** What an import has found so far. It is on disk after every step. */
export interface FoundItems {
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
export async function openFoundItems(
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
