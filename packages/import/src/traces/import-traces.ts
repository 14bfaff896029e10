import { basename, dirname, extname, resolve } from 'node:path'
import { type JournalEvent, type JsonObject, JuristError } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { sampleOf } from '@jurist/experiment/internal'
import { counted } from '@jurist/experiment/internal/results'
import { type CommandHost, type ExitCode, type FlagValues, usageInvalid } from '@jurist/experiment/plugin'
import { commandLine } from '@jurist/kit/command-line'
import { safeLine } from '@jurist/kit/terminal'
import { type TraceFormat, traceEndings, type traceFlags } from '../flags.js'
import { placed } from './checked.js'
import { readAtif } from './read-atif.js'
import { readClaudeSession } from './read-claude-session.js'
import { readCodexSession } from './read-codex-session.js'
import { readOtlp } from './read-otlp.js'
import { storeTraces } from './store-traces.js'
import { readDocuments, type TraceDocument, type TraceFile, traceFiles, unreadable } from './trace-files.js'
import { answerOf, elapsedOf, type FiledTrajectory, joinedTrajectories, type Trajectory, taskOf } from './trajectory.js'

export async function importTraces(
  host: CommandHost,
  format: TraceFormat,
  source: string,
  { name = format, sample, seed }: FlagValues<typeof traceFlags>,
): Promise<ExitCode> {
  using interrupt = host.interruptible(() => 'Stopping. Run the command again to continue.')
  const path = resolve(host.cwd, source)
  const files = await traceFiles(path, host.cwd, traceEndings[format])
  const read = await readTraces({ format, files, isDirectory: files[0]?.path !== path })
  const trajectories = chosen(read.trajectories, sample, seed)
  const facts: JsonObject = sample === undefined ? {} : { sample, seed }
  const results = await host.results({ forWriting: true })
  const { store } = results
  const stored = await storeTraces({ store, name, format, trajectories, facts, signal: interrupt.signal })
  // The same command continues an interrupted import.
  if (interrupt.signal.aborted) return 130
  const notes = [...notesOf(trajectories), ...read.notes]
  if (host.flags.json === true) host.json({ ...stored, notes, leftOut: [...read.leftOut.values()].flat() })
  else {
    const trials = counted(stored.trials, 'trial')
    const what = stored.isNew
      ? `Stored ${trials} of ${counted(stored.items, 'item')} as`
      : `${trials}: imported before as`
    host.terminal.out(`${what} ${stored.runId} (${name}).\n`)
    const shown = read.leftOut.size === 0 ? notes : [...notes, wordsOf(read.leftOut)]
    if (shown.length > 0)
      host.terminal.out(`\nNot taken over:\n${shown.map((note) => `- ${safeLine(note)}\n`).join('')}`)
    host.terminal.out(`\nNext:  ${commandLine('rejudge', stored.runId, '--jury', 'NAME')}\n`)
  }
  return 0
}

/** Returns the trajectories of a random sample of names, or all of them. */
function chosen(all: readonly Trajectory[], sample: number | undefined, seed: number): readonly Trajectory[] {
  const names = [...new Set(all.map(({ name }) => name))].sort()
  const taken = new Set(sample === undefined ? names : sampleOf(names, sample, seed))
  return all.filter(({ name }) => taken.has(name))
}

/** Returns each note once, with the number of its trajectories. */
function notesOf(trajectories: readonly Trajectory[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { unread, notes } of trajectories)
    for (const note of [...unread.map((field) => `${field}: no counterpart, in the journal`), ...notes])
      counts.set(note, (counts.get(note) ?? 0) + 1)
  return [...counts].map(([note, count]) => (count === 1 ? note : `${note} (${count} trajectories)`))
}

interface ReadTraces {
  readonly trajectories: readonly Trajectory[]
  /** The files of a directory that are not read, by reason. */
  readonly leftOut: ReadonlyMap<string, readonly string[]>
  /** Notes for the user, for example that a key was found. */
  readonly notes: readonly string[]
}

type Read = { readonly value: readonly Trajectory[] } | { readonly problems: readonly string[] }

interface TraceReader {
  /** The noun for messages about other files of a directory. */
  readonly name: string
  readonly recognises: (value: unknown) => boolean
  readonly read: (documents: readonly TraceDocument[], name: string) => Read
  /** Exporters may split their output anywhere, so one conversation may be in several files. */
  readonly isJoined?: true
}

