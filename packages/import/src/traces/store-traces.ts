import { createHash } from 'node:crypto'
import type { Agent, JsonObject } from '@jurist/core'
import { completed, errored, runExperiment, trialOf } from '@jurist/experiment'
import { recordedAgent } from '@jurist/experiment/internal'
import { type RunOverview, trialText } from '@jurist/experiment/internal/results'
import type { ResultStore } from '@jurist/experiment/store'
import { present } from './checked.js'
import { answerOf, conversationOf, elapsedOf, spendingOf, type Trajectory, taskOf } from './trajectory.js'

interface StoredTraces {
  readonly store: ResultStore
  /** The name of the experiment. */
  readonly name: string
  /** For example `atif`. */
  readonly format: string
  readonly trajectories: readonly Trajectory[]
  /** Facts of the import, such as its sample. They are part of its identity. */
  readonly facts?: JsonObject
  readonly signal: AbortSignal
}

/** The run that was stored now or earlier. */
export interface ImportedRun {
  readonly runId: string
  readonly isNew: boolean
  readonly items: number
  readonly trials: number
}

/**
 * Stores trajectories as a run whose trials are not judged. The same trajectories under the same name are stored once.
 * An interrupted import continues.
 *
 * @throws `store-failed`
 */
export async function storeTraces(traces: StoredTraces): Promise<ImportedRun> {
  const { store, name, format, trajectories, facts = {}, signal } = traces
  const items = itemsOf(trajectories)
  const digest = digestOf([format, facts, trajectories])
  const recorded = new Map(items.map(({ id, trials }) => [id, trials]))
  const agent = recordedAgent(function importedTrace(task) {
    return replayed(task, recorded, 'trace', ({ trajectory }) => invocationOf(trajectory))
  })
  const { run, isNew } = await storedOnce({ store, name, digest }, (resume) =>
    runExperiment(
      {
        ...{ name, agent, store, ...asRecorded },
        dataset: items.map(({ id, task, trials }) => ({ id, task, repetitions: trials.length })),
        retries: { attempts: 1 },
        metadata: { import: { format, digest, ...facts } },
      },
      { signal, resume },
    ),
  )
  return { runId: run.id, isNew, items: items.length, trials: trajectories.length }
}

/** The options for a run of recorded trials, all of which are stored. */
export const asRecorded = {
  itemTimeoutMs: 600_000,
  bail: false,
  maxInfrastructureFailures: false,
  preserveWorkspaces: 'none',
} as const

interface Recorded {
  readonly trajectory: Trajectory
}

interface TraceItem {
  readonly id: string
  readonly task: string
  readonly trials: Recorded[]
}

/** Trajectories with the same name and task are repetitions. Those with the same name and another task get a number. */
function itemsOf(trajectories: readonly Trajectory[]): readonly TraceItem[] {
  const items = new Map<string, TraceItem>()
  const names = new Map<string, number>()
  for (const trajectory of trajectories) {
    const [name, task] = [itemName(trajectory.name, 'trace'), taskOf(trajectory)]
    const key = JSON.stringify([name, task])
    const known = items.get(key)
    if (known !== undefined) {
      known.trials.push({ trajectory })
      continue
    }
    const number = (names.get(name) ?? 0) + 1
    names.set(name, number)
    items.set(key, { id: number === 1 ? name : `${name}-${number}`, task, trials: [{ trajectory }] })
  }
  return [...items.values()]
}

/** Makes a name a valid item id, short enough for a number to follow. */
export function itemName(name: string, otherwise: string): string {
  const safe = [...name].map((one) => (/[\p{Cc}/\\]/u.test(one) ? '-' : one)).join('')
  const short = safe.trim().slice(0, 110)
  return short === '' || short === '.' || short === '..' ? otherwise : short
}

/** Replays the recorded events of a trial. */
export function replayed<Trial extends Recorded>(
  task: Parameters<Agent>[0],
  recorded: ReadonlyMap<string, readonly Trial[]>,
  what: string,
  outcome: (trial: Trial) => ReturnType<Agent>,
): ReturnType<Agent> {
  const { itemId = '', repetition = 1 } = trialOf(task) ?? {}
  const trial = recorded.get(itemId)?.[repetition - 1]
  if (trial === undefined) return errored(new Error(`There is no ${what} ${trialText({ itemId, repetition })}.`))
  let at: string | undefined
  for (const event of trial.trajectory.events) {
    // An event without a time happened together with the event before it, not now.
    at = event.at ?? at
    task.record?.(at === undefined ? event : { ...event, at })
  }
  return outcome(trial)
}

function invocationOf(trajectory: Trajectory): ReturnType<Agent> {
  const { agent, traceId, unread, notes, failure } = trajectory
  const trace = { ...present({ agent, traceId }), unread: [...unread], notes: [...notes] }
  const facts = { ...factsOf(trajectory, answerOf(trajectory)), metadata: { trace } }
  return failure === undefined ? completed(facts) : errored(new Error(failure), facts)
}

/** Returns the invocation facts of a recorded agent. */
export function factsOf(trajectory: Trajectory, output: string | undefined) {
  const { events, session } = trajectory
  const isSilent = !events.some(({ type }) => type === 'tool-call' || type === 'tool-result')
  return {
    ...spendingOf(trajectory),
    output,
    turns: conversationOf(trajectory),
    elapsedMs: elapsedOf(trajectory),
    sessionId: session,
    // A trace without tool calls proves that there were none.
    phases: isSilent && events.length > 0 ? [{ name: 'agent', toolUses: [] }] : undefined,
  }
}

/** SHA-256 (hex) of a value as JSON, which identifies an import. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

/** Returns the run of an earlier equal import, continued if it was interrupted, or starts a new one. */
export async function storedOnce(
  { store, name, digest }: { readonly store: ResultStore; readonly name: string; readonly digest: string },
  start: (resume: string | undefined) => { readonly overview: PromiseLike<RunOverview> },
): Promise<{ readonly run: RunOverview; readonly isNew: boolean }> {
  let unfinished: string | undefined
  for await (const { id, kind, experimentName, status } of store.list()) {
    if (experimentName !== name || kind !== 'agent') continue
    const run = await store.overview(id)
    const found = run?.metadata['import'] as { readonly digest?: unknown } | undefined
    if (run === undefined || found?.digest !== digest) continue
    if (status === 'completed') return { run, isNew: false }
    unfinished ??= id
  }
  return { run: await start(unfinished).overview, isNew: true }
}

/** Makes the name of a model a valid variant name. */
export function variantName(model: string): string {
  const name = model
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64)
  return name === '' ? 'model' : name
}
