import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { JsonObject } from '@jurist/core'
import type { ColumnMap } from '@jurist/experiment'
import { parseObject } from '@jurist/kit/json'
import { copyTree, deleteTree, sweepTemporary, temporaryDirectory } from '@jurist/workspace/internal'
import { copied, writeIn } from './trial-files.js'

/** An item that is ready: its `item.json`, its task, and directories to copy by their names in the item. */
export interface NewItem {
  readonly fields: JsonObject
  readonly task: string
  readonly directories: Readonly<Record<string, string>>
  /** Wrong answers, by the name of the trial. */
  readonly answers: Readonly<Record<string, string>>
}

/** The first name that no item and no directory has. */
export function freeName(dataset: string, wanted: string, ids: ReadonlySet<string>): string {
  const isTaken = (name: string) => ids.has(name) || existsSync(join(dataset, 'regressions', name))
  if (!isTaken(wanted)) return wanted
  let number = 2
  while (isTaken(`${wanted}-${number}`)) number += 1
  return `${wanted}-${number}`
}

/** Writes the directory of an item. */
export async function writeItem(directory: string, { fields, task, directories, answers }: NewItem): Promise<void> {
  await mkdir(directory, { recursive: true })
  for (const [name, from] of Object.entries(directories)) {
    await mkdir(join(directory, name), { recursive: true })
    await copyTree(from, join(directory, name), { ...copied, ignore: ['.git/'] })
  }
  for (const [name, text] of Object.entries(answers)) await writeIn(directory, `wrong/${name}.txt`, text)
  await writeFile(join(directory, 'task.md'), `${task.trimEnd()}\n`)
  await writeFile(join(directory, 'item.json'), `${JSON.stringify(fields, null, 2)}\n`)
}

const manifest = 'dataset.json'

/**
 * Adds an item to a dataset: its directory is made beside the others and renamed, then `dataset.json` is replaced. A process that is
 * killed in between leaves a directory that no dataset names.
 *
 * @returns the path of the item, relative to the dataset
 */
export async function addItem(
  dataset: string,
  id: string,
  item: NewItem,
  status: 'active' | 'disabled',
): Promise<string> {
  const path = `regressions/${id}`
  await using work = await workIn(dataset)
  await writeItem(join(work.directory, 'item'), item)
  await mkdir(join(dataset, 'regressions'), { recursive: true })
  await rename(join(work.directory, 'item'), join(dataset, path))
  const file = join(dataset, manifest)
  const value = parseObject(await readFile(file, 'utf8').catch(() => '')) ?? emptyDataset(dataset)
  const items = Array.isArray(value['items']) ? value['items'] : []
  const entry = { id, path, ...(status === 'active' ? {} : { status }) }
  await work.replace(file, `${JSON.stringify({ ...value, items: [...items, entry] }, null, 2)}\n`)
  return path
}

/** A directory for what is not ready, in one where it can be renamed. Those of processes that were killed are removed. */
async function workIn(parent: string) {
  await mkdir(parent, { recursive: true })
  await sweepTemporary(parent)
  const directory = temporaryDirectory(parent)
  return {
    directory,
    async replace(file: string, text: string) {
      await writeFile(join(directory, 'new'), text)
      await rename(join(directory, 'new'), file)
    },
    [Symbol.asyncDispose]: () => deleteTree(directory),
  }
}

/** Files of rows to which a row can be appended. */
export const appendable = /\.(?:jsonl|ndjson)$/i

/**
 * Appends an item without files to a file of rows, which is replaced as a whole.
 *
 * @returns the name of the file
 */
export async function addRow(
  file: string,
  id: string,
  { fields, task }: NewItem,
  { columns, status }: { readonly columns: ColumnMap; readonly status: 'active' | 'disabled' },
): Promise<string> {
  const { expectedOutput: expected, referenceData: reference, input, metadata, ...rest } = fields
  // A row has no workspace anyway.
  const { workspace: _, ...noted } = metadata as JsonObject
  const known = { id, task: task.trimEnd(), ...rest, expected, reference, ...(status === 'active' ? {} : { status }) }
  const names: Readonly<Record<string, unknown>> = { reference: 'referenceData', ...columns }
  const row: Record<string, unknown> = { metadata: noted }
  for (const [role, value] of Object.entries(known)) {
    const name = names[role]
    row[typeof name === 'string' ? name : role] = value
  }
  // Several columns are the input where the config says so.
  if (Array.isArray(columns.input)) Object.assign(row, input)
  else row[columns.input === undefined ? 'input' : String(columns.input)] = input
  const before = await readFile(file, 'utf8').catch(() => '')
  const end = before === '' || before.endsWith('\n') ? '' : '\n'
  await using work = await workIn(dirname(file))
  await work.replace(file, `${before}${end}${JSON.stringify(row)}\n`)
  return basename(file)
}

function emptyDataset(directory: string): Readonly<Record<string, unknown>> {
  return { schemaVersion: 1, name: basename(directory), version: '1', items: [] }
}
