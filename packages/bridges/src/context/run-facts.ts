import type { ExecutionStatus, Json, Usage } from '@jurist/core'
import { arrayOf, executionStatus, finite, type OptionRule, option } from '@jurist/core/internal'
import { isObject, propertyOf } from './safe-reader.js'
import type { RetrievedSource } from './sources.js'
import type { ToolExecution } from './tool-execution.js'

/** The source of a cost: reported by the service, a client's list price, or the caller's table of prices. */
export type CostBasis = 'reported' | 'list' | 'table'

/** A tool call that was not allowed. */
export interface PermissionDenial {
  readonly tool: string
  readonly id?: string
}

/** The facts of one run, the same for all bridges. A key is absent when its fact is unknown. */
export interface RunFacts {
  /** The prefix of the bridge; `'none'` for an agent without one. */
  readonly bridge: string
  readonly status?: ExecutionStatus
  /** The model that answered; it may differ from the requested one. */
  readonly model?: string
  readonly provider?: string
  readonly responseId?: string
  readonly sessionId?: string
  readonly frameworkVersion?: string
  /** In the framework's own words. */
  readonly finishReason?: string
  readonly rawFinishReason?: string
  /** A token limit cut the answer. */
  readonly truncated?: true
  /** Steps, turns or requests. */
  readonly turns?: number
  readonly usage?: Usage
  /** The usage as the framework reported it, up to 4 KiB. */
  readonly usageReported?: Json
  readonly costUsd?: number
  readonly costBasis?: CostBasis
  /** In the order of the calls. Empty: the framework reports tools, and none was called. */
  readonly toolExecutions?: readonly ToolExecution[]
  readonly sources?: readonly RetrievedSource[]
  readonly permissionDenials?: readonly PermissionDenial[]
  /** Unsupported settings, malformed fields, inconsistent usage. */
  readonly warnings?: readonly string[]
}

export type FactSuffix = Exclude<keyof RunFacts, 'bridge'>

const objects = arrayOf('an array of objects', { holds: isObject })

/** In the order of the metadata. */
const rules: { readonly [suffix in FactSuffix]: OptionRule } = {
  status: executionStatus,
  model: option.string,
  provider: option.string,
  responseId: option.string,
  sessionId: option.string,
  frameworkVersion: option.string,
  finishReason: option.string,
  rawFinishReason: option.string,
  truncated: { wants: 'true', holds: (value) => value === true },
  turns: finite,
  usage: { wants: 'an object', holds: isObject },
  usageReported: option.anything,
  costUsd: finite,
  costBasis: option.oneOf('reported', 'list', 'table'),
  toolExecutions: objects,
  sources: objects,
  permissionDenials: objects,
  warnings: option.strings,
}

/** In the order of the metadata. */
export const factSuffixes: readonly FactSuffix[] = Object.keys(rules) as FactSuffix[]

/** An experiment and `evaluateAgent` pass these facts under their own names, for an agent of any kind. */
const bareFacts = ['sessionId', 'usage', 'costUsd'] as const satisfies readonly FactSuffix[]

/**
 * Reads the facts of a run from the metadata of a context: those that a bridge wrote, under names without its prefix,
 * and those of an agent of your own, whose `bridge` is `'none'`. A judge that uses them works with every agent. Facts
 * of the wrong type are left out, and a missing one is unknown: a cost that is not known is not 0.
 *
 * @returns `undefined` if no fact is known
 *
 * @example
 * import { runFacts } from '@jurist/bridges/agent'
 * import { abstain, type Judge } from '@jurist/core'
 *
 * const cheap: Judge = ({ metadata }) => {
 *   const { costUsd } = runFacts(metadata) ?? {}
 *   return costUsd === undefined ? abstain('the cost is not known') : costUsd < 0.1
 * }
 */
export function runFacts(metadata: { readonly [key: string]: unknown }): RunFacts | undefined {
  const written = bridgeFacts(metadata)
  const bare = isObject(metadata) ? factsIn(metadata, bareFacts, '') : []
  if (written === undefined && bare.length === 0) return undefined
  return Object.freeze({ bridge: 'none', ...Object.fromEntries(bare), ...written })
}

/** `undefined` if no bridge wrote any. */
export function bridgeFacts(metadata: { readonly [key: string]: unknown }): RunFacts | undefined {
  const bridge = isObject(metadata) ? propertyOf(metadata, 'bridge') : undefined
  if (typeof bridge !== 'string') return undefined
  return Object.freeze({ bridge, ...Object.fromEntries(factsIn(metadata, factSuffixes, `${bridge}.`)) })
}

function factsIn(metadata: object, suffixes: readonly FactSuffix[], prefix: string) {
  return suffixes.flatMap((suffix) => {
    const fact = propertyOf(metadata, `${prefix}${suffix}`)
    return fact === undefined || !holds(suffix, fact) ? [] : [[suffix, fact] as const]
  })
}

function holds(suffix: FactSuffix, fact: unknown): boolean {
  try {
    return rules[suffix].holds(fact)
  } catch {
    return false
  }
}
