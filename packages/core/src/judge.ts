import { startTimer } from '@jurist/kit/timers'
import { anySignal, endsWithin, onAbort } from './abort-signals.js'
import { type ContextInput, contextFrom, type JudgmentContext, neverAborted, withJudgedWorkspace } from './context.js'
import { failureOf, JuristError } from './errors.js'
import { faultIn } from './fault.js'
import { isObject } from './json.js'
import type { CalledModels, JudgeModel, ModelInfo } from './judge-model.js'
import { ownContextOf } from './judge-workspace.js'
import { type ErrorJudgment, type FailJudgment, fail, type Judgment, pass } from './judgment.js'
import { buildJudgment, judgmentFromJson, timed } from './judgment-record.js'
import { checkName } from './name.js'
import { checkOptions, option } from './options.js'
import { unjudgeable, withBlame } from './unjudgeable.js'

/**
 * A judge: a function that examines a run and decides whether it is right. It takes the context and returns a judgment,
 * `true` or `false`. Call judges through `runJudge`.
 */
export interface Judge {
  (context: JudgmentContext): Judgment | boolean | Promise<Judgment | boolean>
  /** Name, kind and options of the judge; set with `withInfo`. */
  readonly info?: Partial<JudgeInfo>
}
/** The kind of evidence a judge relies on: rules, a model, both, or an agent. */
export type JudgeKind = 'deterministic' | 'model' | 'hybrid' | 'agent'
/** The description of a judge, for juries, reports and fingerprints. */
export interface JudgeInfo {
  readonly name: string
  readonly description?: string
  readonly kind: JudgeKind
  /** Free text that the author changes when the criteria change. Part of the fingerprint of a jury. */
  readonly version?: string
  /**
   * Every setting that can change the judgment, such as criteria and thresholds. Part of the fingerprint of a jury;
   * functions count by their names.
   */
  readonly options?: object
  /** The judges it combines. The commands they run, the reports they read and the models they ask count as its own. */
  readonly judges?: readonly Judge[]
  /** Whether it runs commands in the workspace. Default `false`. */
  readonly runsCommands?: boolean
  /** Whether it reads reports that commands write, without running these commands itself. Default `false`. */
  readonly readsReports?: boolean
  /** The models it asks. */
  readonly models?: readonly JudgeModel[]
  /** The certificate on which a jury bases its decisions. `null`: the jury needs a certificate and has none yet. */
  readonly certificate?: { readonly id: string } | null
}

/**
 * Runs a judge and returns its judgment. Never rejects for what the judge does: an exception, a timeout and an invalid
 * answer become judgments too.
 *
 * @param judge a judge; `true` and `false` become pass and fail
 * @param context a context, or its parts
 * @param options `timeoutMs` limits the judge (default: no limit); its `context.signal` fires when the time is up
 * @returns the judgment, with `elapsedMs`. ERROR when the judge throws, returns something else, takes too long
 * (`judge-timeout`) or the signal fires (`aborted`). FAIL, with a check named after the error code, when the judge
 * throws because of files that the agent left in the workspace
 * @throws `option-invalid` for a bad `timeoutMs` or bad parts of a context
 *
 * @example
 * import { fileExists, runJudge } from '@jurist/core'
 * import { memoryWorkspace } from '@jurist/core/testing'
 *
 * const { status } = await runJudge(fileExists('README.md'), { workspace: memoryWorkspace({ 'README.md': '' }) })
 * console.log(status) // 'pass'
 */
export async function runJudge(
  judge: Judge,
  context: ContextInput,
  options?: { readonly timeoutMs?: number },
): Promise<Judgment> {
  const { timeoutMs } = checkOptions('runJudge', options, { timeoutMs: option.positive })
  return runWithin(judge, contextFrom(context), timeoutMs)
}

export async function runWithin(
  judge: Judge,
  context: JudgmentContext,
  timeoutMs: number | undefined,
): Promise<Judgment> {
  const { name } = infoOf(judge)
  const startedAt = performance.now()
  const answer = await guard<unknown>(name, context, timeoutMs, judge)
  return timed(judgmentFrom(answer, name), performance.now() - startedAt)
}

