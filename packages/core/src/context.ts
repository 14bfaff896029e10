import type { Failure } from './errors.js'
import { judgedWorkspace } from './fault.js'
import { isObject } from './json.js'
import type { JudgeModel, ModelOptions } from './judge-model.js'
import { isOpen, openedWorkspace, type WorkspaceInput } from './open-path.js'
import { checkOptions, type OptionRule, option } from './options.js'
import { type AgentOutput, textOutput } from './output.js'
import { privateMark } from './private-mark.js'
import { type ToolStep, toolStepsRule } from './tool-step.js'
import { type Turn, turnsRule } from './turn.js'
import { emptyWorkspace, type Workspace } from './workspace.js'

const { anything } = option

/** The way the agent's run ended, as judges see it. */
export type ExecutionStatus = 'success' | 'failed' | 'timeout' | 'cancelled' | 'refused' | 'unknown'

/** Everything a judge may examine. It is live (a workspace, a signal) and never serialised. */
export interface JudgmentContext {
  /** The task the agent was given. */
  readonly goal: string
  /** The workspace as the agent left it. */
  readonly workspace: Workspace
  readonly agentOutput?: AgentOutput
  readonly expectedOutput?: AgentOutput
  /** `true`: the data of `expectedOutput` is an array of answers, and any of them is right. */
  readonly expectedAnyOf?: true
  /** The messages of a conversation, oldest first. Absent: the agent had none. */
  readonly turns?: readonly Turn[]
  /** The agent's tool calls, in order. `[]`: the agent called no tool. Absent: its calls are not known. */
  readonly toolSteps?: readonly ToolStep[]
  /** The sources that an answer should be based on. */
  readonly referenceData?: readonly string[]
  readonly status: ExecutionStatus
  readonly failure?: Failure
  /** When the agent started, as an ISO 8601 instant. */
  readonly startedAt?: string
  readonly executionMs?: number
  /** A correct solution, if one is known; read-only. */
  readonly reference?: Workspace
  /** The workspace as it was before the agent started; read-only. */
  readonly before?: Workspace
  /** Frozen one level deep; values may be live. */
  readonly metadata: { readonly [key: string]: unknown }
  /** Fires when the judge must stop. */
  readonly signal: AbortSignal
  /** How the context is judged. Only judges that come with Jurist read it. */
  readonly judging?: Judging
}

/**
 * How a context is judged: settings that a jury, an experiment or a repeated judgment passes to the judges that come
 * with Jurist.
 */
export interface Judging {
  /** Whether other judges of the jury run commands, each in its own copy. */
  readonly commandsBeside?: boolean
  /** The number of the repetition, from 1. A cache does not reuse the answer of an earlier repetition. */
  readonly repetition?: number
  /** Options of every model that is asked. They override those of the judge. */
  readonly modelOptions?: ModelOptions
  /** Replaces the model that a judge asks. Absent: judges ask their own. */
  readonly askThrough?: AskThrough
  /** Returns a prompt as it is to be stored, without secrets for example. Absent: prompts are not stored. */
  readonly recordPrompt?: (text: string) => string
}

/**
 * Returns the model that judges ask instead of their own: the same behind a cache, for example.
 *
 * @param repetition of the trial, from 1, so that a cache does not reuse the answer of an earlier one
 */
export type AskThrough = (model: JudgeModel, repetition: number) => JudgeModel

/** The parts of a context that may be given in a shorter form. */
export type Shortened = 'agentOutput' | 'expectedOutput' | (typeof workspaceParts)[number]

/**
 * The parts of a context. Missing parts have defaults. A string counts as text output, and the path of a directory as
 * a workspace.
 */
export interface ContextInput extends Partial<Omit<JudgmentContext, Shortened>> {
  readonly agentOutput?: AgentOutput | string
  readonly expectedOutput?: AgentOutput | string
  readonly workspace?: WorkspaceInput
  readonly reference?: WorkspaceInput
  readonly before?: WorkspaceInput
}

const workspaceParts = ['workspace', 'reference', 'before'] as const

