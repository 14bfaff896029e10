import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { arrayOf, type FieldRules, hasFields, type OptionRule, option, optionInvalid } from '@jurist/core/internal'
import { parseOrUndefined } from '@jurist/kit/json'
import { type Mutant, mutated } from './mutants.js'

/** The name of the file in an item's directory that contains its marks. */
export const marksFile = 'mutants.lock.json'

/**
 * Marks a mutant as equivalent to the reference, as decided by a person. The text identifies it, since lines may move.
 */
export interface MutantMark {
  readonly path: string
  /** The source lines that the mutant changes, without surrounding space. */
  readonly before: string
  /** The lines after the change. */
  readonly after: string
}

/** The marks of an item with their reasons. */
export type MarkedMutants = readonly (MutantMark & { readonly reason: string })[]

export function markOf(path: string, source: string, mutant: Mutant): MutantMark {
  const from = source.lastIndexOf('\n', mutant.start - 1) + 1
  const found = source.indexOf('\n', mutant.end)
  const to = found === -1 ? source.length : found
  const after = mutated(source.slice(from, to), {
    ...mutant,
    start: mutant.start - from,
    end: mutant.end - from,
  })
  return { path, before: source.slice(from, to).trim(), after: after.trim() }
}

/**
 * Reads the marks in the directory of an item: `{ "equivalent": [{ "path", "before", "after", "reason" }] }`.
 *
 * @throws `option-invalid` with the file and the problem
 */
export async function readMarks(directory: string | null): Promise<MarkedMutants> {
  const form = '{ "equivalent": [{ "path": …, "before": …, "after": …, "reason": … }] }'
  const read = await lockIn<{ readonly equivalent: MarkedMutants }>(directory, marksFile, marksRules, form)
  return read?.equivalent ?? []
}

/** Reads a file in the directory of an item; `undefined` if it does not exist. */
export async function lockIn<Lock extends object>(
  directory: string | null,
  name: string,
  rules: FieldRules,
  form: string,
): Promise<Lock | undefined> {
  const file = join(directory ?? '', name)
  const text = directory === null ? undefined : await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const read = parseOrUndefined(text)
  if (!hasFields<Lock>(read, rules)) optionInvalid(name, `${file}: must be ${form}, with strings.`)
  return read
}

const filled: OptionRule = {
  wants: 'a string that is not empty',
  holds: (value) => option.string.holds(value) && value !== '',
}
const mark = { path: filled, before: filled, after: filled, reason: filled }
const marksRules: FieldRules = {
  equivalent: arrayOf('an array of marks', { holds: (value) => hasFields(value, mark) }),
}
