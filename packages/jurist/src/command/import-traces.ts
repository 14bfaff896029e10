import { basename, dirname, extname, resolve } from 'node:path'
import { counted } from '@jurist/experiment/internal/results'
import { readAtif } from '../import/traces/read-atif.js'
import { storeTraces } from '../import/traces/store-traces.js'
import { readDocuments, type TraceFile, traceFiles, unreadable } from '../import/traces/trace-files.js'
import type { Trajectory } from '../import/traces/trajectory.js'
import type { ExitCode } from './failure-report.js'
import type { Host } from './host.js'
import { type TraceFormat, traceEndings } from './import-trace-flags.js'
import { interruptible } from './process-events.js'
import { checkWritable, resultsOf } from './results-store.js'

interface TraceFlags {
  readonly name: string | undefined
}

/** Stores traces as a run. */
export async function importTraces(
  host: Host,
  format: TraceFormat,
  source: string,
  { name = format }: TraceFlags,
): Promise<ExitCode> {
  using interrupt = interruptible(host, () => 'Stopping. The import is unfinished: run the command again.')
  const files = await traceFiles(resolve(host.cwd, source), host.cwd, traceEndings[format])
  const trajectories = await readAll(files)
  const results = await resultsOf(host)
  await checkWritable(results)
  const { store } = results
  const stored = await storeTraces({ store, name, format, trajectories, signal: interrupt.signal })
  const notes = notesOf(trajectories)
  if (host.flags.json === true) host.json({ ...stored, notes })
  else {
    const trials = counted(stored.trials, 'trial')
    const what = stored.isNew
      ? `Stored ${trials} of ${counted(stored.items, 'item')} as`
      : `${trials}: imported before as`
    host.terminal.out(`${what} ${stored.runId} (${name}).\n`)
    if (notes.length > 0) host.terminal.out(`\nNot taken over:\n${notes.map((note) => `- ${note}\n`).join('')}`)
    host.terminal.out(`\nNext:  npx jurist rejudge ${stored.runId} --jury NAME\n`)
  }
  return 0
}

async function readAll(files: readonly TraceFile[]): Promise<readonly Trajectory[]> {
  const trajectories: Trajectory[] = []
  for (const file of files) {
    const problems: string[] = []
    for (const { value, place } of await readDocuments(file)) {
      const read = readAtif(value, nameOf(file.path))
      if ('value' in read) trajectories.push(read.value)
      else problems.push(...read.problems.map((problem) => (place === '' ? problem : `${place}: ${problem}`)))
    }
    if (problems.length > 0) throw unreadable(file.shown, problems)
  }
  return trajectories
}

/** The name of the task: that of the file, or of the directory of a trial, without the random end that Harbor gives it. */
function nameOf(path: string): string {
  const file = basename(path, extname(path))
  if (file !== 'trajectory') return file
  const parent = basename(dirname(path))
  const trial = parent === 'agent' || parent === 'logs' ? basename(dirname(dirname(path))) : parent
  return trial.replace(/__[A-Za-z0-9]+$/, '')
}

/** Each note once, with the number of trajectories that it is of. */
function notesOf(trajectories: readonly Trajectory[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { unread, notes } of trajectories)
    for (const note of [...unread.map((field) => `${field} is unknown; it is in the journal`), ...notes])
      counts.set(note, (counts.get(note) ?? 0) + 1)
  return [...counts].map(([note, count]) => (count === 1 ? note : `${note} (${count} trajectories)`))
}
