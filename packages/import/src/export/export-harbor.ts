import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { failureOf } from '@jurist/core/internal'
import { copyWorkspaces, type Dataset, type DatasetItem } from '@jurist/experiment'
import { isDatasetPath, openFrom } from '@jurist/experiment/internal'
import { counted } from '@jurist/experiment/internal/results'
import {
  type CommandHost,
  type ExitCode,
  existingDirectory,
  type FlagValues,
  usageInvalid,
} from '@jurist/experiment/plugin'
import { safeLine } from '@jurist/kit/terminal'
import { copyOf } from '@jurist/workspace'
import { kept } from '../write-project.js'
import type { harborExportFlags } from './flags.js'
import { exportable, writeTask } from './harbor.js'

type Flags = FlagValues<typeof harborExportFlags> & { readonly output?: string | undefined }

interface Exported {
  readonly tasks: string[]
  readonly leftOut: { readonly item: string; readonly reason: string }[]
  readonly notes: { readonly item: string; readonly note: string }[]
}

export async function exportHarbor(host: CommandHost, flags: Flags): Promise<ExitCode> {
  using interrupt = host.interruptible(() => 'Stopping. Nothing is kept.')
  const out = resolve(host.cwd, flags.output ?? 'tasks')
  if ((await stat(out).catch(() => undefined)) !== undefined)
    throw usageInvalid('--output', `${flags.output} exists already. Nothing was written. Name a directory to make.`)
  const dataset = await datasetOf(host, flags.dataset)
  const exported: Exported = { tasks: [], leftOut: [], notes: [] }
  const made = `${out}.exporting-${process.pid}`
  try {
    await mkdir(made, { recursive: true })
    for await (const item of dataset.items()) {
      interrupt.signal.throwIfAborted()
      await exportItem(item, { dataset, made, flags, exported, signal: interrupt.signal })
    }
    if (exported.tasks.length === 0) throw usageInvalid('--dataset', nothing(exported))
    await rename(made, out)
  } catch (thrown) {
    await rm(made, { recursive: true, force: true })
    throw thrown
  }
  return report(host, out, exported)
}

async function datasetOf(host: CommandHost, given: string | undefined): Promise<Dataset> {
  if (given !== undefined) return openFrom(await existingDirectory(given, '--dataset', host.cwd))
  const [experiment] = await host.experiments()
  const place = experiment?.dataset
  if (place !== undefined && isDatasetPath(place)) return openFrom(place)
  throw usageInvalid('--dataset', 'The experiment has no dataset in a directory. Name one with --dataset.')
}

interface Exporting {
  readonly dataset: Dataset
  readonly made: string
  readonly flags: Flags
  readonly exported: Exported
  readonly signal: AbortSignal
}

async function exportItem(item: DatasetItem, exporting: Exporting): Promise<void> {
  const { dataset, made, flags, exported, signal } = exporting
  const leave = (reason: string) => void exported.leftOut.push({ item: item.id, reason })
  if (item.judges === null) return leave('has no judges of its own, which a verifier would be made of')
  const found = exportable(item.judges)
  if ('problem' in found) return leave(found.problem)
  const name = slug(item.id)
  const directory = join(made, name)
  try {
    if ('task' in found) await copyTask(item, found.task, dataset, directory)
    else {
      // The image is for the container of the task: nothing runs here.
      const request = { item: { ...item, image: null }, repetition: 1, signal }
      await using lease = await copyWorkspaces()(request)
      if (lease.reference === null && found.judge.hidden.length > 0)
        return leave('has no reference, from which its tests would come')
      const { image, setup } = flags
      const full = `${slug(dataset.name)}/${name}`
      await writeTask(directory, { name: full, item, judge: found.judge, lease, image, setup })
      for (const option of found.judge.lost) {
        const note = `"${option}" of the judge is not exported: the exit code of the command decides`
        exported.notes.push({ item: item.id, note })
      }
    }
    exported.tasks.push(name)
  } catch (thrown) {
    signal.throwIfAborted()
    await rm(directory, { recursive: true, force: true })
    leave(failureOf(thrown).message)
  }
}

/** Copies an imported task unchanged, except for its instruction, which is the task of the item. */
async function copyTask(item: DatasetItem, path: string, { directory }: Dataset, to: string): Promise<void> {
  if (directory === null || item.path === null) throw new Error('has no directory')
  const from = join(directory, item.path, path)
  if (relative(directory, from).startsWith('..')) throw new Error(`its task ${path} leads out of the dataset`)
  const copy = await kept(copyOf(from, { to, ignore: ['/.git/'] }))
  const instruction = (await copy.exists('instruction.md')) ? await copy.read('instruction.md') : ''
  if (instruction.trim() !== item.task.trim()) await writeFile(join(to, 'instruction.md'), `${item.task.trimEnd()}\n`)
}

/** Harbor restricts the names of tasks. */
function slug(id: string): string {
  return id.replace(/[^\w.-]+/g, '-').replace(/^[.-]+/, '') || 'item'
}

function nothing({ leftOut }: Exported): string {
  const lines = leftOut.slice(0, 20).map(({ item, reason }) => `  ${item}: ${reason}`)
  return `No item can be exported. Nothing was written.\n${lines.join('\n')}`
}

function report(host: CommandHost, directory: string, { tasks, leftOut, notes }: Exported): ExitCode {
  if (host.flags.json === true) {
    host.json({ directory, tasks, leftOut, notes })
    return 0
  }
  const { out } = host.terminal
  out(`${counted(tasks.length, 'task')} in ${relative(host.cwd, directory) || '.'}\n`)
  for (const { item, reason } of leftOut) out(`  left out: ${safeLine(item)} ${safeLine(reason)}\n`)
  const said = [...new Set(notes.map(({ note }) => note))]
  for (const note of said)
    out(`- ${counted(notes.filter((one) => one.note === note).length, 'item')}: ${safeLine(note)}\n`)
  return 0
}
