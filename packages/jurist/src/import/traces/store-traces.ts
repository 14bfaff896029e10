import { createHash } from 'node:crypto'
import type { Agent, JsonObject } from '@jurist/core'
import { completed, errored, runExperiment, trialOf } from '@jurist/experiment'
import { recordedAgent } from '@jurist/experiment/internal'
import { type RunOverview, trialText } from '@jurist/experiment/internal/results'
import type { ResultStore } from '@jurist/experiment/store'
import { answerOf, conversationOf, elapsedOf, spendingOf, type Trajectory, taskOf } from './trajectory.js'

/** Traces to be stored as a run. */
interface StoredTraces {
  readonly store: ResultStore
  /** The name of the experiment. */
  readonly name: string
  /** Such as `atif`. */
  readonly format: string
  readonly trajectories: readonly Trajectory[]
  /** Facts of the import, such as its sample. They are part of what makes two imports the same. */
  readonly facts?: JsonObject
  readonly signal: AbortSignal
}

/** What was stored, or is stored already. */
interface ImportedRun {
  readonly runId: string
  readonly isNew: boolean
  readonly items: number
  readonly trials: number
}

/**
 * Stores trajectories as a run whose trials no jury has judged. The same trajectories under the same name are stored once; an import
 * that was stopped is continued.
 *
 * @throws `store-failed`
 */
export async function storeTraces(traces: StoredTraces): Promise<ImportedRun> {
  const { store, name, format, trajectories, facts = {}, signal } = traces
  const items = itemsOf(trajectories)
  const digest = digestOf([format, facts, trajectories])
  const counts = { items: items.length, trials: trajectories.length }
  const earlier = await importedBefore(store, name, digest)
  if (earlier !== undefined) return { runId: earlier, isNew: false, ...counts }
  const unfinished = await importedBefore(store, name, digest, false)
  const run = runExperiment(
    {
      name,
      dataset: items.map(({ id, task, trajectories: repeated }) => ({ id, task, repetitions: repeated.length })),
      agent: replayed(items),
      store,
      itemTimeoutMs: 600_000,
      retries: { attempts: 1 },
      bail: false,
      maxInfrastructureFailures: false,
      preserveWorkspaces: 'none',
      metadata: { import: { format, digest, ...facts } },
    },
    { signal, resume: unfinished },
  )
  await run.overview
  return { runId: run.runId, isNew: true, ...counts }
}

/** A task with the trajectories of it. */
interface TraceItem {
  readonly id: string
  readonly task: string
  readonly trajectories: readonly Trajectory[]
}

/** Trajectories with the same name and task are repetitions; those with the same name and another task get a number. */
function itemsOf(trajectories: readonly Trajectory[]): readonly TraceItem[] {
  const items = new Map<string, TraceItem & { readonly trajectories: Trajectory[] }>()
  const names = new Map<string, number>()
  for (const trajectory of trajectories) {
    const [name, task] = [itemName(trajectory.name), taskOf(trajectory)]
    const key = JSON.stringify([name, task])
    const known = items.get(key)
    if (known !== undefined) {
      known.trajectories.push(trajectory)
      continue
    }
    const number = (names.get(name) ?? 0) + 1
    names.set(name, number)
    items.set(key, { id: number === 1 ? name : `${name}-${number}`, task, trajectories: [trajectory] })
  }
  return [...items.values()]
}

/** A name that is the id of an item, with room for a number. */
function itemName(name: string): string {
  const safe = [...name].map((one) => (/[\p{Cc}/\\]/u.test(one) ? '-' : one)).join('')
  const short = safe.trim().slice(0, 110)
  return short === '' || short === '.' || short === '..' ? 'trace' : short
}

/** An agent that says and does again what the traces recorded. */
function replayed(items: readonly TraceItem[]): Agent {
  const byId = new Map(items.map((item) => [item.id, item.trajectories]))
  return recordedAgent(function importedTrace(task) {
    const { itemId = '', repetition = 1 } = trialOf(task) ?? {}
    const trajectory = byId.get(itemId)?.[repetition - 1]
    if (trajectory === undefined) return errored(new Error(`There is no trace ${trialText({ itemId, repetition })}.`))
    let at: string | undefined
    for (const event of trajectory.events) {
      // An event without a time happened when the one before did: not now.
      at = event.at ?? at
      task.record?.(at === undefined ? event : { ...event, at })
    }
    return invocationOf(trajectory)
  })
}

function invocationOf(trajectory: Trajectory): ReturnType<Agent> {
  const { events, session, failure } = trajectory
  const [output, turns, elapsedMs] = [answerOf(trajectory), conversationOf(trajectory), elapsedOf(trajectory)]
  const calledNothing = !events.some(({ type }) => type === 'tool-call' || type === 'tool-result')
  const facts = {
    ...spendingOf(trajectory),
    ...(output === undefined ? {} : { output }),
    ...(turns === undefined ? {} : { turns }),
    ...(elapsedMs === undefined ? {} : { elapsedMs }),
    ...(session === undefined ? {} : { sessionId: session }),
    // A trace that shows no call of a tool says that there was none.
    ...(calledNothing ? { phases: [{ name: 'agent', toolUses: [] }] } : {}),
    metadata: { trace: originOf(trajectory) },
  }
  return failure === undefined ? completed(facts) : errored(new Error(failure), facts)
}

/** What the trial says of its trace. */
function originOf({ agent, traceId, unread, notes }: Trajectory): JsonObject {
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(traceId === undefined ? {} : { traceId }),
    unread: [...unread],
    notes: [...notes],
  }
}

/** SHA-256 (hex) of a value as JSON: what was imported is known by it. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

/** The run of an earlier import of the same, which was finished or not. */
export async function importedBefore(
  store: ResultStore,
  name: string,
  digest: string,
  isFinished = true,
): Promise<string | undefined> {
  for await (const { id, kind, experimentName, status } of store.list()) {
    if (experimentName !== name || kind !== 'agent' || (status === 'completed') !== isFinished) continue
    const run: RunOverview | undefined = await store.overview(id)
    const found = run?.metadata['import'] as { readonly digest?: unknown } | undefined
    if (found?.digest === digest) return id
  }
  return undefined
}

/** The name of a model as that of a variant. */
export function variantName(model: string): string {
  const name = model
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64)
  return name === '' ? 'model' : name
}
