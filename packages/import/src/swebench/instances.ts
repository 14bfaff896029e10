import type { Json, JsonObject } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { record } from '@jurist/experiment/internal/config'
import { parseOrUndefined } from '@jurist/kit/json'
import * as v from 'valibot'
import { checked, placed } from '../traces/checked.js'
import type { TraceDocument } from '../traces/trace-files.js'

/** An instance of SWE-bench, with the names of its dataset. */
export type Instance = v.InferOutput<typeof instanceSchema>

export type ReadInstances =
  | { readonly instances: readonly Instance[]; readonly notes: readonly string[] }
  | { readonly problems: readonly string[] }

const mostInstances = 100_000
const mostTests = 200_000
const mostPatchCharacters = 20_000_000

/** Fields that items keep unchanged. */
export const keptFields = ['environment_setup_commit', 'created_at', 'image', 'difficulty', 'language'] as const

/** The reasons why known fields are left out. */
const leftOut: Readonly<Record<string, string>> = {
  hints_text: 'no agent is given hints',
  eval_script: 'give --test-command',
  image_assets: 'binary files are not fetched',
}

/** Reads the instances of a file and reports every problem. */
export function readInstances(documents: readonly TraceDocument[]): ReadInstances {
  const problems: string[] = []
  const rows = instanceRows(documents, (problem) => problems.push(problem))
  if (rows.length > mostInstances)
    return { problems: [`it has ${rows.length} instances, and at most ${mostInstances} are read`] }
  const instances = rows.flatMap(({ value, place }) => {
    const read = readInstance(value, (problem) => problems.push(placed(place, problem)))
    return read === undefined ? [] : [read]
  })
  const seen = new Set<string>()
  for (const { instance_id: id } of instances) {
    if (seen.has(id)) problems.push(`${id} occurs more than once`)
    seen.add(id)
  }
  if (rows.length === 0) problems.push('it has no instance')
  return problems.length > 0 ? { problems } : { instances, notes: notesOf(rows) }
}

type Report = (problem: string) => void

function matching(fits: RegExp, wants: string): v.GenericSchema<string> {
  return v.pipe(v.string(wants), v.regex(fits, wants))
}

const patchWanted = `must be a patch of at most ${mostPatchCharacters} characters`
const patch = v.pipe(v.string(patchWanted), v.maxLength(mostPatchCharacters, patchWanted))

const testsWanted = `must be an array of at most ${mostTests} strings, or such an array as JSON`
/** A list of ids: an array, or in older datasets an array as JSON in a string. */
const tests = v.pipe(
  v.unknown(),
  v.transform((given) => (typeof given === 'string' ? (parseOrUndefined(given) ?? given) : given)),
  v.array(v.string('must be a string'), testsWanted),
  v.maxLength(mostTests, testsWanted),
)

/** A field that is ignored unless it is a non-empty string. */
const perhaps = v.fallback(v.optional(v.pipe(v.string(), v.nonEmpty())), undefined)

const entries = {
  instance_id: matching(
    /^(?!.*\.\.|.*\.lock$)[A-Za-z0-9](?:[\w.-]{0,118}[\w-])?$/,
    'must be at most 120 letters, digits, ".", "_", "-"',
  ),
  repo: matching(/^[A-Za-z0-9_][\w.-]*\/[A-Za-z0-9_][\w.-]*$/, 'must be an owner and a name, such as "owner/name"'),
  base_commit: matching(/^[0-9a-f]{7,64}$/, 'must be the hash of a commit'),
  problem_statement: matching(/\S/, 'must be a string that is not blank'),
  patch,
  test_patch: patch,
  FAIL_TO_PASS: tests,
  PASS_TO_PASS: tests,
  /** Newer datasets name the parser and the kind of logs. */
  log_parser: perhaps,
  eval_type: perhaps,
  version: perhaps,
  environment_setup_commit: perhaps,
  created_at: perhaps,
  image: perhaps,
  difficulty: perhaps,
  language: perhaps,
}
const instanceSchema = v.pipe(record, v.object(entries))

function readInstance(value: unknown, report: Report): Instance | undefined {
  if (isPlainObject(value) && (value['f2p_tests'] !== undefined || value['fix_patch'] !== undefined)) {
    report(
      'is an instance of Multi-SWE-bench, which names its tests by a program for each repository. It cannot be imported',
    )
    return undefined
  }
  const found = checked(instanceSchema, value)
  if ('problems' in found) return void found.problems.forEach(report)
  return found.value
}

/** Returns a note for each field that is not imported. */
function notesOf(rows: readonly TraceDocument[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { value } of rows)
    for (const name of Object.keys(value as object))
      if (!Object.hasOwn(entries, name)) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].map(([name, count]) => {
    const why = Object.hasOwn(leftOut, name) ? leftOut[name] : 'unknown'
    return `${name}: ${why} (${count} of ${rows.length} instances)`
  })
}

/**
 * Reads rows in every JSON form into which tools convert parquet files: one row per line, an array of rows, the `rows`
 * of a dataset viewer, or an object of columns.
 *
 * @param report receives rows that are incomplete
 */
function instanceRows(
  documents: readonly TraceDocument[],
  report: (problem: string) => void,
): readonly TraceDocument[] {
  return documents.flatMap(({ value, place }): readonly TraceDocument[] => {
    if (Array.isArray(value)) return value.map((one: Json, at) => ({ value: one, place: `[${at}]` }))
    if (!isPlainObject(value) || place !== '') return [{ value, place }]
    if (Array.isArray(value['rows'])) return value['rows'].map((one, at) => viewerRow(one, `rows[${at}]`, report))
    const ids = value['instance_id']
    return typeof ids === 'object' && ids !== null ? columnRows(value, Object.keys(ids)) : [{ value, place }]
  })
}

/** Reads a row of a dataset viewer, which truncates long values. */
function viewerRow(given: Json, place: string, report: (problem: string) => void): TraceDocument {
  if (!isPlainObject(given)) return { value: given, place }
  const { row = given, truncated_cells: cut } = given
  if (Array.isArray(cut) && cut.length > 0)
    report(`${place}: ${cut.join(', ')} ${cut.length === 1 ? 'is' : 'are'} cut. Get the whole row`)
  return { value: row as Json, place }
}

/** Converts columns to rows. A column is an array, or an object of values by row number. */
function columnRows(columns: Readonly<Record<string, unknown>>, keys: readonly string[]): readonly TraceDocument[] {
  return keys.map((key) => {
    const cells = Object.entries(columns).flatMap(([name, column]) => {
      const isColumn = typeof column === 'object' && column !== null && Object.hasOwn(column, key)
      return isColumn ? [[name, Reflect.get(column, key)]] : []
    })
    return { value: Object.fromEntries(cells) as JsonObject, place: `row ${key}` }
  })
}
