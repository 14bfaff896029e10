import { basename, dirname, extname, resolve } from 'node:path'
import { counted } from '@jurist/experiment/internal/results'
import { readAtif } from '../import/traces/read-atif.js'
import { readOtlp } from '../import/traces/read-otlp.js'
import { readSession } from '../import/traces/read-session.js'
import { storeTraces } from '../import/traces/store-traces.js'
import {
  readDocuments,
  type TraceDocument,
  type TraceFile,
  traceFiles,
  unreadable,
} from '../import/traces/trace-files.js'
import type { Trajectory } from '../import/traces/trajectory.js'
import type { ExitCode } from './failure-report.js'
import type { Host } from './host.js'
import { type TraceFormat, traceEndings } from './import-trace-flags.js'
import { interruptible } from './process-events.js'
import { checkWritable, resultsOf } from './results-store.js'
import { sampled } from './selection.js'

interface TraceFlags {
  readonly name: string | undefined
  readonly sample: number | undefined
  readonly seed: number
}

/** Stores traces as a run. */
export async function importTraces(
  host: Host,
  format: TraceFormat,
  source: string,
  { name = format, sample, seed }: TraceFlags,
): Promise<ExitCode> {
  using interrupt = interruptible(host, () => 'Stopping. The import is unfinished: run the command again.')
  const files = await traceFiles(resolve(host.cwd, source), host.cwd, traceEndings[format])
  const keys = new Set<string>()
  const trajectories = chosen(await readAll(files, format, keys), sample, seed)
  const facts = sample === undefined ? {} : { sample, seed }
  const results = await resultsOf(host)
  await checkWritable(results)
  const { store } = results
  const stored = await storeTraces({ store, name, format, trajectories, facts, signal: interrupt.signal })
  const notes = [
    ...notesOf(trajectories),
    ...[...keys].map((file) => `${file}: what looks like a key is *** in the run`),
  ]
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

type Read = { readonly value: readonly Trajectory[] } | { readonly problems: readonly string[] }

/** What the documents of a file say, by format. */
const readers: { readonly [format in TraceFormat]: (documents: readonly TraceDocument[], name: string) => Read } = {
  atif: (documents, name) => {
    const reads = documents.map(({ value, place }) => ({ place, read: readAtif(value, name) }))
    const problems = reads.flatMap(({ place, read }) =>
      'problems' in read ? read.problems.map((problem) => (place === '' ? problem : `${place}: ${problem}`)) : [],
    )
    if (problems.length > 0) return { problems }
    return { value: reads.flatMap(({ read }) => ('value' in read ? [read.value] : [])) }
  },
  session: (documents, name) => {
    const read = readSession(documents, name)
    return 'problems' in read ? read : { value: [read.value] }
  },
  otlp: readOtlp,
}

async function readAll(
  files: readonly TraceFile[],
  format: TraceFormat,
  keyed: Set<string>,
): Promise<readonly Trajectory[]> {
  if (format === 'otlp' && files.length > 1) return readTogether(files, keyed)
  const trajectories: Trajectory[] = []
  for (const file of files) {
    const read = readers[format](await readDocuments(file, () => keyed.add(file.shown)), nameOf(file.path))
    if ('problems' in read) throw unreadable(file.shown, read.problems)
    trajectories.push(...read.value)
  }
  return trajectories
}

/** Exporters cut their output anywhere: a conversation may be in several files. */
async function readTogether(files: readonly TraceFile[], keyed: Set<string>): Promise<readonly Trajectory[]> {
  const documents: TraceDocument[] = []
  for (const file of files)
    for (const { value, place } of await readDocuments(file, () => keyed.add(file.shown)))
      documents.push({ value, place: [file.shown, place].filter((part) => part !== '').join(' ') })
  const read = readOtlp(documents)
  if ('problems' in read) throw unreadable(`${files.length} files`, read.problems)
  return read.value
}

/** The trajectories of some names, or all of them. */
function chosen(all: readonly Trajectory[], sample: number | undefined, seed: number): readonly Trajectory[] {
  const names = [...new Set(all.map(({ name }) => name))].sort()
  const taken = new Set(sampled(names, { sample, seed, first: undefined }))
  return all.filter(({ name }) => taken.has(name))
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
    for (const note of [...unread.map((field) => `${field}: no counterpart, in the journal`), ...notes])
      counts.set(note, (counts.get(note) ?? 0) + 1)
  return [...counts].map(([note, count]) => (count === 1 ? note : `${note} (${count} trajectories)`))
}
