import { readFileSync, statSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import type { JsonObject } from '@jurist/core'
import { isPlainObject, printed } from '@jurist/core/internal'
import { parseObject } from '@jurist/kit/json'
import * as v from 'valibot'
import { anyText, fields, record, text } from '../fields.js'
import { columnMap } from './columns.js'
import { containedPath, leavesThroughLink } from './contained.js'
import type { ColumnMap, OpenDatasetOptions } from './dataset.js'
import { type DatasetEntry, itemIdProblem, itemIdRemedy } from './item.js'
import { checkAt, readMetadata, status, unknownKeyRemedy } from './item-fields.js'
import { collectProblems, type Identity, type Report, reportDuplicates, type Spot } from './problem.js'
import type { Opening } from './read-dataset.js'
import { openRows, rowFormats } from './row-dataset.js'

/**
 * The content of `dataset.json`. An entry with errors is included if its id and path are valid, so that its item is
 * checked too.
 */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly metadata: JsonObject
  readonly entries: readonly ManifestEntry[]
}

/** An entry of a manifest always has a path. */
export type ManifestEntry = DatasetEntry & { readonly path: string }

/** The name of the file that makes a directory a dataset. */
export const manifestFile = 'dataset.json'

const headSchema = fields(
  {
    schemaVersion: v.literal(1, 'must be the number 1'),
    name: text,
    version: text,
    description: v.exactOptional(anyText),
    metadata: v.exactOptional(record),
    items: v.array(v.unknown(), 'must be an array'),
  },
  { others: ['$schema'], remedy: unknownKeyRemedy },
)

const entrySchema = fields(
  {
    id: text,
    path: text,
    slug: v.exactOptional(text),
    bucket: v.exactOptional(anyText),
    taskType: v.exactOptional(anyText),
    recipe: v.exactOptional(anyText),
    status: v.exactOptional(status),
    metadata: v.exactOptional(record),
  },
  { remedy: unknownKeyRemedy },
)

/**
 * Reads the value of a `dataset.json` and reports every issue.
 *
 * @param root the real path of the dataset's directory
 */
export function readManifest(
  value: unknown,
  root: string,
  { allowLegacyRecipe = true }: OpenDatasetOptions,
  report: Report,
): Manifest | undefined {
  const spot: Spot = { file: manifestFile, item: null, prefix: '', report }
  const given = checkAt(record, value, spot)
  if (given === undefined) return undefined
  const head = checkAt(headSchema, given, spot)
  const listed: readonly unknown[] = Array.isArray(given.items) ? given.items : []
  const entries = listed.map((entry, index) => readEntry(entry, index, { root, allowLegacyRecipe, report }))
  // A slug that only the item itself has; the default, which is the id, is checked as that.
  const identities = listed.map(identityOf).map((one, index) => {
    const { id, slug } = entries[index] ?? {}
    return slug === id ? one : { ...one, slug }
  })
  reportDuplicates(manifestFile, identities, report)
  return {
    name: head?.name ?? basename(root),
    version: head?.version ?? '',
    description: head?.description ?? '',
    metadata: readMetadata(given.metadata, spot),
    entries: Object.freeze(entries.filter((entry) => entry !== undefined)),
  }
}

function identityOf(entry: unknown): Identity {
  const { id, slug, path } = isPlainObject(entry) ? entry : ({} as Readonly<Record<string, unknown>>)
  const contained = typeof path === 'string' ? containedPath(path) : undefined
  return { id: nonBlank(id), slug: nonBlank(slug), path: contained?.ok ? contained.path : undefined }
}

