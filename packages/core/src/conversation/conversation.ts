import type { Agent, AgentTask, Invocation, JournalEvent } from '../agent.js'
import { type Failure, failureOf } from '../errors.js'
import type { Json } from '../json.js'
import { giveInfo, untilAborted } from '../judge.js'
import { modelsUsedBy } from '../judge-model.js'
import { checkRequired, type OptionRule, option, optionInvalid } from '../options.js'
import { textOutput } from '../output.js'
import { stepsOfEvents, type ToolStep, toolStepsRule } from '../tool-step.js'
import { type Held, heldConversation, type Turn, turnsRule, type UserPart } from '../turn.js'
import { type Spent, totalSpent, type Usage } from '../usage.js'
import type { WritableWorkspace } from '../workspace.js'
import { type Scenario, scenarioOf } from './scenario.js'
import { auditedPart, type UserAudit } from './user-audit.js'
import { type FinishedTalk, faultsByRule } from './user-rules.js'
import { type SimulatedUser, scriptedUser, type UserMove } from './users.js'

/** The answer of an agent in a conversation. A string is an answer of unknown cost. */
export interface Reply {
  readonly text: string
  /** The agent's tool calls before this answer. Default: those it recorded with `record`. */
  readonly steps?: readonly ToolStep[]
  /** The state for the session of the agent's next turn. Default: the state of this one. */
  readonly state?: Json
  readonly usage?: Usage
  /** US dollars. 0: free. Absent: not declared. */
  readonly costUsd?: number
  /** Whether the agent ends the conversation with this message. Default `false`. */
  readonly ends?: boolean
}

/** One turn of an agent in a conversation. */
export interface ConversationSession {
  /** The messages before `message`, including the history. */
  readonly turns: readonly Turn[]
  /** The user's new message. */
  readonly message: string
  readonly workspace: WritableWorkspace
  /** Fires when the agent must stop. */
  readonly signal: AbortSignal
  /** The last `state` that the agent returned; `null` at first. */
  readonly state: Json
  /** Records an event of this turn in the journal of the trial. Never throws. */
  readonly record: (event: JournalEvent) => void
}

/**
 * An agent that talks: it gets one message after the other, and answers each. It never sees the scenario of its user.
 *
 * @example
 * import type { ConversationAgent } from '@jurist/core/conversation'
 *
 * const echo: ConversationAgent = ({ message, turns }) => `${turns.length / 2 + 1}: ${message}`
 */
export type ConversationAgent = (session: ConversationSession) => Reply | string | Promise<Reply | string>

/** Options of `conversation`. */
export interface ConversationOptions {
  /** The user who talks with the agent: a function, or the messages of a scripted user. */
  readonly user: SimulatedUser | readonly string[]
  /** The highest number of messages from the user. Default 20. */
  readonly maxTurns?: number
  /** Earlier messages. Both sides see them; they are not judged and not counted. Default: none. */
  readonly history?: readonly Turn[]
  /**
   * An audit that looks for faults of the user, in addition to the built-in rules. `false`: neither the audit nor the
   * rules. Default: the rules only.
   */
  readonly audit?: UserAudit | false
  /** The share of passed trials that `audit` examines; it examines all others. Default 0.1. */
  readonly auditPassed?: number
}

const rules: { readonly [name in keyof Required<ConversationOptions>]: OptionRule } = {
  user: {
    wants: 'a user or an array of messages',
    holds: (value) => typeof value === 'function' || Array.isArray(value),
  },
  maxTurns: option.integer(1),
  history: turnsRule,
  audit: { wants: 'an audit, or false', holds: (value) => typeof value === 'function' || value === false },
  auditPassed: option.rate,
}

/**
 * Returns an ordinary agent that holds a conversation: a simulated user talks with `agent` until one of them ends it,
 * or the user has sent `maxTurns` messages. The invocation has all messages as `turns`, and its output is the agent's
 * last one. Usage and cost are the agent's; those of the user are in `user`. An exception of the user is a failure of
 * the infrastructure, one of the agent is the agent's.
 *
 * The scenario of the user comes from the item: its metadata `scenario`, or columns `goal`, `facts`, `opening` and so
 * on. Without them the task is the goal.
 *
 * A user that makes a mistake leaves a trial of an experiment undecided and is counted in `userFaults`. Mistakes are
 * found by an audit (see `modelAudit`) and by rules: an empty message, the same message again, a script longer than
 * `maxTurns`, a stop while the agent waits for a confirmation. A user that never stops is not a mistake: an agent that
 * stalls is judged.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { conversation } from '@jurist/core/conversation'
 *
 * const agent = conversation(({ message }) => (message.includes('order 7') ? 'Order 7 is on its way.' : 'Which order?'), {
 *   user: ['Where is my order?', 'It is order 7.'],
 * })
 */