const readers = {
  atif: {
    name: 'trajectories of ATIF',
    recognises: (value) => isPlainObject(value) && String(value['schema_version']).startsWith('ATIF'),
    read: readTrajectories,
  },
  session: {
    name: 'sessions of Claude Code or Codex',
    recognises: (value) => isCodexLine(value) || isClaudeLine(value),
    read: (documents, name) => {
      const read = readSession(documents, name)
      return 'problems' in read ? read : { value: [read.value] }
    },
  },
  otlp: {
    name: 'OTLP/JSON',
    recognises: (value) => isPlainObject(value) && value['resourceSpans'] !== undefined,
    read: readOtlp,
    isJoined: true,
  },
} as const satisfies { readonly [format: string]: TraceReader }

interface TraceSource {
  readonly format: keyof typeof readers
  readonly files: readonly TraceFile[]
  /** Whether the files are those of a directory, some of which may be something else. */
  readonly isDirectory: boolean
}

/**
 * Reads the files of an import. Leaves out files of subagents, and unrelated files of a directory.
 *
 * @throws `usage-invalid` with every problem of every file, and for a directory without a trace
 */
async function readTraces({ format, files, isDirectory }: TraceSource): Promise<ReadTraces> {
  const reader: TraceReader = readers[format]
  const [problems, notes]: [string[], string[]] = [[], []]
  const leftOut = new Map<string, string[]>()
  const leave = (why: string, { shown }: TraceFile) => void leftOut.set(why, [...(leftOut.get(why) ?? []), shown])
  const take = (file: TraceFile, read: Read) => {
    if (!('problems' in read)) return read.value
    refuse(file, read.problems)
    return []
  }
  // Real directories contain files that a crash or two concurrent writers damaged. They are left out, with the reason.
  const refuse = (file: TraceFile, found: readonly string[]) => {
    if (isDirectory) leave(`files that cannot be read, such as: ${found[0]}`, file)
    else problems.push(unreadable(file.shown, found).message)
  }
  const filed: FiledTrajectory[] = []
  const joined: TraceDocument[] = []
  for (const file of files) {
    const documents = await documentsOf(file, isDirectory, notes, (found) => refuse(file, found))
    if (documents === undefined) continue
    if (isDirectory && !documents.some(({ value }) => reader.recognises(value)))
      leave(`files that are not ${reader.name}`, file)
    else if (reader.isJoined && files.length > 1)
      joined.push(...documents.map(({ value, place }) => ({ value, place: `${file.shown} ${place}`.trimEnd() })))
    else
      for (const trajectory of take(file, reader.read(documents, nameOf(file.path))))
        if (isDirectory && trajectory.isSubagent === true) leave('sessions of subagents', file)
        else filed.push({ path: file.path, trajectory })
  }
  const read = joined.length === 0 ? { value: [] } : reader.read(joined, '')
  if ('problems' in read) problems.push(unreadable(`${files.length} files`, read.problems).message)
  const together = 'value' in read ? read.value : []
  if (problems.length > 0) throw usageInvalid('source', problems.join('\n'))
  const { trajectories: items, subagents } = joinedTrajectories(filed)
  for (const file of files) if (subagents.has(file.path)) leave('trajectories of subagents', file)
  const trajectories = [...items, ...together]
  if (trajectories.length === 0) throw usageInvalid('source', `There is no trace to import: ${wordsOf(leftOut)}.`)
  return { trajectories, leftOut, notes }
}

/** A trace that was read without storing it. */
export interface OpenedTrace {
  readonly name: string
  readonly task: string
  /** The last message of the agent. */
  readonly output: string
  readonly events: readonly JournalEvent[]
  readonly elapsedMs: number
}

/**
 * Reads the traces of a file, or of a directory with files of one or several formats, without storing them.
 *
 * @throws `usage-invalid` with every problem, and where there is no trace
 */
export async function openTraces(source: string, cwd: string): Promise<readonly OpenedTrace[]> {
  const path = resolve(cwd, source)
  const files = await traceFiles(path, cwd, [...new Set(Object.values(traceEndings).flat())])
  const isDirectory = files[0]?.path !== path
  const byFormat = new Map<TraceFormat, TraceFile[]>()
  for (const file of files) {
    const format = await formatOf(file)
    if (format !== undefined) byFormat.set(format, [...(byFormat.get(format) ?? []), file])
  }
  if (byFormat.size === 0) {
    const names = Object.values(readers).map(({ name }) => name)
    throw usageInvalid('source', `There is no trace in ${source}. Traces are ${names.join(', ')}.`)
  }
  const trajectories: Trajectory[] = []
  for (const [format, some] of byFormat)
    trajectories.push(...(await readTraces({ format, files: some, isDirectory })).trajectories)
  return trajectories.map((one) => ({
    name: one.name,
    task: taskOf(one),
    output: answerOf(one) ?? '',
    events: one.events,
    elapsedMs: elapsedOf(one) ?? 0,
  }))
}