function nonBlank(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

interface EntryReading {
  readonly root: string
  readonly allowLegacyRecipe: boolean
  readonly report: Report
}

function readEntry(value: unknown, index: number, reading: EntryReading): ManifestEntry | undefined {
  const prefix = `items[${index}]`
  const given = checkAt(record, value, { file: manifestFile, item: null, prefix, report: reading.report })
  if (given === undefined) return undefined
  const id = typeof given.id === 'string' ? given.id : null
  const spot: Spot = { file: manifestFile, item: id, prefix, report: reading.report }
  const checked = checkAt(entrySchema, given, spot)
  const path = readPath(given.path, spot, reading.root)
  if (id === null || id.trim() === '') return undefined
  const problem = itemIdProblem(id)
  if (problem !== undefined)
    reading.report({ file: manifestFile, item: id, field: `${prefix}.id`, problem, remedy: itemIdRemedy })
  if (problem !== undefined || path === undefined) return undefined
  const recipe = reading.allowLegacyRecipe ? checked?.recipe : undefined
  const own = fieldsOfItem(join(reading.root, path, 'item.json'))
  return Object.freeze({
    id,
    slug: checked?.slug ?? own.slug ?? id,
    path,
    bucket: checked?.bucket ?? own.bucket ?? '',
    taskType: checked?.taskType ?? recipe ?? own.taskType ?? '',
    status: checked?.status ?? own.status ?? 'active',
    metadata: readMetadata(given.metadata, spot),
  })
}

const ownSchemas = { slug: text, bucket: anyText, taskType: anyText, status }
const mostBytes = 1024 * 1024

/**
 * Fields of the item's own file that supplement `dataset.json`, since items are selected before they are read. Errors in
 * the file are reported when the item is read.
 */
function fieldsOfItem(file: string): {
  readonly [key in keyof typeof ownSchemas]?: v.InferOutput<(typeof ownSchemas)[key]>
} {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found?.isFile() !== true || found.size > mostBytes) return {}
  const given = parseObject(readFileSync(file, 'utf8')) ?? {}
  const sound = Object.entries(ownSchemas).filter(([key, schema]) => v.is(schema, given[key]))
  return Object.fromEntries(sound.map(([key]) => [key, given[key]]))
}

function readPath(value: unknown, { file, item, prefix, report }: Spot, root: string): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined
  const contained = containedPath(value)
  const field = `${prefix}.path`
  const directory = `${basename(root)}/`
  if (!contained.ok) {
    const escapes = contained.reason === 'escapes'
    const problem = `${printed(value)} ${escapes ? 'leaves the dataset' : 'is not a path'}.`
    const remedy = escapes ? `Move the item below ${directory}.` : 'Write a relative path with "/".'
    report({ file, item, field, problem, remedy })
    return undefined
  }
  if (leavesThroughLink(root, join(root, contained.path))) {
    const problem = `${printed(value)} leaves the dataset through a link.`
    report({ file, item, field, problem, remedy: `Put the item itself below ${directory}.` })
    return undefined
  }
  return contained.path
}

const rowsSchema = fields(
  {
    schemaVersion: v.literal(1, 'must be the number 1'),
    name: text,
    version: text,
    description: v.exactOptional(anyText, ''),
    metadata: v.exactOptional(record),
    rows: text,
    columns: v.exactOptional(columnMap),
  },
  { others: ['$schema'], renamed: { items: 'rows' }, remedy: unknownKeyRemedy },
)

/**
 * Opens the file of rows that a `dataset.json` names, with the columns that it names.
 *
 * @param columns names that win over those of the manifest
 * @param root the real path of the dataset's directory
 */
export async function openManifestRows(
  value: Readonly<Record<string, unknown>>,
  root: string,
  columns: ColumnMap,
): Promise<Opening> {
  const { problems, report } = collectProblems()
  const spot: Spot = { file: manifestFile, item: null, prefix: '', report }
  const given = checkAt(rowsSchema, value, spot)
  const path = given === undefined ? undefined : rowsPath(given.rows, root, report)
  if (given === undefined || path === undefined) return { source: null, problems }
  const { name, version, description } = given
  const opened = await openRows(path.absolute, path.format, { ...given.columns, ...columns })
  const head = { name, version, description, metadata: readMetadata(given.metadata, spot) }
  return { source: opened.source && { ...opened.source, ...head }, problems: [...problems, ...opened.problems] }
}

function rowsPath(rows: string, root: string, report: Report) {
  const refuse = (problem: string, remedy: string): undefined => {
    report({ file: manifestFile, item: null, field: 'rows', problem: `${printed(rows)} ${problem}`, remedy })
  }
  const contained = containedPath(rows)
  if (!contained.ok) return refuse('leaves the dataset or is not a path.', 'Name a file beside this one.')
  const absolute = join(root, contained.path)
  const format = rowFormats[extname(absolute).toLowerCase()]
  if (format === undefined) return refuse('is not a file of rows.', 'Name a .jsonl, .ndjson, .csv or .json file.')
  if (leavesThroughLink(root, absolute))
    return refuse('leaves the dataset through a link.', 'Put the file itself there.')
  return { absolute, format }
}