/** Isolates one of several judges: its commands and writes do not affect what the others see. */
export async function runApart(
  judge: Judge,
  context: JudgmentContext,
  timeoutMs: number | undefined,
): Promise<Judgment> {
  const own = ownContextOf(context)
  return own.end(await runWithin(judge, own.context, timeoutMs))
}

/**
 * Runs one step of judging (a judge, the vote of a jury, a tier). An exception, a timeout and an abort become a
 * judgment: FAIL where the agent is to blame, otherwise ERROR. The step may continue in the background; its result is
 * then ignored.
 */
export async function guard<Value>(
  name: string,
  given: JudgmentContext,
  timeoutMs: number | undefined,
  step: (context: JudgmentContext) => Value | PromiseLike<Value>,
): Promise<Value | ErrorJudgment | FailJudgment> {
  try {
    const context = withJudgedWorkspace(given)
    const { signal } = context
    if (signal.aborted) throw abortedError(signal)
    return timeoutMs === undefined
      ? await untilAborted(step(context), signal)
      : await bounded(name, context, timeoutMs, step)
  } catch (thrown) {
    return thrownJudgment(name, thrown)
  }
}

export function thrownJudgment(name: string, thrown: unknown): ErrorJudgment | FailJudgment {
  const failure = failureOf(thrown)
  const fault = faultIn(thrown)
  if (fault !== undefined) return unjudgeable(failure.message, fault)
  return buildJudgment({ status: 'error', failure }, `${name} threw: ${failure.message}`)
}

async function bounded<Value>(
  name: string,
  context: JudgmentContext,
  timeoutMs: number,
  step: (context: JudgmentContext) => Value | PromiseLike<Value>,
): Promise<Value> {
  const clock = new AbortController()
  const cancel = startTimer(timeoutMs, () => {
    const message = `${name} took longer than ${timeoutMs} ms. Give it more time, or less to do.`
    clock.abort(new JuristError('judge-timeout', message, { timeoutMs }))
  })
  endsWithin(clock.signal, timeoutMs)
  const signal = context.signal === neverAborted ? clock.signal : anySignal([context.signal, clock.signal])
  try {
    return await untilAborted(step({ ...context, signal }), signal)
  } finally {
    cancel()
  }
}

/**
 * Ignores the outcome of `value` once `signal` has fired.
 *
 * @throws `aborted`
 */
export function untilAborted<Value>(value: Value | PromiseLike<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise<Value>((resolve, reject) => {
    const stop = () => reject(abortedError(signal))
    const release = onAbort(signal, stop)
    if (signal.aborted) stop()
    Promise.resolve(value).then(resolve, reject).then(release)
  })
}

export function abortedError(signal: AbortSignal): unknown {
  const reason: unknown = signal.reason
  if (JuristError.is(reason, 'judge-timeout')) return reason
  const text = reason instanceof Error ? reason.message : String(reason)
  return new JuristError('aborted', `Judging was stopped: ${text}.`, { reason: text }, { cause: reason })
}

export function judgmentFrom(value: unknown, name: string): Judgment {
  if (value === true) return pass(`${name} holds`)
  if (value === false) return fail(`${name} does not hold`)
  try {
    return withBlame(answeredJudgment(value))
  } catch (thrown) {
    return thrownJudgment(name, thrown)
  }
}

/**
 * Keys whose value is `undefined` count as absent, as they do in JSON.
 *
 * @throws `judgment-invalid` for anything but a judgment
 */
export function answeredJudgment(value: unknown): Judgment {
  if (!isObject(value) || Object.isFrozen(value)) return judgmentFromJson(value)
  return judgmentFromJson(Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)))
}

/**
 * Returns the description of a judge: what `named` or `withInfo` set. By default the name is that of the function and
 * the kind is `deterministic`.
 *
 * @example
 * import { fileExists, infoOf, named } from '@jurist/core'
 *
 * infoOf(named(fileExists('README.md'), 'readme')).name // 'readme'
 */
export function infoOf(judge: Judge): JudgeInfo {
  return { name: isUnnamed(judge) ? 'judge' : judge.name, kind: 'deterministic', ...judge.info }
}

