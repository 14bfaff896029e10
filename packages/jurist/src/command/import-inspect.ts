import { resolve } from 'node:path'
import { JuristError } from '@jurist/core'
import { counted } from '@jurist/experiment/internal/results'
import { shellWord } from '@jurist/kit/shell-word'
import { safeLine } from '@jurist/kit/terminal'
import { usageInvalid } from '../config/problems.js'
import type { InspectHeader } from '../import/inspect/log-schema.js'
import { type ComparedMetric, comparedMetrics, isSame } from '../import/inspect/metrics.js'
import { withLog } from '../import/inspect/read-log.js'
import { readSamples } from '../import/inspect/read-samples.js'
import { type ImportedLog, storeLog } from '../import/inspect/store-log.js'
import { projectName } from '../import/task-directories.js'
import { type TraceFile, traceFiles } from '../import/traces/trace-files.js'
import type { ExitCode } from './failure-report.js'
import type { Host } from './host.js'
import { interruptible } from './process-events.js'
import { checkWritable, resultsOf } from './results-store.js'

interface InspectFlags {
  readonly name: string | undefined
  readonly headline: string | undefined
  readonly threshold: number
}

/** A log that was stored. */
interface StoredFile extends ImportedLog {
  readonly log: string
  readonly name: string
  readonly model: string
  readonly headline: string
  readonly metrics: readonly ComparedMetric[]
  readonly notes: readonly string[]
}

/** Stores logs of Inspect as runs: one for each log. */
export async function importInspect(host: Host, source: string, flags: InspectFlags): Promise<ExitCode> {
  using interrupt = interruptible(host, () => 'Stopping. Run the command again to continue.')
  const files = await traceFiles(resolve(host.cwd, source), host.cwd, ['.eval', '.json'])
  const results = await resultsOf(host)
  await checkWritable(results)
  // A log that cannot be read is found before any is stored.
  if (files.length > 1) await checkLogs(files, flags, interrupt.signal)
  const stored: StoredFile[] = []
  for (const file of files) {
    interrupt.signal.throwIfAborted()
    const one = await importLog(file, flags, { store: results.store, signal: interrupt.signal })
    stored.push(one)
    if (host.flags.json !== true) report(host, one)
  }
  if (host.flags.json === true) host.json({ runs: stored })
  else host.terminal.out(`\nNext:  ${nextOf(stored)}\n`)
  return 0
}

/** Refuses the logs that cannot be imported, with one error. */
async function checkLogs(files: readonly TraceFile[], flags: InspectFlags, signal: AbortSignal): Promise<void> {
  const problems: string[] = []
  for (const file of files) {
    signal.throwIfAborted()
    await readLog(file, flags.headline).catch((thrown) => {
      if (!(thrown instanceof JuristError)) throw thrown
      problems.push(thrown.message)
    })
  }
  if (problems.length > 0) throw usageInvalid('source', problems.join('\n'))
}

type Storing = Pick<Parameters<typeof storeLog>[0], 'store' | 'signal'>

async function importLog(file: TraceFile, flags: InspectFlags, storing: Storing): Promise<StoredFile> {
  const { header, samples, notes, headline } = await readLog(file, flags.headline)
  const { task, model } = header.eval
  const name = flags.name ?? projectName(task.split('/').at(-1) ?? '', 'inspect')
  const imported = await storeLog({ ...storing, name, header, samples, headline, threshold: flags.threshold })
  const metrics = comparedMetrics(header, samples)
  return { ...imported, log: file.shown, name, model, headline, metrics, notes }
}

/** A log, and the score that decides. */
function readLog(file: TraceFile, wanted: string | undefined) {
  return withLog(file, async (log) => {
    const { header } = log
    const { samples, notes } = await readSamples(file, log)
    if (samples.length === 0)
      throw usageInvalid('source', `${file.shown} holds no sample. Import a log of an evaluation that ran.`)
    const names = [...new Set(samples.flatMap(({ scores }) => scores.map(({ name }) => name)))]
    return { header, samples, notes, headline: headlineOf(file, header, names, wanted) }
  })
}

/** The score that decides: the one asked for, that of the log, else the first. */
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
  const candidates = [`${scorer}.${score}`, score, scorer, `${first?.scorer}.${first?.name}`, first?.name]
  return candidates.find((one) => typeof one === 'string' && names.includes(one)) ?? names[0] ?? 'score'
}

function report(host: Host, { log, name, model, headline, metrics, notes, ...stored }: StoredFile): void {
  const { out } = host.terminal
  const trials = counted(stored.trials, 'trial')
  const what = stored.isNew ? `${trials} of ${counted(stored.items, 'item')}` : `${trials}, imported before`
  out(`${safeLine(log)}: ${what}, as ${stored.runId} (${safeLine(name)}, ${safeLine(model)})\n`)
  for (const score of new Set(metrics.map((one) => one.score))) {
    const figures = metrics.filter((one) => one.score === score).map(shown)
    out(`  ${safeLine(score)}${score === headline ? ' (decides)' : ''}: ${safeLine(figures.join(', '))}\n`)
  }
  const wrong = metrics.filter((one) => !isSame(one))
  for (const { score, metric, logged, computed } of wrong)
    out(
      `  differs: ${safeLine(`${score} ${metric}`)} is ${three(logged)} in the log and ${three(computed ?? null)} of its samples\n`,
    )
  for (const note of notes) out(`  - ${safeLine(note)}\n`)
}

function shown({ metric, logged, computed }: ComparedMetric): string {
  return `${metric} ${three(logged)}${computed === undefined ? ' (as the log says)' : ''}`
}

function three(value: number | null): string {
  return value === null ? 'NaN' : value.toFixed(3)
}

function nextOf(stored: readonly StoredFile[]): string {
  const [first, second] = stored
  if (first !== undefined && second !== undefined && first.name === second.name)
    return `npx jurist compare ${first.runId} ${second.runId}`
  return `npx jurist show ${shellWord(first?.runId ?? 'latest')}`
}
