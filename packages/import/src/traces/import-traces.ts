import { resolve } from 'node:path'
import type { JsonObject } from '@jurist/core'
import { sampleOf } from '@jurist/experiment/internal'
import { counted } from '@jurist/experiment/internal/results'
import type { CommandHost, ExitCode, FlagValues } from '@jurist/experiment/plugin'
import { commandLine } from '@jurist/kit/command-line'
import { safeLine } from '@jurist/kit/terminal'
import { type TraceFormat, traceEndings, type traceFlags } from '../flags.js'
import { readTraces, wordsOf } from './read-traces.js'
import { storeTraces } from './store-traces.js'
import { traceFiles } from './trace-files.js'
import type { Trajectory } from './trajectory.js'

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
