import { resolve } from 'node:path'
import { JuristError } from '@jurist/core'
import { counted } from '@jurist/experiment/internal/results'
import { type CommandHost, type ExitCode, type FlagValues, usageInvalid } from '@jurist/experiment/plugin'
import { commandLine } from '@jurist/kit/command-line'
import { safeLine } from '@jurist/kit/terminal'
import type { inspectFlags } from '../flags.js'
import { projectName } from '../task-directories.js'
import type { ImportedRun } from '../traces/store-traces.js'
import { type TraceFile, traceFiles } from '../traces/trace-files.js'
import type { InspectHeader } from './log-schema.js'
import { type ComparedMetric, comparedMetrics, isSame } from './metrics.js'
import { withLog } from './read-log.js'
import { readSamples } from './read-samples.js'
import { scoreName } from './scores.js'
import { storeLog } from './store-log.js'

type InspectFlags = FlagValues<typeof inspectFlags> & { readonly name: string | undefined }

interface StoredFile extends ImportedRun {
  readonly log: string
  readonly name: string
  readonly model: string
  readonly headline: string
  readonly metrics: readonly ComparedMetric[]
  readonly notes: readonly string[]
}

/** Stores each log of Inspect as a run. */
export async function importInspect(host: CommandHost, source: string, flags: InspectFlags): Promise<ExitCode> {
  using interrupt = host.interruptible(() => 'Stopping. Run the command again to continue.')
  const files = await traceFiles(resolve(host.cwd, source), host.cwd, ['.eval', '.json'])
  const results = await host.results({ forWriting: true })
  // Every log is checked before the first one is stored.
  const { logs, leftOut } = await checkLogs(files, flags, interrupt.signal)
  if (interrupt.signal.aborted) return 130
  const stored: StoredFile[] = []
  for (const file of logs) {
    if (interrupt.signal.aborted) return 130
    const one = await importLog(file, flags, { store: results.store, signal: interrupt.signal })
    // An interrupted run ends as well.
    if (interrupt.signal.aborted) return 130
    stored.push(one)
    if (host.flags.json !== true) report(host, one)
  }
  if (host.flags.json === true) {
    host.json({ runs: stored, leftOut })
    return 0
  }
  for (const one of leftOut) host.terminal.out(`left out: ${safeLine(one)}\n`)
  host.terminal.out(`\nNext:  ${nextOf(stored)}\n`)
  return 0
}

/**
 * Returns the logs with samples, and the reasons why other files of a directory are left out.
 *
 * @throws `usage-invalid` with every log that cannot be imported
 */
async function checkLogs(files: readonly TraceFile[], flags: InspectFlags, signal: AbortSignal) {
  const [logs, leftOut, problems]: [TraceFile[], string[], string[]] = [[], [], []]
  for (const file of files) {
    if (signal.aborted) break
    try {
      const read = await readLog(file, flags.headline)
      if ('without' in read) leftOut.push(`${file.shown} ${read.without}`)
      else logs.push(file)
    } catch (thrown) {
      if (!(thrown instanceof JuristError)) throw thrown
      problems.push(thrown.message)
    }
  }
  if (problems.length === 0 && logs.length === 0 && !signal.aborted)
    problems.push(`${leftOut.join('\n')}\nImport a log of an evaluation that ran.`)
  if (problems.length > 0) throw usageInvalid('source', problems.join('\n'))
  return { logs, leftOut }
}

type Storing = Pick<Parameters<typeof storeLog>[0], 'store' | 'signal'>

async function importLog(file: TraceFile, flags: InspectFlags, storing: Storing): Promise<StoredFile> {
  const read = await readLog(file, flags.headline)
  if ('without' in read) throw usageInvalid('source', `${file.shown} changed while it was read. Run the command again.`)
  const { header, samples, notes, headline } = read
  const { task, model } = header.eval
  const name = flags.name ?? projectName(task.split('/').at(-1) ?? '', 'inspect')
  const imported = await storeLog({ ...storing, name, header, samples, headline, threshold: flags.threshold })
  const metrics = comparedMetrics(header, samples)
  return { ...imported, log: file.shown, name, model, headline, metrics, notes }
}

/** Returns a log and its headline score, or the reason why there is nothing to import. */
function readLog(file: TraceFile, wanted: string | undefined) {
  return withLog(file, async (log) => {
    if (log === undefined) return { without: 'is not a log of Inspect.' } as const
    const { header } = log
    const { samples, notes } = await readSamples(file, log)
    if (samples.length === 0) return { without: 'holds no sample.' } as const
    const names = [...new Set(samples.flatMap(({ scores }) => scores.map(({ name }) => name)))]
    return { header, samples, notes, headline: headlineOf(file, header, names, wanted) }
  })
}

/** The headline is the requested score, otherwise that of the log, otherwise the first one. */
function headlineOf(
  file: TraceFile,
  { results }: InspectHeader,
  names: readonly string[],
  wanted: string | undefined,
): string {
  if (wanted !== undefined) {
    if (names.includes(wanted)) return wanted
    const known = names.length === 0 ? 'It has none.' : `It has ${names.join(', ')}.`
    throw usageInvalid('--headline', `${file.shown} has no score ${JSON.stringify(wanted)}. ${known}`)
  }
  const { scorer, score } = results?.headline ?? {}
  const first = results?.scores?.[0]
  const parts = [[scorer, score], [score], [scorer], [first?.scorer, first?.name], [first?.name]] as const
  const candidates = parts.flatMap(([name, part]) =>
    typeof name === 'string' ? scoreName(name, part ?? undefined) : [],
  )
  return candidates.find((one) => names.includes(one)) ?? names[0] ?? 'score'
}

function report(host: CommandHost, { log, name, model, headline, metrics, notes, ...stored }: StoredFile): void {
  const { out } = host.terminal
  const trials = counted(stored.trials, 'trial')
  const what = stored.isNew ? `${trials} of ${counted(stored.items, 'item')}` : `${trials}, imported before`
  out(`${safeLine(log)}: ${what}, as ${stored.runId} (${safeLine(name)}, ${safeLine(model)})\n`)
  for (const score of new Set(metrics.map(reducedScore))) {
    const of = metrics.filter((one) => reducedScore(one) === score)
    const decides = of[0]?.score === headline ? ' (decides)' : ''
    out(`  ${safeLine(`${score}${decides}: ${of.map(shown).join(', ')}`)}\n`)
  }
  for (const one of metrics.filter((one) => !isSame(one))) {
    const what = `${reducedScore(one)}: ${one.metric} is ${three(one.logged)} in the log`
    out(`  differs: ${safeLine(what)} and ${three(one.computed ?? null)} of its samples\n`)
  }
  for (const note of notes) out(`  - ${safeLine(note)}\n`)
}

/** Names a score with the reducer of its epochs. */
function reducedScore({ score, reducer }: ComparedMetric): string {
  return reducer === undefined || reducer === 'mean' ? score : `${score}, ${reducer} of the epochs`
}

function shown({ metric, logged, computed }: ComparedMetric): string {
  return `${metric} ${three(logged)}${computed === undefined ? ' (from the log)' : ''}`
}

function three(value: number | null): string {
  return value === null ? 'NaN' : value.toFixed(3)
}

function nextOf(stored: readonly StoredFile[]): string {
  const [first] = stored
  const second = stored.find(({ name, runId }) => name === first?.name && runId !== first.runId)
  if (first !== undefined && second !== undefined) return commandLine('compare', first.runId, second.runId)
  return commandLine('show', first?.runId ?? 'latest')
}
