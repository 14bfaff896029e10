import { resolve } from 'node:path'
import { type Agent, type JsonObject, JuristError } from '@jurist/core'
import { completed, type ExperimentOptions, errored, runExperiment, timedOut } from '@jurist/experiment'
import { recordedAgent } from '@jurist/experiment/internal'
import { counted, meanOf, standardError } from '@jurist/experiment/internal/results'
import { type CommandHost, type ExitCode, type FlagValues, usageInvalid } from '@jurist/experiment/plugin'
import type { ResultStore } from '@jurist/experiment/store'
import { commandLine } from '@jurist/kit/command-line'
import { groupBy } from '@jurist/kit/group-by'
import { safeLine } from '@jurist/kit/terminal'
import type { inspectFlags } from '../flags.js'
import { projectName } from '../task-directories.js'
import { present } from '../traces/checked.js'
import {
  asRecorded,
  digestOf,
  factsOf,
  type ImportedRun,
  itemName,
  replayed,
  storedOnce,
  variantName,
} from '../traces/store-traces.js'
import { type TraceFile, traceFiles } from '../traces/trace-files.js'
import type { Trajectory } from '../traces/trajectory.js'
import type { InspectHeader, InspectResult } from './read-log.js'
import { withLog } from './read-log.js'
import {
  inspectFacts,
  keyOf,
  type ReadSample,
  readSamples,
  recordedJury,
  type SampleFacts,
  type StoredScores,
  scoreName,
} from './read-samples.js'

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

/**
 * Stores a log as a run with a trial for each sample and epoch, judged by the recorded scores. The same log under the
 * same name is stored once. An interrupted import continues.
 *
 * @throws `store-failed`
 */
async function importLog(
  file: TraceFile,
  flags: InspectFlags,
  { store, signal }: { readonly store: ResultStore; readonly signal: AbortSignal },
): Promise<StoredFile> {
  const read = await readLog(file, flags.headline)
  if ('without' in read) throw usageInvalid('source', `${file.shown} changed while it was read. Run the command again.`)
  const { header, samples, notes, headline } = read
  const { threshold } = flags
  const { task, model } = header.eval
  const name = flags.name ?? projectName(task.split('/').at(-1) ?? '', 'inspect')
  const items = itemsOf(samples)
  const digest = digestOfLog(header, samples, headline, threshold)
  const scores: StoredScores = new Map(samples.map(({ sample: { id, epoch }, scores }) => [keyOf(id, epoch), scores]))
  const variant = variantName(model)
  const recorded = new Map(items.map(({ id, epochs }) => [id, epochs]))
  const agent = recordedAgent(function recordedSample(task) {
    return replayed(task, recorded, 'sample', invocationOf)
  })
  const options: ExperimentOptions<string> = {
    ...{ name, store, ...asRecorded },
    dataset: items.map(rowOf),
    variants: { [variant]: { agent, model } },
    jury: recordedJury({ scores, headline, threshold }),
    // As in Inspect's metrics, an error of a sample does not count against its model.
    retries: { attempts: 1, isInfrastructure: () => true },
    judgeFailedRuns: true,
    metadata: { import: { format: 'inspect', digest, headline, threshold, ...factsOfLog(header) } },
  }
  const start = (resume: string | undefined) => runExperiment(options, { signal, variant, resume })
  const { run, isNew } = await storedOnce({ store, name, digest }, start)
  return {
    ...{ runId: run.id, isNew, items: items.length, trials: samples.length },
    ...{ log: file.shown, name, model, headline, metrics: comparedMetrics(header, samples), notes },
  }
}

/** A sample with its epochs. */
interface SampleItem {
  readonly id: string
  readonly epochs: readonly ReadSample[]
}

/** Orders the samples by their first epoch in the log. */
function itemsOf(samples: readonly ReadSample[]): readonly SampleItem[] {
  const epochs = groupBy(samples, ({ sample }) => JSON.stringify(sample.id))
  const taken = new Set<string>()
  return [...epochs.values()].map((all) => ({
    id: itemId(all[0]?.sample.id ?? '', taken),
    epochs: all.sort((one, other) => one.sample.epoch - other.sample.epoch),
  }))
}

/** Makes an id for an item, with a number if another sample has the same id. */
function itemId(id: string | number, taken: Set<string>): string {
  const first = itemName(String(id), 'sample')
  let free = first
  for (let number = 2; taken.has(free.toLowerCase()); number++) free = `${first}-${number}`
  taken.add(free.toLowerCase())
  return free
}

function rowOf({ id, epochs }: SampleItem) {
  const [first] = epochs
  const target = first?.sample.target
  const metadata = first?.sample.metadata
  return {
    id,
    task: first?.question.trim() === '' || first === undefined ? 'The sample has no text.' : first.question,
    repetitions: epochs.length,
    ...(target?.length && { expectedOutput: target }),
    ...(metadata && { metadata: metadata as JsonObject }),
  }
}