export function conversation(agent: ConversationAgent, options: ConversationOptions): Agent {
  if (typeof agent !== 'function') return optionInvalid('agent', 'conversation: the agent must be a function.')
  const given = checkRequired<ConversationOptions>('conversation', options, rules, ['user'])
  const { user, maxTurns = 20, history = [], audit, auditPassed = 0.1 } = given
  if (typeof user !== 'function' && user.length > maxTurns)
    optionInvalid('maxTurns', `conversation: the script has ${user.length} messages, and maxTurns is ${maxTurns}.`)
  const settings = {
    agent,
    user: typeof user === 'function' ? user : scriptedUser(user),
    maxTurns,
    history: history.map((turn) => ({ ...turn, isHistory: true as const })),
    audit,
    auditPassed,
  }
  const held: Agent = (task: AgentTask) => talk(settings, task)
  const members = [settings.user, ...(typeof audit === 'function' ? [audit] : [])]
  Object.defineProperty(held, 'name', { value: agent.name || 'conversation' })
  return giveInfo(held, { models: () => members.flatMap((member) => modelsUsedBy(member)) })
}

interface TalkSettings {
  readonly agent: ConversationAgent
  readonly user: SimulatedUser
  readonly maxTurns: number
  readonly history: readonly Turn[]
  readonly audit: UserAudit | false | undefined
  readonly auditPassed: number
}

interface Progress {
  readonly settings: TalkSettings
  readonly task: AgentTask
  readonly scenario: Scenario
  readonly turns: Turn[]
  /** The number of messages from the user. */
  said: number
  state: Json
  /** Includes a stop, which has no turn. */
  readonly spent: Spent[]
  readonly notices: Set<string>
}

/** `failure` where the agent or the user broke. */
interface End {
  readonly ended: UserPart['ended']
  readonly status?: 'error' | 'cancelled'
  readonly failure?: Failure
}

/** Never rejects: the messages count, however the conversation ends. */
async function talk(settings: TalkSettings, task: AgentTask): Promise<Invocation & Held> {
  let scenario: Scenario
  try {
    scenario = scenarioOf(task)
  } catch (thrown) {
    return withoutScenario(failureOf(thrown))
  }
  const progress: Progress = {
    ...{ settings, task, scenario, turns: [...settings.history] },
    ...{ said: 0, state: null, spent: [], notices: new Set() },
  }
  const end = await heldUntil(progress)
  return invocationOf(progress, end)
}

/** The dataset is to blame: the agent was never called. */
function withoutScenario({ message }: Failure): Invocation & Held {
  const faults = Object.freeze([Object.freeze({ name: 'scenario-invalid', turn: 0, message })])
  return Object.freeze({
    status: 'completed',
    turns: [],
    user: Object.freeze({ ended: 'user-fault', faults, audited: true }),
    [heldConversation]: { ofPassed: 0, notices: new Set<string>() },
  })
}

async function heldUntil(progress: Progress): Promise<End> {
  for (;;) {
    if (progress.said >= progress.settings.maxTurns) return { ended: 'max-turns' }
    const end = (await userTurn(progress)) ?? (await agentTurn(progress))
    if (end !== undefined) return end
  }
}

/** Returns an end when the user stops. */
async function userTurn(progress: Progress): Promise<End | undefined> {
  const { task, turns } = progress
  let move: UserMove
  try {
    move = readMove(await untilAborted(nextMove(progress), task.signal))
  } catch (thrown) {
    if (task.signal.aborted) return { ended: 'failure', status: 'cancelled' }
    return { ended: 'failure', status: 'error', failure: userFailure(thrown, progress.said + 1) }
  }
  const { usage, costUsd, notices = [] } = move
  const spent = { usage, costUsd }
  progress.spent.push(spent)
  for (const notice of notices) progress.notices.add(notice)
  if ('stop' in move) return { ended: move.stop }
  progress.said += 1
  turns.push(Object.freeze({ role: 'user', text: move.message, at: now(), ...spent }))
  task.record?.({ type: 'prompt', text: move.message, phase: phaseOf(progress) })
  return move.message.trim() === '' ? { ended: 'user-fault' } : undefined
}

async function nextMove({ settings, task, scenario, turns, said }: Progress): Promise<UserMove> {
  if (said === 0 && scenario.opening !== undefined) return { message: scenario.opening }
  return settings.user(Object.freeze([...turns]), scenario, task.signal)
}

const stopRule = option.oneOf('satisfied', 'gave-up', 'out-of-scope')

function readMove(move: UserMove): UserMove {
  const { message, stop } = (move ?? {}) as { readonly message?: unknown; readonly stop?: unknown }
  if (option.string.holds(message) || stopRule.holds(stop)) return move
  throw new TypeError('a user must return { message } or { stop: "satisfied" | "gave-up" | "out-of-scope" }')
}

