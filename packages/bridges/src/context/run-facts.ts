import type { ExecutionStatus, Json, Usage } from '@jurist/core'
import { isList, isObject, partOf } from './safe-reader.js'
import type { RetrievedSource } from './sources.js'
import type { ToolExecution } from './tool-execution.js'

/** Where a cost comes from: said by the service, a list price of a client, or a table of prices handed in. */
export type CostBasis = 'reported' | 'list' | 'table'

/** A tool that an agent asked for and was not allowed. */
interface PermissionDenial {
  readonly tool: string
  readonly id?: string
}

/** What is known of one run, whatever the bridge. A key is absent when its fact is unknown. */
export interface RunFacts {
  /** The prefix of the bridge. */
  readonly bridge: string
  readonly status?: ExecutionStatus
  /** The model that answered, which need not be the one asked for. */
  readonly model?: string
  readonly provider?: string
  readonly responseId?: string
  readonly sessionId?: string
  readonly frameworkVersion?: string
  /** As the framework spells it. */
  readonly finishReason?: string
  readonly rawFinishReason?: string
  /** The answer was cut by a token limit. */
  readonly truncated?: true
  /** Steps, turns or requests. */
  readonly turns?: number
  readonly usage?: Usage
  /** What the framework said, untouched, up to 4 KiB. */
  readonly usageReported?: Json
  readonly costUsd?: number
  readonly costBasis?: CostBasis
  /** In the order of the calls; an empty list: the framework can report tools, and none ran. */
  readonly toolExecutions?: readonly ToolExecution[]
  readonly sources?: readonly RetrievedSource[]
  readonly permissionDenials?: readonly PermissionDenial[]
  /** Unsupported settings, malformed fields, inconsistent usage. */
  readonly warnings?: readonly string[]
}

/** The last part of a metadata key: `<prefix>.<suffix>`. */
export type FactSuffix = Exclude<keyof RunFacts, 'bridge'>

const isText = (value: unknown) => typeof value === 'string'
const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value)
const isOneOf =
  (...words: readonly unknown[]) =>
  (value: unknown) =>
    words.includes(value)
const isListOf = (holds: (member: unknown) => boolean) => (value: unknown) => isList(value) && value.every(holds)

/** What each fact must be, in the order in which they stand in metadata. */
const rules: { readonly [suffix in FactSuffix]: (value: unknown) => boolean } = {
  status: isOneOf('success', 'failed', 'timeout', 'cancelled', 'refused', 'unknown'),
  model: isText,
  provider: isText,
  responseId: isText,
  sessionId: isText,
  frameworkVersion: isText,
  finishReason: isText,
  rawFinishReason: isText,
  truncated: isOneOf(true),
  turns: isNumber,
  usage: isObject,
  usageReported: () => true,
  costUsd: isNumber,
  costBasis: isOneOf('reported', 'list', 'table'),
  toolExecutions: isListOf(isObject),
  sources: isListOf(isObject),
  permissionDenials: isListOf(isObject),
  warnings: isListOf(isText),
}

/** All suffixes, in the order in which they stand in metadata. */
export const factSuffixes: readonly FactSuffix[] = Object.keys(rules) as FactSuffix[]

/**
 * What a bridge noted in metadata, under names without its prefix, so that a judge needs to know no framework. Anybody
 * may write there: what is not what its fact must be is absent.
 *
 * @returns `undefined` when no bridge wrote there
 *
 * @example
 * const cheap: Judge = ({ metadata }) => (runFacts(metadata)?.costUsd ?? 0) < 0.1
 */
export function runFacts(metadata: { readonly [key: string]: unknown }): RunFacts | undefined {
  const bridge = isObject(metadata) ? partOf(metadata, 'bridge') : undefined
  if (typeof bridge !== 'string') return undefined
  const known = factSuffixes.flatMap((suffix) => {
    const fact = partOf(metadata, `${bridge}.${suffix}`)
    return fact === undefined || !holds(suffix, fact) ? [] : [[suffix, fact]]
  })
  return Object.freeze({ bridge, ...Object.fromEntries(known) }) as RunFacts
}

function holds(suffix: FactSuffix, fact: unknown): boolean {
  try {
    return rules[suffix](fact)
  } catch {
    return false
  }
}

/** The metadata keys of a bridge: `bridge`, and one `<prefix>.<suffix>` for each fact. */
export type BridgeKeys<Prefix extends string, Own extends string = never> = { readonly bridge: 'bridge' } & {
  readonly [suffix in FactSuffix | Own]: `${Prefix}.${suffix}`
}

/**
 * The metadata keys of the bridge with this prefix.
 *
 * @param own facts that only this bridge has
 *
 * @example
 * const keys = keysOf('langchain')
 * keys.finishReason // 'langchain.finishReason'
 */
export function keysOf<Prefix extends string, Own extends string = never>(
  prefix: Prefix,
  ...own: readonly Own[]
): BridgeKeys<Prefix, Own> {
  const entries = [...factSuffixes, ...own].map((suffix) => [suffix, `${prefix}.${suffix}`])
  return Object.freeze({ bridge: 'bridge', ...Object.fromEntries(entries) }) as BridgeKeys<Prefix, Own>
}
