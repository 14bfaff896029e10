import type { ExecutionStatus, Json, Usage } from '@jurist/core'
import { arrayOf, executionStatus, finite, type OptionRule, option } from '@jurist/core/internal'
import { isObject, propertyOf } from './safe-reader.js'
import type { RetrievedSource } from './sources.js'
import type { ToolExecution } from './tool-execution.js'

/** The source of a cost: reported by the service, a client's list price, or the caller's table of prices. */
export type CostBasis = 'reported' | 'list' | 'table'

/** A tool call that was not allowed. */
interface PermissionDenial {
  readonly tool: string
  readonly id?: string
}

/** The facts of one run, the same for all bridges. A key is absent when its fact is unknown. */
export interface RunFacts {
  /** The prefix of the bridge. */
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

/** The part of a metadata key `<prefix>.<suffix>` after the prefix. */
export type FactSuffix = Exclude<keyof RunFacts, 'bridge'>

const objects = arrayOf('an array of objects', { holds: isObject })

/** What each fact must be, in the order of the metadata. */
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

/** All suffixes, in the order of the metadata. */
export const factSuffixes: readonly FactSuffix[] = Object.keys(rules) as FactSuffix[]

/**
 * The facts that a bridge wrote to metadata, under names without its prefix. A judge that uses them works with every
 * framework. Facts of the wrong type are left out.
 *
 * @returns `undefined` if no bridge wrote to the metadata
 *
 * @example
 * import { runFacts } from '@jurist/bridges/agent'
 * import type { Judge } from '@jurist/core'
 *
 * const cheap: Judge = ({ metadata }) => (runFacts(metadata)?.costUsd ?? 0) < 0.1
 */
export function runFacts(metadata: { readonly [key: string]: unknown }): RunFacts | undefined {
  const bridge = isObject(metadata) ? propertyOf(metadata, 'bridge') : undefined
  if (typeof bridge !== 'string') return undefined
  const known = factSuffixes.flatMap((suffix) => {
    const fact = propertyOf(metadata, `${bridge}.${suffix}`)
    return fact === undefined || !holds(suffix, fact) ? [] : [[suffix, fact]]
  })
  return Object.freeze({ bridge, ...Object.fromEntries(known) }) as RunFacts
}

function holds(suffix: FactSuffix, fact: unknown): boolean {
  try {
    return rules[suffix].holds(fact)
  } catch {
    return false
  }
}
