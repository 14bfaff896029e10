import { realpathSync } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { optionInvalid, printed } from '@jurist/core/internal'

// A dataset is data, often from elsewhere, so describing a judge in it must not be a way to run code.

/** The permissions of the judges of an item. */
export interface DataLimits {
  /** The directory that paths may not leave; `null` if they may lead anywhere. */
  readonly root: string | null
  /** Whether the item's own directory is known. Otherwise its judges cannot contain paths. */
  readonly isPlaced: boolean
  /** Whether they may load modules and describe models, as the judges of a config. */
  readonly isTrusted: boolean
  readonly mayRunCommands: boolean
}

/** The place of a description, with its permissions. */
interface Limited {
  readonly directory: string
  readonly data?: DataLimits
}

/** Completes the remedy for a description that requires a trusted dataset. */
export function untrusted(remedy: string): string {
  return `${remedy}, or set "trustItems": true for a dataset that you trust like the config.`
}

/**
 * Refuses an option that only a config or a trusted dataset may contain.
 *
 * @throws `option-invalid`
 */
export function refuseUntrusted({ data }: Limited, option: string, problem: string, remedy: string): void {
  if (data?.isTrusted !== false) return
  const message = `${option}: an item ${problem}. ${untrusted(remedy.replace(/\.$/, ''))}`
  optionInvalid(option, message)
}

/**
 * Returns the absolute form of a path in a description. A path of an item stays inside the dataset, even through links.
 *
 * @throws `option-invalid`
 */
export function pathIn({ directory, data }: Limited, path: string): string {
  const absolute = resolve(directory, path)
  if (data === undefined) return absolute
  if (!data.isPlaced) return refusePath(path, 'has no place: the directory of the item is not known')
  if (data.root === null || isInside(data.root, absolute)) return absolute
  return refusePath(path, 'leads out of the dataset')
}

function refusePath(path: string, problem: string): never {
  const message = `the path ${printed(path)} ${problem}. Name a place in the dataset, relative to the item.`
  optionInvalid('path', message)
}

function isInside(root: string, absolute: string): boolean {
  const from = relative(realPath(root), realPath(absolute))
  return from !== '..' && !from.startsWith(`..${sep}`) && !isAbsolute(from)
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    // The judge reports a path that does not exist.
    return path
  }
}
