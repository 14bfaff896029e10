import { createHash } from 'node:crypto'
import type { Agent, Json, JsonObject } from '@jurist/core'
import { completed, type ExperimentOptions, errored, runExperiment, timedOut, trialOf } from '@jurist/experiment'
import { recordedAgent } from '@jurist/experiment/internal'
import { trialText } from '@jurist/experiment/internal/results'
import type { ResultStore } from '@jurist/experiment/store'
import { importedBefore, variantName } from '../traces/store-traces.js'
import { conversationOf, elapsedOf, spendingOf, type Trajectory } from '../traces/trajectory.js'
import type { InspectHeader } from './log-schema.js'
import type { ReadSample, SampleFacts } from './read-samples.js'
import { inspectFacts, keyOf, recordedJury, type StoredScores } from './scores.js'

/** A log to be stored as a run. */
export interface StoredLog {
  readonly store: ResultStore
  /** The name of the experiment. */
  readonly name: string
  readonly header: InspectHeader
  readonly samples: readonly ReadSample[]
  readonly headline: string
  readonly threshold: number
  readonly signal: AbortSignal
}

/** What was stored, or is stored already. */
export interface ImportedLog {
  readonly runId: string
  readonly isNew: boolean
  readonly items: number
  readonly trials: number
}

/**
 * Stores a log as a run: a trial for each sample and epoch, judged by the recorded scores. The same log under the same name is
 * stored once; an import that was stopped is continued.
 *
 * @throws `store-failed`
 */
export async function storeLog(log: StoredLog): Promise<ImportedLog> {
  const { store, name, header, samples, headline, threshold, signal } = log
  const items = itemsOf(samples)
  const digest = digestOf(log)
  const counts = { items: items.length, trials: samples.length }
  const earlier = await importedBefore(store, name, digest)
  if (earlier !== undefined) return { runId: earlier, isNew: false, ...counts }
  const scores: StoredScores = new Map(samples.map(({ sample: { id, epoch }, scores }) => [keyOf(id, epoch), scores]))
  const { model } = header.eval
  const variant = variantName(model)
  const options: ExperimentOptions<string> = {
    name,
    dataset: items.map(rowOf),
    variants: { [variant]: { agent: recordedSamples(items), model } },
    jury: recordedJury({ scores, headline, threshold }),
    store,
    itemTimeoutMs: 600_000,
    // An error of a sample says nothing of its model, as in Inspect's figures.
    retries: { attempts: 1, isInfrastructure: isRecordedError },
    bail: false,
    maxInfrastructureFailures: false,
    judgeFailedRuns: true,
    preserveWorkspaces: 'none',
    metadata: { import: { format: 'inspect', digest, headline, threshold, ...factsOf(header) } },
  }
  const unfinished = await importedBefore(store, name, digest, false)
  const run = runExperiment(options, { signal, variant, resume: unfinished })
  await run.overview
  return { runId: run.runId, isNew: true, ...counts }
}

function isRecordedError(): boolean {
  return true
}

/** A sample with its epochs. */
interface SampleItem {
  readonly id: string
  readonly epochs: readonly ReadSample[]
}

/** Samples in the order in which the log has their first epoch. */
function itemsOf(samples: readonly ReadSample[]): readonly SampleItem[] {
  const epochs = new Map<string, ReadSample[]>()
  for (const one of samples) {
    const key = JSON.stringify(one.sample.id)
    epochs.set(key, [...(epochs.get(key) ?? []), one])
  }
  const taken = new Set<string>()
  return [...epochs.values()].map((all) => ({
    id: itemId(all[0]?.sample.id ?? '', taken),
    epochs: all.sort((one, other) => one.sample.epoch - other.sample.epoch),
  }))
}

/** An id as that of an item; a number after it where another sample has it. */
function itemId(id: string | number, taken: Set<string>): string {
  const safe = [...String(id)].map((one) => (/[\p{Cc}/\\]/u.test(one) ? '-' : one)).join('')
  const short = safe.trim().slice(0, 110)
  const first = short === '' || short === '.' || short === '..' ? 'sample' : short
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
    ...(target === undefined || target === null || target.length === 0 ? {} : { expectedOutput: target }),
    ...(metadata === undefined || metadata === null ? {} : { metadata: metadata as JsonObject }),
  }
}

/** An agent that says and does again what the samples recorded. */
function recordedSamples(items: readonly SampleItem[]): Agent {
  const byId = new Map(items.map(({ id, epochs }) => [id, epochs]))
  return recordedAgent(function recordedSample(task) {
    const { itemId: id = '', repetition = 1 } = trialOf(task) ?? {}
    const found = byId.get(id)?.[repetition - 1]
    if (found === undefined) return errored(new Error(`There is no sample ${trialText({ itemId: id, repetition })}.`))
    for (const event of found.trajectory.events) task.record?.(event)
    return invocationOf(found)
  })
}

function invocationOf({ sample, trajectory, output }: ReadSample): ReturnType<Agent> {
  const { events, session } = trajectory
  const [turns, elapsedMs] = [conversationOf(trajectory), elapsedOf(trajectory)]
  const calledNothing = !events.some(({ type }) => type === 'tool-call' || type === 'tool-result')
  const facts = {
    ...spendingOf(trajectory),
    ...(output === undefined ? {} : { output }),
    ...(turns === undefined ? {} : { turns }),
    ...(elapsedMs === undefined ? {} : { elapsedMs }),
    ...(session === undefined ? {} : { sessionId: session }),
    ...(calledNothing && events.length > 0 ? { phases: [{ name: 'agent', toolUses: [] }] } : {}),
    metadata: { [inspectFacts]: sampleFacts(sample, trajectory) },
  }
  const { error, limit } = sample
  if (error) return errored(Object.assign(new Error(error.message), { name: 'SampleError' }), facts)
  const isTime = limit?.type === 'time' || limit?.type === 'working'
  return isTime ? timedOut(limit.reason ?? `${limit.type} limit`, facts) : completed(facts)
}

/** What the trial says of its sample. */
function sampleFacts({ id, epoch, limit, working_time: seconds }: SampleFacts, { unread }: Trajectory): JsonObject {
  return {
    ...{ id, epoch, unread: [...unread] },
    ...(limit ? { limit: { type: limit.type, limit: limit.limit ?? null } } : {}),
    ...(typeof seconds === 'number' ? { workingSeconds: seconds } : {}),
  }
}

function factsOf({ version, status, eval: head, results, error }: InspectHeader): JsonObject {
  const { task, model, created, eval_id, run_id, task_id, packages } = head
  const facts = { version, status, task, model, created, eval_id, run_id, task_id, packages, results, error }
  const known = Object.entries(facts).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(known) as { readonly [key: string]: Json }
}

function digestOf({ header, samples, headline, threshold }: StoredLog): string {
  const { eval: head } = header
  const all = samples.map(({ sample: { id, epoch, target, error, limit }, question, output, scores, trajectory }) => [
    ...[id, epoch, target, error?.message, limit?.type, question, output],
    ...[scores, trajectory],
  ])
  const sorted = all.map((one) => JSON.stringify(one)).sort()
  return createHash('sha256')
    .update(JSON.stringify([head.task, head.model, head.created, headline, threshold, sorted]))
    .digest('hex')
}