function invocationOf({ sample, trajectory, output }: ReadSample): ReturnType<Agent> {
  const facts = {
    ...factsOf(trajectory, output),
    metadata: { [inspectFacts]: sampleFacts(sample, trajectory) },
  }
  const { error, limit } = sample
  if (error) return errored(Object.assign(new Error(error.message), { name: 'SampleError' }), facts)
  const isTime = limit?.type === 'time' || limit?.type === 'working'
  return isTime ? timedOut(limit.reason ?? `${limit.type} limit`, facts) : completed(facts)
}

/** The facts that the trial keeps of its sample. */
function sampleFacts({ id, epoch, limit, working_time: seconds }: SampleFacts, { unread }: Trajectory): JsonObject {
  return {
    ...{ id, epoch, unread: [...unread] },
    ...(limit ? { limit: { type: limit.type, limit: limit.limit ?? null } } : {}),
    ...(typeof seconds === 'number' ? { workingSeconds: seconds } : {}),
  }
}

function factsOfLog({ version, status, eval: head, results, error }: InspectHeader): JsonObject {
  const { task, model, created, eval_id, run_id, task_id, packages } = head
  const facts = { version, status, task, model, created, eval_id, run_id, task_id, packages, results, error }
  return (present(facts) ?? {}) as JsonObject
}

function digestOfLog(
  { eval: head }: InspectHeader,
  samples: readonly ReadSample[],
  headline: string,
  threshold: number,
): string {
  const all = samples.map(({ sample: { id, epoch, target, error, limit }, question, output, scores, trajectory }) => [
    ...[id, epoch, target, error?.message, limit?.type, question, output],
    ...[scores, trajectory],
  ])
  const sorted = all.map((one) => JSON.stringify(one)).sort()
  return digestOf([head.task, head.model, head.created, headline, threshold, sorted])
}

/** A metric of a log, and the same metric computed from its samples. */
interface ComparedMetric {
  /** A score name, such as `match` or `many.a`. */
  readonly score: string
  /** The reducer of the epochs of a sample, such as `pass_at_2`; absent if the log does not name it. */
  readonly reducer?: string
  /** For example `accuracy`. */
  readonly metric: string
  /** The value in the log; `null` for NaN. */
  readonly logged: number | null
  /** The value computed from the samples; absent for a metric that Jurist does not compute. */
  readonly computed?: number
}

/** Whether the two values are equal up to rounding. */
function isSame({ logged, computed }: ComparedMetric): boolean {
  if (logged === computed || (logged === null && Number.isNaN(computed))) return true
  return (
    computed === undefined || (logged !== null && Math.abs(logged - computed) <= 1e-9 * Math.max(1, Math.abs(logged)))
  )
}

/**
 * Compares the metrics of each score with those in the log, for logs that reduce the epochs of a sample to their mean.
 * Samples without a number do not count. Computes `accuracy`, `mean`, `stderr`, `std` and `var` by Inspect's formulas,
 * but not with parameters.
 */
function comparedMetrics(
  { results, eval: { config } }: InspectHeader,
  samples: readonly ReadSample[],
): readonly ComparedMetric[] {
  const reducers = config?.epochs_reducer ?? ['mean']
  return (results?.scores ?? []).flatMap((result) => {
    const name = nameOf(result, samples)
    const reducer = result.reducer ?? (reducers.length === 1 ? reducers[0] : undefined)
    const values = reducer === 'mean' ? meansOf(samples, name) : []
    return Object.entries(result.metrics ?? {}).map(([metric, { value, params, options }]): ComparedMetric => {
      const hasParameters = Object.values(params ?? options ?? {}).some((one) => one !== null)
      return {
        score: name,
        reducer: result.reducer ?? undefined,
        metric,
        logged: typeof value === 'number' ? value : /^-?Infinity$/.test(String(value)) ? Number(value) : null,
        computed: hasParameters ? undefined : figureOf(metric, values),
      }
    })
  })
}

/** Results may name the part of a score by its own name only. */
function nameOf({ name, scorer }: InspectResult, samples: readonly ReadSample[]): string {
  const full = scoreName(scorer ?? name, name)
  return samples.some(({ scores }) => scores.some((one) => one.name === full)) ? full : scoreName(name)
}

/** The mean of each sample over its epochs with a number. */
function meansOf(samples: readonly ReadSample[], name: string): readonly number[] {
  const epochs = groupBy(samples, ({ sample }) => JSON.stringify(sample.id))
  return [...epochs.values()].flatMap((all) => {
    const numbers = all.flatMap(({ scores }) => scores.find((one) => one.name === name)?.number ?? [])
    return numbers.length === 0 ? [] : [meanOf(numbers)]
  })
}

function figureOf(metric: string, values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined
  if (metric === 'accuracy' || metric === 'mean') return meanOf(values)
  const error = standardError(values) ?? 0
  if (metric === 'stderr') return error
  if (metric === 'var') return error ** 2 * values.length
  return metric === 'std' ? error * Math.sqrt(values.length) : undefined
}
