import { abstain, fail, type Invocation, type Judge, JuristError, pass } from '@jurist/core'
import { totalCost } from '@jurist/core/internal'
import {
  type ExperimentEvent,
  type ExperimentOptions,
  type InlineItem,
  planExperiment,
  runSession,
} from '@jurist/experiment'
import { type Lift, liftFacts, liftOf, type Triggers, triggersOf } from '@jurist/experiment/internal'
import { counted } from '@jurist/experiment/internal/results'
import { usageInvalid } from '@jurist/experiment/plugin'
import { dollars, duration, type RunResult } from '@jurist/experiment/result'
import type { Host } from '../../command-kit/host.js'
import type { Results } from '../../command-kit/results-store.js'
import { progressView } from '../../terminal/progress-view.js'
import type { LiftAgent } from './agents.js'
import { type Arm, armAgent, armsOf, type Study } from './arms.js'
import type { Tasks } from './asked.js'
import type { TriggerQuery } from './evals.js'
import type { Subject } from './subject.js'

interface Parts {
  /** US dollars for the whole study. */
  readonly budget: number | undefined
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

/** The measurements of a study. */
export interface Measured {
  readonly sessions: readonly string[]
  readonly lift: Lift | null
  readonly triggers: Triggers | null
}

/**
 * Runs the tasks in both arms, then the trigger queries in the arm with the subject.
 *
 * @returns `null` when an arm did not run
 * @throws `usage-invalid` for a budget that does not suffice by an earlier study, `budget-short` by the first trials of this one
 */
export async function runStudy(
  host: Host,
  results: Results,
  { agent, study, tasks, queries, budget, common }: Parts,
  { resume, signal }: Running,
): Promise<Measured | null> {
  const { subject } = study
  const [before, after] = armsOf(study)
  const [name, triggersName] = [experimentName(subject), experimentName(subject, '-triggers')]
  const names = { tasks: tasks === null ? null : name, triggers: queries.length === 0 ? null : triggersName }
  const left = resume ? await leftOf(results, names, study, common) : { tasks: null, resume: null }
  const variantsOf = async (arms: readonly Arm[], isReadOnly: boolean) =>
    Object.fromEntries(
      await Promise.all(
        arms.map(async (arm) => {
          const conditions = { lift: arm.subject?.hash ?? null }
          return [arm.name, { agent: await armAgent({ agent, study, arm, isReadOnly }), conditions }] as const
        }),
      ),
    )
  const ofTasks = tasks !== null && {
    ...{ ...common, dataset: tasks.dataset, ...(tasks.filter && { filter: tasks.filter }), name },
    metadata: { lift: { planned: tasks.planned } },
    variants: await variantsOf([before, after], false),
  }
  const ofTriggers = queries.length > 0 && {
    ...{ ...common, name: triggersName, dataset: queries.map(queryItem), jury: firing },
    hooks: { afterAgent: ({ invocation }: { readonly invocation: Invocation }) => ({ fired: firedIn(invocation) }) },
    variants: await variantsOf([after], true),
  }
  const experiments = [ofTasks, ofTriggers].flatMap((one) => one || [])
  const spending = await spendingOf(host, experiments, budget, resume)
  const running = { signal, spending }
  let done = left.tasks
  if (ofTasks && done === null) done = await studied(host, ofTasks, { ...running, resume: left.resume === 'tasks' })
  const [without, withIt] = [before, after].map((arm) => done?.runs[arm.name])
  if (done !== null && (without === undefined || withIt === undefined)) return null
  const lift = without === undefined || withIt === undefined ? null : liftOf(without, withIt, tasks?.planned ?? 0)
  const sessions = done === null ? [] : [done.session]
  if (!ofTriggers || signal.aborted) return { sessions, lift, triggers: null }
  if (lift !== null && lift.with.used.of === 0) {
    host.note(
      'No trigger queries are asked: the journal of the agent shows no calls, so nothing could be seen to fire.',
    )
    return { sessions, lift, triggers: null }
  }
  // Sessions that begin in the same second have the same name.
  const isResumed = left.resume === 'triggers'
  const session = done === null || isResumed ? undefined : `${done.session}-triggers`
  const fired = await studied(host, ofTriggers, { ...running, resume: isResumed }, session)
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

/** Runs a part of a study, or continues it. */
async function studied(
  host: Host,
  experiment: ExperimentOptions<string>,
  { resume, signal, spending }: Running & { readonly spending: Spending },
  name?: string,
): Promise<Studied> {
  const runs = Object.keys(experiment.variants ?? {}).length
  const view = host.flags.quiet === true ? undefined : progressView(host.terminal, { runs, verbose: false })
  try {
    const session = runSession<string>(experiment, {
      ...{ kind: 'lift', order: 'item', resume, signal: AbortSignal.any([signal, spending.signal]) },
      ...(name === undefined ? {} : { session: name }),
      onEvent(event) {
        view?.show(event)
        spending.follow(event)
      },
    })
    const { results } = await session.result
    spending.signal.throwIfAborted()
    return { session: session.session, runs: results as Studied['runs'] }
  } finally {
    view?.stop()
  }
}

/** The rest of an unfinished study: its tasks, its trigger queries, or both. */
interface Left {
  /** The tasks that are done already. */
  readonly tasks: Studied | null
  readonly resume: 'tasks' | 'triggers' | null
}

/**
 * @param names the experiments of the tasks and of the trigger queries; `null`: not part of this study
 * @throws `usage-invalid` when nothing is left, or when the subject or the agent has changed since
 */
async function leftOf(
  { store }: Results,
  names: { readonly tasks: string | null; readonly triggers: string | null },
  study: Study,
  { conditions }: Parts['common'],
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
    const changed =
      hashes.has(variant) && run.conditions['lift'] !== hashes.get(variant)
        ? name
        : run.conditions['program'] !== conditions?.['program']
          ? `The agent (${run.conditions['program']}, now ${conditions?.['program']})`
          : null
    if (changed !== null)
      throw usageInvalid(
        '--resume',
        `${changed} has changed since this study began. Restore it, or leave --resume out.`,
      )
  }
  if (isUnfinished) return { tasks: null, resume: tasks?.status === 'running' ? 'tasks' : 'triggers' }
  return { tasks: { session: tasks?.session ?? '', runs }, resume: isNewer ? 'triggers' : null }
}

declare module '@jurist/core' {
  interface Problems {
    'budget-short': { readonly budgetUsd: number }
  }
}

/** The cost of a study, against its budget. */
interface Spending {
  readonly follow: (event: ExperimentEvent) => void
  /** Fires with `budget-short`. */
  readonly signal: AbortSignal
}

const remedy = 'Raise --budget, or ask less: --repeat, --item, --no-triggers'

/**
 * Prints how many trials a study has, and what they cost and take by earlier studies of the same name. Without any, the cost is
 * estimated from the first trial of each arm.
 *
 * @param experiments the tasks, and the trigger queries
 * @throws `usage-invalid` when the budget does not suffice by the earlier studies
 */
async function spendingOf(
  { note }: Host,
  experiments: readonly ExperimentOptions<string>[],
  budget: number | undefined,
  isResumed: boolean,
): Promise<Spending> {
  const sizes: string[] = []
  const estimates: (number | null)[] = []
  let [trials, ms] = [0, 0]
  for (const [index, experiment] of experiments.entries()) {
    const names = Object.keys(experiment.variants ?? {})
    const plans = await Promise.all(names.map((variant) => planExperiment(experiment, { variant, kind: 'lift' })))
    const planned = plans.reduce((sum, plan) => sum + plan.trials, 0)
    trials += planned
    estimates.push(...plans.map(({ estimatedCostUsd }) => estimatedCostUsd))
    // Arms run next to each other.
    ms += Math.max(...plans.map(({ estimatedMs }) => estimatedMs ?? Number.NaN))
    sizes.push(counted(planned, index === 0 && names.length > 1 ? 'trial' : 'trigger trial'))
  }
  const expected = estimates.includes(null) ? undefined : totalCost(estimates)
  const time = Number.isNaN(ms) ? '' : `, about ${duration(ms)}`
  const cost = expected === undefined ? '' : `, about ${dollars(expected)}`
  note(`${sizes.join(' + ')}${cost}${time}${cost + time === '' ? '' : ' by the latest study'}`)
  if (budget !== undefined && expected !== undefined && expected > budget && !isResumed)
    throw usageInvalid('--budget', `${dollars(budget)} ${isNotEnough}: about ${dollars(expected)}. ${remedy}.`)
  return follower({ note, trials, budget, isEstimated: expected !== undefined })
}

const isNotEnough = 'does not suffice for this study'

interface Following extends Pick<Host, 'note'> {
  readonly trials: number
  readonly budget: number | undefined
  readonly isEstimated: boolean
}

function follower({ note, trials, budget, isEstimated }: Following): Spending {
  const stop = new AbortController()
  let left = trials
  const costs = new Map<string, number[]>()
  let isSaid = isEstimated
  let isPriced = true
  const short = (what: string) => {
    const message = `${what} Finished trials are stored. ${remedy}; add --resume to continue.`
    if (!stop.signal.aborted) stop.abort(new JuristError('budget-short', message, { budgetUsd: budget ?? 0 }))
  }
  return {
    signal: stop.signal,
    follow(event) {
      if (event.type === 'experiment-start') {
        costs.set(event.runId, [])
        left -= event.resumed
      }
      if (event.type !== 'item-end') return
      const { costUsd, judgeCostUsd } = event.result
      const cost = totalCost([costUsd, judgeCostUsd])
      if (cost === undefined && budget !== undefined && isPriced) {
        isPriced = false
        note('warning: A trial declares no cost: the budget cannot count it.')
      }
      if (cost !== undefined) costs.get(event.runId)?.push(cost)
      const known = [...costs.values()]
      const spent = known.flat().reduce((sum, one) => sum + one, 0)
      if (budget !== undefined && spent >= budget) short(`The budget of ${dollars(budget)} is used up.`)
      if (isSaid || known.some((one) => one.length === 0)) return
      isSaid = true
      const expected = (spent / known.flat().length) * left
      note(`About ${dollars(expected)} for ${counted(left, 'trial')}, by the first ${known.flat().length}.`)
      if (budget !== undefined && expected > budget)
        short(`${dollars(budget)} ${isNotEnough}: about ${dollars(expected)}.`)
    },
  }
}