/** The user is not under test: when it breaks, the trial is undecided. */
function userFailure(thrown: unknown, message: number): Failure {
  const failure = failureOf(thrown)
  return Object.freeze({
    ...failure,
    message: `The user of the conversation failed at its message ${message}: ${failure.message}`,
    infrastructure: true,
  })
}

/** Returns an end when this was the last answer. */
async function agentTurn(progress: Progress): Promise<End | undefined> {
  const { task, turns } = progress
  try {
    const { reply, recorded } = await replyOf(progress)
    const { text, usage, costUsd, state, ends = false, steps = stepsOfEvents(recorded) } = reply
    const spent = { usage, costUsd }
    turns.push(Object.freeze({ role: 'agent', text, steps, at: now(), ...spent }))
    if (recorded.length === 0) journalReply(progress, spent, reply.steps)
    task.record?.({ type: 'text', text, phase: phaseOf(progress) })
    if (state !== undefined) progress.state = state
    return ends ? { ended: 'agent' } : undefined
  } catch (thrown) {
    if (task.signal.aborted) return { ended: 'failure', status: 'cancelled' }
    return { ended: 'failure', status: 'error', failure: failureOf(thrown) }
  }
}

async function replyOf(
  progress: Progress,
): Promise<{ readonly reply: Reply; readonly recorded: readonly JournalEvent[] }> {
  const { settings, task, turns, state } = progress
  const { workspace, signal } = task
  const recorded: JournalEvent[] = []
  const record = (event: JournalEvent) => {
    recorded.push(event)
    task.record?.({ phase: phaseOf(progress), ...event })
  }
  const message = turns.at(-1)?.text ?? ''
  const before = Object.freeze(turns.slice(0, -1))
  const session = Object.freeze({ turns: before, message, workspace, signal, state, record })
  const answer = await untilAborted(settings.agent(session), signal)
  return { reply: readReply(answer), recorded }
}

function readReply(answer: Reply | string): Reply {
  if (typeof answer === 'string') return { text: answer }
  const { text, steps = [] } = answer ?? {}
  if (option.string.holds(text) && toolStepsRule.holds(steps)) return answer
  throw new TypeError(
    'The agent of a conversation must return a string or { text }, with steps where it has called tools.',
  )
}

/** Records usage and tool calls only if the agent recorded none itself, so that nothing counts twice. */
function journalReply(
  progress: Progress,
  spent: Pick<Reply, 'usage' | 'costUsd'>,
  steps: readonly ToolStep[] = [],
): void {
  const { task, turns } = progress
  const phase = phaseOf(progress)
  if (spent.usage !== undefined || spent.costUsd !== undefined)
    task.record?.({ type: 'model-call', model: task.model ?? 'unknown', phase, ...spent })
  for (const [index, { name, input, output, status }] of steps.entries()) {
    const id = `${turns.length}-${index + 1}`
    task.record?.({ type: 'tool-call', id, name, input, phase })
    if (status === 'unfinished') continue
    const content = typeof output === 'string' ? output : JSON.stringify(output ?? null)
    task.record?.({ type: 'tool-result', id, failed: status !== 'completed', content, phase })
  }
}

function phaseOf({ said }: Progress): string {
  return `turn ${said}`
}

function now(): string {
  return new Date().toISOString()
}

function invocationOf(progress: Progress, { ended, failure, ...end }: End): Invocation & Held {
  const status: Invocation['status'] = end.status ?? 'completed'
  const { settings, scenario, turns } = progress
  const own = turns.filter(({ role, isHistory }) => role === 'agent' && isHistory === undefined)
  const last = own.at(-1)
  const scripted = settings.user.script?.(scenario).length
  const finished = { turns, ended, maxTurns: settings.maxTurns, scripted }
  const faults = settings.audit === false || status !== 'completed' ? [] : faultsByRule(finished)
  const part: UserPart = Object.freeze({
    ended,
    faults: Object.freeze(faults),
    audited: typeof settings.audit !== 'function' || faults.length > 0,
    ...totalSpent(progress.spent),
  })
  return Object.freeze({
    status,
    ...(last === undefined ? {} : { output: textOutput(last.text) }),
    failure,
    ...totalSpent(own),
    turns: Object.freeze([...turns]),
    user: part,
    ...heldOf(progress, finished, part, status),
  })
}

/** A conversation that broke, or in which a rule found a fault, needs no audit. */
function heldOf(
  { settings, scenario, notices }: Progress,
  { turns, ended }: Pick<FinishedTalk, 'turns' | 'ended'>,
  part: UserPart,
  status: Invocation['status'],
): Held {
  const { audit, auditPassed: ofPassed } = settings
  if (typeof audit !== 'function' || status !== 'completed' || part.faults.length > 0)
    return { [heldConversation]: { ofPassed, notices } }
  const talk = Object.freeze({ turns: Object.freeze([...turns]), scenario, ended })
  return {
    [heldConversation]: { ofPassed, notices, audit: (signal) => auditedPart(audit, talk, part, notices, signal) },
  }
}
