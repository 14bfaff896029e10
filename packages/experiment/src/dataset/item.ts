import type { AgentOutput, Json, JsonObject, Judge, Jury } from '@jurist/core'
import type { TestsLock } from '@jurist/workspace/commands'

/** Whether an item is in use. Only `active` items are selected unless a filter names a status. */
export type ItemStatus = 'active' | 'disabled' | 'deprecated'

export const itemStatuses: readonly ItemStatus[] = ['active', 'disabled', 'deprecated']

/** A few small text files, by their paths in the workspace. */
export interface ItemFiles {
  readonly type: 'files'
  readonly files: Readonly<Record<string, string>>
}

/** Where the files of an item come from: an absolute directory, one commit of a git repository, or the item itself. */
export type ItemSource =
  | { readonly type: 'directory'; readonly path: string }
  | {
      readonly type: 'git'
      readonly repoPath: string
      readonly commitHash: string
      readonly subDirectory: string | null
    }
  | ItemFiles

/** One commit of a git repository. */
export type GitSource = Extract<ItemSource, { readonly type: 'git' }>

/** Facts about an item that are known before it is read: its line in the manifest, or the leading columns of its row. */
export interface DatasetEntry {
  readonly id: string
  readonly slug: string
  /** The directory of the item, relative to the dataset; `null` for rows and items in memory. */
  readonly path: string | null
  readonly bucket: string
  readonly taskType: string
  readonly status: ItemStatus
  /** Metadata from the manifest; `{}` for rows, whose metadata belongs to the item. */
  readonly metadata: JsonObject
}

/** Settings of an item for its own trials. `null`: the experiment decides. */
export interface ItemSettings {
  /** Described judges, or the name of a jury, as the dataset has them. */
  readonly judges: Json | null
  /** Milliseconds for the agent. */
  readonly timeoutMs: number | null
  /** How often the item runs. */
  readonly repetitions: number | null
  /** The container image of its sandbox. */
  readonly image: string | null
}

/** One task of a dataset, with everything that is needed to set it and to judge it. Deeply frozen. */
export interface DatasetItem extends DatasetEntry, ItemSettings {
  readonly task: string
  /** Input of agents in addition to the prompt, which templates read as `{{input.<key>}}`; `null`: none. */
  readonly input: JsonObject | null
  /** The right answer is to change nothing. */
  readonly noChange: boolean
  readonly tags: readonly string[]
  readonly knowledgeRefs: readonly string[]
  /** The initial workspace; `null`: empty. */
  readonly before: ItemSource | null
  /** The right answer, where there is one. */
  readonly reference: ItemSource | null
  readonly expectedOutput: AgentOutput | null
  /** The data of `expectedOutput` is an array of answers, any of which is right. */
  readonly expectedAnyOf: boolean
  /** Sources an answer should rest on. */
  readonly referenceData: readonly string[]
  /** Its own jury, of an item in a program. It is not part of the hash. */
  readonly jury: Jury | Judge | null
  /** The named tests of `tests.lock.json`, where the item has one. It is not part of the hash. */
  readonly testsLock?: TestsLock | undefined
  /** SHA-256 (hex) over everything that defines the task: equal hashes, equal task. */
  readonly hash: string
}

/** An item whose hash was not asked for yet. */
export type UnhashedItem = Omit<DatasetItem, 'hash'>

const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/
const maxIdLength = 128

/** Why a string cannot be the id of an item, as the end of a sentence; `undefined` when it can. */
export function itemIdProblem(id: string): string | undefined {
  if (id.trim() === '') return 'is blank.'
  if (id.length > maxIdLength) return `is longer than ${maxIdLength} characters.`
  if (id === '.' || id === '..') return `${JSON.stringify(id)} means a directory.`
  if (/[/\\]/.test(id)) return `${JSON.stringify(id)} contains a slash.`
  return controlCharacter.test(id) ? `${JSON.stringify(id)} contains a control character.` : undefined
}

/** How to give an item a good id. */
export const itemIdRemedy = 'Give each item its own id: 1 to 128 characters, without slashes and control characters.'

/** The id of a row or an item that has none: its number, counted from 1, as wide as the last one. */
export function rowId(number: number, width: number): string {
  return `row-${String(number).padStart(width, '0')}`
}

/** Criteria for items. An item must match every criterion that is given; an array matches any of its values. */
export interface ItemCriteria {
  readonly id?: string | readonly string[]
  readonly slug?: string | readonly string[]
  readonly bucket?: string | readonly string[]
  /** The item has all of these tags. */
  readonly tags?: readonly string[]
  readonly taskType?: string | readonly string[]
  readonly noChange?: boolean
  /** `'any'`: every status. Without a status anywhere in a filter only active items are selected. */
  readonly status?: ItemStatus | readonly ItemStatus[] | 'any'
}

/** A selection of items: criteria, or filters under one operator. */
export type ItemFilter =
  | ItemCriteria
  | { readonly and: readonly ItemFilter[] }
  | { readonly or: readonly ItemFilter[] }
  | { readonly not: ItemFilter }
