import {
  type AgentOutput,
  type ContextInput,
  type ExecutionStatus,
  type Failure,
  type Json,
  type JudgmentContext,
  judgmentContext,
  multimodalOutput,
  type OutputPart,
  textOutput,
} from '@jurist/core'
import { stepsOfExecutions } from '@jurist/core/internal'
import type { ContextExtras, FinishOptions } from './extras.js'
import { type FactSuffix, factSuffixes, type RunFacts } from './run-facts.js'
import { sourceTexts } from './sources.js'
import { toJson, withinText } from './to-json.js'

/** A reason that is not listed is `unknown`. */
export interface FinishReasons {
  readonly success: readonly string[]
  /** A token limit cut the answer. */
  readonly truncated: readonly string[]
  readonly refused: readonly string[]
  readonly failed: readonly string[]
}

/** New stop reasons are unknown. */
export const anthropicReasons: FinishReasons = {
  success: ['end_turn', 'stop_sequence', 'tool_use'],
  truncated: ['max_tokens', 'model_context_window_exceeded'],
  refused: ['refusal'],
  failed: [],
}

export interface Finish {
  readonly status: ExecutionStatus
  readonly truncated?: true
}

/** An unknown or missing reason is `unknown`, never a success. */
export function finishOf(reason: string | undefined, words: FinishReasons, { onTruncated }: FinishOptions): Finish {
  if (reason === undefined) return { status: 'unknown' }
  if (words.truncated.includes(reason)) return { status: onTruncated ?? 'success', truncated: true }
  if (words.success.includes(reason)) return { status: 'success' }
  if (words.refused.includes(reason)) return { status: 'refused' }
  return { status: words.failed.includes(reason) ? 'failed' : 'unknown' }
}

/** `undefined` for an empty string. */
export function textOutcome(text: string | undefined): AgentOutput | undefined {
  return text === undefined || text === '' ? undefined : textOutput(text)
}

/** The strings are not shortened. */
export function dataOutcome(data: unknown): AgentOutput {
  return Object.freeze({ type: 'structured', data: toJson(data, { maxText: Number.POSITIVE_INFINITY }) })
}

/** Text parts alone become one text; `undefined` without parts. */
export function partsOutcome(parts: readonly OutputPart[]): AgentOutput | undefined {
  const filled = parts.filter((part) => part.type !== 'text' || part.text !== '')
  if (filled.every((part) => part.type === 'text')) return textOutcome(filled.map(({ text }) => text).join(''))
  return multimodalOutput(filled)
}

/** A framework's result as read by a bridge. Facts that are `undefined` are unknown. */
export interface RunOutcome {
  readonly status: ExecutionStatus
  readonly output?: AgentOutput | undefined
  readonly failure?: Failure | undefined
  readonly facts: { readonly [fact in Exclude<FactSuffix, 'status'>]?: RunFacts[fact] | undefined }
  /** Facts of this bridge alone, by suffix. */
  readonly own?: { readonly [suffix: string]: Json | undefined }
}

/** The maximum length of `usageReported` as JSON. */
const maxReported = 4_096

/**
 * Frozen JSON: `bridge`, then `<prefix>.<suffix>` for each known fact. Empty arrays are left out, except
 * `toolExecutions`.
 */
export function metadataOf(prefix: string, { status, facts, own }: RunOutcome): { readonly [key: string]: Json } {
  const all: { readonly [suffix: string]: unknown } = { ...facts, status, ...own }
  const suffixes = [...factSuffixes, ...Object.keys(own ?? {})]
  const known = suffixes.flatMap((suffix) => {
    const fact = all[suffix]
    return isUnknown(suffix, fact) ? [] : [[`${prefix}.${suffix}`, jsonOf(suffix, fact)] as const]
  })
  return Object.freeze({ bridge: prefix, ...Object.fromEntries(known) })
}

function isUnknown(suffix: string, fact: unknown): boolean {
  if (fact === undefined) return true
  return Array.isArray(fact) && fact.length === 0 && suffix !== 'toolExecutions'
}

function jsonOf(suffix: string, fact: unknown): Json {
  // Tool executions are frozen JSON with limits of their own.
  if (suffix === 'toolExecutions') return fact as Json
  const json = toJson(suffix === 'warnings' ? [...new Set(fact as readonly string[])] : fact)
  return suffix === 'usageReported' ? withinText(json, maxReported) : json
}

/**
 * Metadata: the caller's, then the bridge's. Reference data: the caller's, or else the texts of the sources.
 *
 * @throws `option-invalid` for a `startedAt` that is not an ISO 8601 string
 */
export function contextOf(prefix: string, outcome: RunOutcome, extras: ContextExtras): JudgmentContext {
  const { metadata, ...given } = withoutUnknown(extras)
  const { status, output, facts } = outcome
  const failure = failureIn(outcome)
  const texts = sourceTexts(facts.sources ?? [])
  const toolSteps = stepsOfExecutions(facts.toolExecutions)
  return judgmentContext({
    ...(texts.length === 0 ? {} : { referenceData: texts }),
    ...given,
    status,
    ...(output === undefined ? {} : { agentOutput: output }),
    ...(failure === undefined ? {} : { failure }),
    ...(toolSteps === undefined ? {} : { toolSteps }),
    metadata: { ...metadata, ...metadataOf(prefix, outcome) },
  })
}

/** The error that the run threw, or else its finish reason. */
export function failureIn({ status, failure, facts }: RunOutcome): Failure | undefined {
  if (failure !== undefined || status !== 'failed') return failure
  const reason = facts.finishReason ?? 'none'
  const message = `The run failed (finish reason: ${reason}).`
  return Object.freeze({ name: 'JuristError', message, code: 'agent-failed', infrastructure: false })
}

/** Leaves out the extras of a single bridge. */
function withoutUnknown(extras: ContextExtras): ContextInput {
  const { goal, workspace, before, reference, expectedOutput, referenceData, startedAt, executionMs, signal } = extras
  const parts = { goal, workspace, before, reference, expectedOutput, referenceData, startedAt, executionMs, signal }
  return definedParts({ ...parts, metadata: extras.metadata })
}

export function definedParts<Parts extends object>(
  parts: Parts,
): { readonly [part in keyof Parts]?: Exclude<Parts[part], undefined> } {
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)) as never
}
