import type { Read } from './read.js'
import { optional, readCount, readFlag, readList, readObject, readRate, readText } from './read.js'

/** One thing a judge looked at: the evidence under a judgment. */
export interface Check {
  readonly name: string
  readonly passed: boolean
  /** May be empty. */
  readonly message: string
  /** Within [0, 1]. */
  readonly score?: number
  /** Where: a path of the workspace and a line, counted from 1. */
  readonly location?: { readonly path: string; readonly line?: number }
}

const readName: Read<string> = (value, place, raise) =>
  readText(value, place, raise).trim() === '' ? raise(place, 'must not be blank') : (value as string)

/** Checks as a frozen copy. */
export const readChecks: Read<readonly Check[]> = readList(
  readObject<Check>({
    name: readName,
    passed: readFlag,
    message: readText,
    score: optional(readRate),
    location: optional(readObject<Required<Check>['location']>({ path: readText, line: optional(readCount(1)) })),
  }),
)