function isUnnamed(judge: Judge): boolean {
  return ['', 'jury', 'judge'].includes(judge.name)
}

export function identityOf(judge: Judge): Pick<JudgeInfo, 'name' | 'kind' | 'description' | 'version'> {
  const { name, kind, description, version } = infoOf(judge)
  return { name, kind, ...(description !== undefined && { description }), ...(version !== undefined && { version }) }
}

/**
 * Returns a copy of a judge under another name. Kind, vote and (unless one is given) description are kept.
 *
 * @throws `name-invalid`
 *
 * @example
 * import { fileExists, named } from '@jurist/core'
 *
 * named(fileExists('README.md'), 'readme')
 */
export function named<J extends Judge>(judge: J, name: string, description?: string): J {
  return withInfo(judge, { name, description })
}

/**
 * Returns a copy of a judge with this description. Fields that are not given stay as they are, and options are added to
 * those the judge has.
 *
 * @throws `name-invalid`
 *
 * @example
 * import { asText, type Judge, withInfo } from '@jurist/core'
 *
 * const shorterThan = (limit: number): Judge => {
 *   const short: Judge = ({ agentOutput }) => agentOutput !== undefined && asText(agentOutput).length < limit
 *   return withInfo(short, { name: 'short', options: { limit } })
 * }
 */
export function withInfo<J extends Judge>(judge: J, info: Partial<JudgeInfo>): J {
  if (info.name !== undefined) checkName(info.name, 'a judge')
  const copy = ((context: JudgmentContext) => judge(context)) as J
  Object.defineProperties(copy, {
    ...Object.getOwnPropertyDescriptors(judge),
    name: { value: info.name ?? judge.name, configurable: true },
  })
  return giveInfo(copy, info)
}

interface Informed {
  readonly info?: AgentFacts
}

/** What is known of an agent and not of a judge or a model. */
interface AgentFacts {
  readonly options?: object
  readonly models?: CalledModels
  readonly isInWorkspace?: boolean
  readonly modelAddress?: string | undefined
}

/**
 * Adds to the info in place, for values that were just created and are not shared yet. Options are added to
 * existing ones.
 */
export function giveInfo<J extends Judge>(judge: J, info: Partial<JudgeInfo>): J
export function giveInfo<M extends JudgeModel>(model: M, info: Partial<ModelInfo>): M
export function giveInfo<Made extends object>(made: Made, info: AgentFacts): Made
export function giveInfo<Made extends object>(made: Made, info: { readonly options?: object }): Made {
  const { info: own } = made as Informed
  const given = Object.fromEntries(Object.entries(info).filter(([, value]) => value !== undefined))
  const options = (own?.options ?? info.options) && Object.freeze({ ...own?.options, ...info.options })
  const value = { ...own, ...given, ...(options && { options }) }
  return Object.defineProperty(made, 'info', { value: Object.freeze(value), configurable: true })
}

export function optionsIn(made: object): object | undefined {
  return (made as Informed).info?.options
}

/**
 * Marks an agent whose program runs where the workspace runs commands, and so in its sandbox.
 *
 * @param inner an agent that it calls: it is marked only if that one is
 * @param modelAddress where its program asks its model. Default: that of `inner`
 */
export function markInWorkspace<Marked extends object>(
  agent: Marked,
  inner?: object,
  modelAddress: string | undefined = inner && modelAddressOf(inner),
): Marked {
  return giveInfo(agent, { isInWorkspace: inner === undefined || isInWorkspace(inner), modelAddress })
}

/** The address at which the program of an agent asks its model; `undefined` if it is not known. */
export function modelAddressOf(agent: object): string | undefined {
  return (agent as Informed).info?.modelAddress
}

/** Whether an agent runs in the sandbox of its workspace. Other agents run in this process, which nothing isolates. */
export function isInWorkspace(agent: object): boolean {
  return (agent as Informed).info?.isInWorkspace === true
}

export function commonKind(judges: readonly Judge[]): JudgeKind {
  const kinds = new Set(judges.map((judge) => infoOf(judge).kind))
  const [kind = 'deterministic'] = kinds
  return kinds.size > 1 ? 'hybrid' : kind
}