/** One signal for every context without its own, so that it can be recognised. */
export const neverAborted: AbortSignal = new AbortController().signal

const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/

export const executionStatusWords: readonly ExecutionStatus[] = [
  'success',
  'failed',
  'timeout',
  'cancelled',
  'refused',
  'unknown',
]
export const executionStatus: OptionRule = option.oneOf(...executionStatusWords)

const rules = {
  goal: option.string,
  workspace: anything,
  agentOutput: anything,
  expectedOutput: anything,
  expectedAnyOf: option.boolean,
  turns: turnsRule,
  toolSteps: toolStepsRule,
  referenceData: option.strings,
  status: executionStatus,
  failure: anything,
  startedAt: {
    wants: 'an ISO 8601 instant',
    holds: (value: unknown) => typeof value === 'string' && instant.test(value) && !Number.isNaN(Date.parse(value)),
  },
  executionMs: option.nonNegative,
  reference: anything,
  before: anything,
  metadata: { wants: 'an object', holds: isObject },
  signal: anything,
  judging: anything,
}

const judged = privateMark<JudgmentContext>()

/**
 * Creates a context from its parts. Defaults: an empty goal, an empty workspace, status `'unknown'`, no metadata, a
 * signal that never fires.
 *
 * @throws `option-invalid` for an unknown status, a `startedAt` that is not an instant, a bad `executionMs`, a
 * workspace that is neither a workspace nor a directory
 *
 * @example
 * import { judgmentContext } from '@jurist/core'
 *
 * judgmentContext({ goal: 'Say hello', agentOutput: 'Hello!' })
 */
export function judgmentContext(input?: ContextInput): JudgmentContext {
  const { agentOutput, expectedOutput, metadata, workspace, ...given } = contextParts(input)
  return judged.put({
    goal: '',
    status: 'unknown',
    signal: neverAborted,
    ...given,
    workspace: judgedWorkspace(workspace ?? emptyWorkspace()),
    ...(agentOutput !== undefined && { agentOutput: outputOf(agentOutput) }),
    ...(expectedOutput !== undefined && { expectedOutput: outputOf(expectedOutput) }),
    metadata: Object.freeze({ ...metadata }),
  })
}

type ContextParts = Omit<ContextInput, (typeof workspaceParts)[number]> &
  Partial<Pick<JudgmentContext, (typeof workspaceParts)[number]>>

function contextParts(input: ContextInput | undefined): ContextParts {
  const given = checkOptions('judgmentContext', input, rules)
  const opened = workspaceParts.flatMap((part) => {
    const workspace = given[part]
    return workspace === undefined ? [] : [[part, openedWorkspace('judgmentContext', part, workspace)] as const]
  })
  return { ...given, ...Object.fromEntries(opened) } as ContextParts
}

/** Its workspace marks errors for which the agent is to blame. */
export function contextFrom(input: ContextInput): JudgmentContext {
  return withJudgedWorkspace(isWhole(input) ? input : judgmentContext(input))
}

export function withJudgedWorkspace(context: JudgmentContext): JudgmentContext {
  return judged.isOn(context) ? context : withWorkspace(context)
}

export function withWorkspace(context: JudgmentContext, workspace: Workspace = context.workspace): JudgmentContext {
  return judged.put({ ...context, workspace: judgedWorkspace(workspace) })
}

export function withJudging(context: JudgmentContext, more: Judging): JudgmentContext {
  return withWorkspace({ ...context, judging: { ...context.judging, ...more } })
}

function isWhole(input: ContextInput): input is JudgmentContext {
  const { goal, workspace, status, metadata, signal, agentOutput, expectedOutput } = input ?? {}
  const parts = [goal, workspace, status, metadata, signal]
  return (
    parts.every((part) => part !== undefined) &&
    [agentOutput, expectedOutput].every((output) => typeof output !== 'string') &&
    workspaceParts.every((part) => isOpen(input[part]))
  )
}

function outputOf(output: AgentOutput | string): AgentOutput {
  return typeof output === 'string' ? textOutput(output) : output
}
