import { extname, join } from 'node:path'
import { printed } from '@jurist/core/internal'
import * as v from 'valibot'
import { anyText, fields, record, text } from '../fields.js'
import { columnMap } from './column-map.js'
import { containedPath, leavesThroughLink } from './contained.js'
import type { ColumnMap, OpenDatasetOptions } from './dataset.js'
import type { Opening } from './dataset-source.js'
import { checkAt, readMetadata, unknownKeyRemedy } from './item-fields.js'
import { manifestFile } from './manifest.js'
import { collectProblems, type Report, type Spot } from './problem.js'
import { openRows, rowFormats } from './row-dataset.js'

const schema = fields(
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
  { signal }: OpenDatasetOptions,
): Promise<Opening> {
  const { problems, report } = collectProblems()
  const spot: Spot = { file: manifestFile, item: null, prefix: '', report }
  const given = checkAt(schema, value, spot)
  const path = given === undefined ? undefined : rowsPath(given.rows, root, report)
  if (given === undefined || path === undefined) return { source: null, problems }
  const { name, version, description } = given
  const opened = await openRows(path.absolute, path.format, { ...given.columns, ...columns }, signal)
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