/** A file that cannot be read has no format. */
async function formatOf(file: TraceFile): Promise<TraceFormat | undefined> {
  const documents = await readDocuments(file, { damaged: () => {} }).catch(() => [])
  const formats = Object.keys(readers) as readonly TraceFormat[]
  return formats.find((format) => documents.some(({ value }) => readers[format].recognises(value)))
}

const shownFiles = 5

function wordsOf(leftOut: ReadTraces['leftOut']): string {
  return [...leftOut]
    .map(([why, files]) => {
      const more = files.length > shownFiles ? ` and ${files.length - shownFiles} more` : ''
      return `${why} (${files.length}): ${files.slice(0, shownFiles).join(', ')}${more}`
    })
    .join('; ')
}

async function documentsOf(
  file: TraceFile,
  isDirectory: boolean,
  notes: string[],
  refuse: (problems: readonly string[]) => void,
): Promise<readonly TraceDocument[] | undefined> {
  const found = new Set<string>()
  try {
    const documents = await readDocuments(file, {
      foundKey: () => found.add('strings that look like keys are replaced by *** in the run'),
      damaged: (place, isLast) => found.add(`${place} ${isLast ? 'was cut off' : 'is not JSON'}, and is left out`),
    })
    notes.push(...[...found].map((note) => `${file.shown}: ${note}`))
    if (documents.length > 0 || isDirectory) return documents
    refuse(['it is empty'])
  } catch (thrown) {
    if (!(thrown instanceof JuristError)) throw thrown
    const [head, ...listed] = thrown.message.split('\n  ')
    refuse(listed.length > 0 ? listed : [head ?? ''])
  }
  return undefined
}

function readTrajectories(documents: readonly TraceDocument[], name: string): Read {
  const reads = documents.map(({ value, place }) => ({ place, ...readAtif(value, name) }))
  const problems = reads.flatMap((read) =>
    'problems' in read ? read.problems.map((one) => placed(read.place, one)) : [],
  )
  if (problems.length > 0) return { problems }
  return { value: reads.flatMap((read) => ('value' in read ? [read.value] : [])) }
}

/**
 * Returns the name of the task: that of the file, or that of a trial's directory without the random suffix of Harbor.
 */
function nameOf(path: string): string {
  const file = basename(path, extname(path))
  const [first, ...part] = file.split('.')
  if (first !== 'trajectory') return file.replace(/\.trajectory$/, '')
  const parent = basename(dirname(path))
  const trial = parent === 'agent' || parent === 'logs' ? basename(dirname(dirname(path))) : parent
  return [trial.replace(/__[A-Za-z0-9]+$/, ''), ...part].join('.')
}

/** Reads a session file of Claude Code or Codex as events, or returns every problem with its place. */
function readSession(
  documents: readonly TraceDocument[],
  name: string,
): { readonly value: Trajectory } | { readonly problems: readonly string[] } {
  const values = documents.map(({ value }) => value)
  const read = values.some(isCodexLine) ? readCodexSession : values.some(isClaudeLine) ? readClaudeSession : undefined
  if (read === undefined) return { problems: ['it is neither a session of Claude Code nor a rollout of Codex'] }
  const warnings: string[] = []
  const value = read(documents, name, warnings)
  const malformed = warnings.filter((warning) => warning.startsWith('malformed: '))
  const problems = new Set(malformed.map((one) => `${one.slice('malformed: '.length)} has the wrong type`))
  if (problems.size > 0) return { problems: [...problems] }
  return { value: { ...value, notes: [...value.notes, ...new Set(warnings)] } }
}

function isCodexLine(value: unknown): boolean {
  const types: readonly unknown[] = ['session_meta', 'response_item', 'event_msg', 'turn_context']
  return isPlainObject(value) && isPlainObject(value['payload']) && types.includes(value['type'])
}

function isClaudeLine(value: unknown): boolean {
  return (
    isPlainObject(value) &&
    (value['type'] === 'user' || value['type'] === 'assistant') &&
    isPlainObject(value['message'])
  )
}
