import { abstain, fail, type Invocation, type Judge, pass } from '@jurist/core'
import { type ExperimentOptions, type InlineItem, runSession } from '@jurist/experiment'
import { type Lift, liftFacts, liftOf, type Triggers, triggersOf } from '@jurist/experiment/internal'
import { usageInvalid } from '@jurist/experiment/plugin'
import type { RunResult } from '@jurist/experiment/result'
import type { Host } from '../../command-kit/host.js'
import type { Results } from '../../command-kit/results-store.js'
import type { LiftAgent } from './agents.js'
import { armAgent, armsOf, type Study } from './arms.js'
import type { Tasks } from './asked.js'
import type { TriggerQuery } from './evals.js'
import type { Subject } from './subject.js'

interface Parts {
  readonly agent: LiftAgent
  readonly study: Study
  /** `null`: trigger queries only. */
  readonly tasks: Tasks | null
  readonly queries: readonly TriggerQuery[]
  readonly common: Omit<ExperimentOptions, 'name' | 'dataset'>
}

interface Running {
  readonly resume: boolean
  readonly signal: AbortSignal
}

/** What a study has measured. */
export interface Measured {
  readonly sessions: readonly string[]
  readonly lift: Lift | null
  readonly triggers: Triggers | null
}

/**
 * Runs the tasks in both arms, then the trigger queries in the arm with the subject.
 *
 * @returns `null` when an arm did not run
 */
export async function runStudy(
  host: Host,
  results: Results,
  { agent, study, tasks, queries, common }: Parts,
  { resume, signal }: Running,
): Promise<Measured | null> {
  const { subject } = study
  const arms = armsOf(study)
  const [name, triggersName] = [experimentName(subject), experimentName(subject, '-triggers')]
  const names = { tasks: tasks === null ? null : name, triggers: queries.length === 0 ? null : triggersName }
  const left = resume ? await leftOf(results, names, study) : { tasks: null, resume: null }
  const conditions = (one: Subject | null) => ({ lift: one?.hash ?? null })
  let done = left.tasks
  if (tasks !== null && done === null) {
    const { planned, ...asked } = tasks
    const variants = arms.map((arm): [string, object] => [
      arm.name,
      { agent: armAgent({ agent, study, arm }), conditions: conditions(arm.subject) },
    ])
    const experiment = { ...common, ...asked, name, metadata: { lift: { planned } } }
    const running = { resume: left.resume === 'tasks', signal }
    done = await studied(host, { ...experiment, variants: Object.fromEntries(variants) }, running)
  }
  const [before, after] = arms
  const [without, withIt] = [before, after].map((arm) => done?.runs[arm.name])
  if (done !== null && (without === undefined || withIt === undefined)) return null
  const lift = without === undefined || withIt === undefined ? null : liftOf(without, withIt, tasks?.planned ?? 0)
  const sessions = done === null ? [] : [done.session]
  if (queries.length === 0 || signal.aborted) return { sessions, lift, triggers: null }
  if (lift !== null && lift.with.used.of === 0) {
    host.note(
      'No trigger queries are asked: the journal of the agent shows no calls, so nothing could be seen to fire.',
    )
    return { sessions, lift, triggers: null }
  }
  const experiment = {
    ...{ ...common, name: triggersName, dataset: queries.map(queryItem), jury: firing },
    hooks: { afterAgent: ({ invocation }: { readonly invocation: Invocation }) => ({ fired: firedIn(invocation) }) },
    variants: {
      [after.name]: {
        agent: armAgent({ agent, study, arm: after, isReadOnly: true }),
        conditions: conditions(subject),
      },
    },
  }
  // Sessions that begin in the same second have the same name.
  const isResumed = left.resume === 'triggers'
  const session = done === null || isResumed ? undefined : `${done.session}-triggers`
  const fired = await studied(host, experiment, { resume: isResumed, signal }, session)
  const asked = fired.runs[after.name]
  if (asked === undefined) return null
  return { sessions: [...sessions, fired.session], lift, triggers: triggersOf(asked, queries) }
}

/** A directory name of at most 64 characters. */
function experimentName({ name }: Subject, end = ''): string {
  return `lift-${name}`.slice(0, 64 - end.length) + end
}

function queryItem({ id, query, should }: TriggerQuery): InlineItem {
  return { id, task: query, metadata: { should } }
}

function firedIn({ metadata }: Invocation): boolean | null {
  const isFired = metadata?.[liftFacts.used]
  return typeof isFired === 'boolean' ? isFired : null
}

const firing: Judge = async function firing({ metadata: { should, fired } }) {
  if (typeof fired !== 'boolean') return abstain('The journal of the agent shows no calls.')
  const words = fired ? 'It fired.' : 'It did not fire.'
  return fired === should ? pass(words) : fail(words)
}

/** The runs of a session, by the name of their variant. */
interface Studied {
  readonly session: string
  readonly runs: Readonly<Record<string, RunResult>>
}

/** Runs a part of a study, or goes on with it. */
async function studied(
  host: Host,
  experiment: ExperimentOptions<string>,
  { resume, signal }: Running,
  name?: string,
): Promise<Studied> {
  const session = runSession<string>(experiment, {
    ...{ kind: 'lift', order: 'item', signal, resume },
    ...(name === undefined ? {} : { session: name }),
    onEvent: (event) => {
      if (event.type === 'warning' || event.type === 'experiment-stop') host.note(event.message)
    },
  })
  const { results } = await session.result
  return { session: session.session, runs: results as Studied['runs'] }
}

/** What is left of an unfinished study: its tasks, its trigger queries, or both. */
interface Left {
  /** The tasks that are done already. */
  readonly tasks: Studied | null
  readonly resume: 'tasks' | 'triggers' | null
}

/**
 * @param names the experiments of the tasks and of the trigger queries; `null`: not part of this study
 * @throws `usage-invalid` when nothing is left, or when the subject has changed since
 */
async function leftOf(
  { store }: Results,
  names: { readonly tasks: string | null; readonly triggers: string | null },
  study: Study,
): Promise<Left> {
  const { name } = study.subject
  const hashes = new Map(armsOf(study).map((arm) => [arm.name, arm.subject?.hash ?? null]))
  const [tasks, triggers] = await Promise.all(
    [names.tasks, names.triggers].map((name) => (name === null ? undefined : store.sessions.mostRecent(name))),
  )
  const isUnfinished = tasks?.status === 'running' || (names.tasks === null && triggers?.status === 'running')
  const isNewer = triggers !== undefined && (tasks === undefined || triggers.createdAt >= tasks.createdAt)
  const isBetween =
    names.triggers !== null && tasks?.status === 'completed' && !(isNewer && triggers.status !== 'running')
  if (!isUnfinished && !isBetween)
    throw usageInvalid('--resume', `There is no unfinished study of ${name}. Leave --resume out.`)
  const known = tasks ?? triggers
  const runs: Record<string, RunResult> = {}
  for (const { variant, runId } of known?.variants ?? []) {
    const run = await store.load(runId)
    if (run === undefined) continue
    runs[variant] = run
    if (hashes.has(variant) && run.conditions['lift'] !== hashes.get(variant))
      throw usageInvalid(
        '--resume',
        `${name} has changed since this study began. Restore its files, or leave --resume out.`,
      )
  }
  if (isUnfinished) return { tasks: null, resume: tasks?.status === 'running' ? 'tasks' : 'triggers' }
  return { tasks: { session: tasks?.session ?? '', runs }, resume: isNewer ? 'triggers' : null }
}
