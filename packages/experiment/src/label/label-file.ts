import { appendFile, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { parseOrUndefined } from '@jurist/kit/json'
import { isRefusedFile, regularFileText } from '@jurist/kit/regular-file'
import { csvText } from '../result/trial-texts.js'
import type { RunLines, StoredRunName } from '../store/store.js'
import { type Label, labelFrom, labelsInvalid } from './label.js'

/** Above this a file is not one of labels that people made. */
const maxBytes = 64 * 1024 * 1024

/**
 * The lines of a file of labels, oldest first: `labels.jsonl` of `jurist label`, or a CSV with the columns `itemId` and `label`, and
 * where known `repetition`, `annotator`, `note`, `categories` (separated by semicolons), `use`, `by`, `run`, as `jurist export --table
 * labels` writes it; rows without a label are left out. A last line of JSON that was cut off in the middle, as by a crash, is left out.
 *
 * @returns an empty array where the file does not exist
 * @throws `label-file-invalid` naming every line that is wrong
 *
 * @example
 * import { currentLabels, readLabels } from '@jurist/experiment/label'
 *
 * console.log(currentLabels(await readLabels('results/answers/20261123T031854616Z-k3d8xq/labels.jsonl')).length)
 */
export async function readLabels(path: string): Promise<readonly Label[]> {
  let text: string
  try {
    text = await regularFileText(path, maxBytes)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return []
    if (isRefusedFile(thrown)) return labelsInvalid(path, [thrown.message])
    throw thrown
  }
  return path.toLowerCase().endsWith('.csv') ? fromCsv(path, text) : labelsFromLines(path, text)
}

/** The labels in lines of JSON. `path`: where they are, for the message. */
export function labelsFromLines(path: string, text: string): readonly Label[] {
  const lines = text.split('\n')
  // Text after the last line end may be an unfinished line.
  const unfinished = lines.pop() ?? ''
  const whole = unfinished.trim() === '' || parseOrUndefined(unfinished) === undefined ? lines : [...lines, unfinished]
  return checked(
    path,
    whole.flatMap((line, index) => (line.trim() === '' ? [] : [[index + 1, parseOrUndefined(line)] as const])),
  )
}

async function fromCsv(path: string, text: string): Promise<readonly Label[]> {
  const { default: Papa } = await import('papaparse')
  const { data, errors } = Papa.parse<Record<string, string>>(text.replace(/^\uFEFF/, ''), {
    header: true,
    skipEmptyLines: 'greedy',
    transformHeader: (header) => header.trim(),
  })
  const [error] = errors
  if (error !== undefined) return labelsInvalid(path, [`row ${(error.row ?? 0) + 1}: ${error.message}`])
  return checked(
    path,
    data.flatMap((row, index) => {
      const record = recordOf(row)
      // A row without a label is one that waits for it.
      return record['label'] === undefined ? [] : [[index + 2, record] as const]
    }),
  )
}

/** Converts a row of a sheet, in which numbers and lists are strings and an empty cell is a missing value. */
function recordOf(row: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  const { repetition, categories, seconds, label, use, by, ...rest } = Object.fromEntries(
    Object.entries(row).flatMap(([column, cell]) => (cell.trim() === '' ? [] : [[column, csvText(cell)]])),
  )
  const words = { label, use, by }
  return {
    ...rest,
    ...Object.fromEntries(
      Object.entries(words).flatMap(([column, cell]) =>
        cell === undefined ? [] : [[column, cell.trim().toLowerCase()]],
      ),
    ),
    ...(repetition === undefined ? {} : { repetition: Number(repetition) }),
    ...(seconds === undefined ? {} : { seconds: Number(seconds) }),
    ...(categories === undefined ? {} : { categories: listIn(categories) }),
  }
}

/** A JSON array, as an export writes it, or values separated by semicolons. */
function listIn(cell: string): unknown {
  const read = cell.startsWith('[') ? parseOrUndefined(cell) : undefined
  return Array.isArray(read) ? read : cell.split(';').map((one) => one.trim())
}

function checked(path: string, records: readonly (readonly [line: number, record: unknown])[]): readonly Label[] {
  const read = records.map(([line, record]) => {
    const label = record === undefined ? 'is not JSON' : labelFrom(record)
    return typeof label === 'string' ? `line ${line}: ${label}` : label
  })
  const problems = read.filter((one) => typeof one === 'string')
  return problems.length > 0 ? labelsInvalid(path, problems) : read.filter((one) => typeof one !== 'string')
}

/**
 * Appends a label to its file, which is made where it does not exist.
 *
 * @example
 * import { appendLabel, type Label } from '@jurist/experiment/label'
 *
 * const keep = (label: Label) => appendLabel('labels.jsonl', label)
 */
export async function appendLabel(path: string, label: Label): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  // A line that a crash cut off must not swallow this one.
  const before = await regularFileText(path).catch(() => '')
  const start = before === '' || before.endsWith('\n') ? '' : '\n'
  await appendFile(path, `${start}${JSON.stringify(label)}\n`)
}

export interface LabelPlace {
  /** The place as messages name it. */
  readonly shown: string
  readonly read: () => Promise<readonly Label[]>
  readonly append: (label: Label) => Promise<void>
}

export function labelsInFile(path: string, shown: string): LabelPlace {
  return { shown, read: () => readLabels(path), append: (label) => appendLabel(path, label) }
}

/** Labels in a store that keeps them itself. */
export function labelsInStore(store: RunLines, run: StoredRunName, shown: string): LabelPlace {
  return {
    shown,
    read: async () => labelsFromLines(shown, await store.read(run)),
    append: (label) => store.append(run, `${JSON.stringify(label)}\n`),
  }
}
