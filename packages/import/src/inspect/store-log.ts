import type { Agent, JsonObject } from '@jurist/core'
import { completed, type ExperimentOptions, errored, runExperiment, timedOut } from '@jurist/experiment'
import { recordedAgent } from '@jurist/experiment/internal'
import type { ResultStore } from '@jurist/experiment/store'
import { groupBy } from '@jurist/kit/group-by'
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
import type { Trajectory } from '../traces/trajectory.js'
import type { InspectHeader } from './log-schema.js'
import type { ReadSample, SampleFacts } from './read-samples.js'
import { inspectFacts, keyOf, recordedJury, type StoredScores } from './scores.js'

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

/**
 * Stores a log as a run with a trial for each sample and epoch, judged by the recorded scores. The same log under the
 * same name is stored once. An interrupted import continues.
 *
 * @throws `store-failed`
 */
export async function storeLog(log: StoredLog): Promise<ImportedRun> {
  const { store, name, header, samples, headline, threshold, signal } = log
  const items = itemsOf(samples)
  const digest = digestOfLog(log)
  const scores: StoredScores = new Map(samples.map(({ sample: { id, epoch }, scores }) => [keyOf(id, epoch), scores]))
  const { model } = header.eval
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
  return { runId: run.id, isNew, items: items.length, trials: samples.length }
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

function digestOfLog({ header, samples, headline, threshold }: StoredLog): string {
  const { eval: head } = header
  const all = samples.map(({ sample: { id, epoch, target, error, limit }, question, output, scores, trajectory }) => [
    ...[id, epoch, target, error?.message, limit?.type, question, output],
    ...[scores, trajectory],
  ])
  const sorted = all.map((one) => JSON.stringify(one)).sort()
  return digestOf([head.task, head.model, head.created, headline, threshold, sorted])
}
