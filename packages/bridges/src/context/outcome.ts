import type { AgentOutput, ContextInput, ExecutionStatus, Failure, Json, JudgmentContext } from '@jurist/core'
import { judgmentContext } from '@jurist/core'
import type { ContextExtras } from './extras.js'
import type { FactSuffix, RunFacts } from './run-facts.js'
import { factSuffixes } from './run-facts.js'
import { withinText } from './shorten.js'
import { sourceTexts } from './source.js'
import { toJson } from './to-json.js'

/** What a bridge read out of a framework's result; facts that are `undefined` are unknown. */
export interface RunOutcome {
  readonly status: ExecutionStatus
  readonly output?: AgentOutput | undefined
  readonly failure?: Failure | undefined
  readonly facts: { readonly [fact in Exclude<FactSuffix, 'status'>]?: RunFacts[fact] | undefined }
  /** Facts that only this bridge has, by suffix. */
  readonly own?: { readonly [suffix: string]: Json | undefined }
}

/** The most characters of `usageReported`, as JSON text. */
const maxReported = 4_096

/**
 * The metadata of an outcome: `bridge`, then `<prefix>.<suffix>` for each known fact; plain frozen JSON. Lists are
 * absent when empty, except `toolExecutions`.
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
  // Joined executions are frozen JSON with caps of their own.
  if (suffix === 'toolExecutions') return fact as Json
  const json = toJson(suffix === 'warnings' ? [...new Set(fact as readonly string[])] : fact)
  return suffix === 'usageReported' ? withinText(json, maxReported) : json
}

/**
 * A context of what a bridge read and what the caller added: the caller's metadata as it is, then the bridge's; the
 * texts of sources as reference data where the caller gave none.
 *
 * @throws `option-invalid` for a `startedAt` that is no instant
 */
export function contextOf(prefix: string, outcome: RunOutcome, extras: ContextExtras): JudgmentContext {
  const { metadata, ...given } = withoutUnknown(extras)
  const { status, output, facts } = outcome
  const failure = failureIn(outcome)
  const texts = sourceTexts(facts.sources ?? [])
  return judgmentContext({
    ...(texts.length === 0 ? {} : { referenceData: texts }),
    ...given,
    status,
    ...(output === undefined ? {} : { agentOutput: output }),
    ...(failure === undefined ? {} : { failure }),
    metadata: { ...metadata, ...metadataOf(prefix, outcome) },
  })
}

/** Why a run failed: what it threw, else the reason with which it ended. */
export function failureIn({ status, failure, facts }: RunOutcome): Failure | undefined {
  if (failure !== undefined || status !== 'failed') return failure
  const reason = facts.finishReason ?? 'none was given'
  const message = `The run ended as failed; its finish reason: ${reason}.`
  return Object.freeze({ name: 'JuristError', message, code: 'agent-failed', infrastructure: false })
}

/** Only what a context has: a bridge's own extras have been read already. */
function withoutUnknown(extras: ContextExtras): ContextInput {
  const { goal, workspace, before, reference, expectedOutput, referenceData, startedAt, executionMs, signal } = extras
  const parts = { goal, workspace, before, reference, expectedOutput, referenceData, startedAt, executionMs, signal }
  return definedParts({ ...parts, metadata: extras.metadata })
}

/** The parts that are there. */
export function definedParts<Parts extends object>(
  parts: Parts,
): { readonly [part in keyof Parts]?: Exclude<Parts[part], undefined> } {
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)) as never
}
