import { type Invocation, type Json, textOutput, verdictFromJson } from '@jurist/core'
import {
  arrayOf,
  failureOf,
  frozenJson,
  type Held,
  hasFields,
  heldConversation,
  isInvocationStatus,
  isPlainObject,
  type OptionRule,
  option,
  turnsRule,
} from '@jurist/core/internal'
import { isKeptFromAgents } from '../dataset/reserved-metadata.js'
import type { ExperimentInvocation } from '../invocation.js'

/** A checked invocation. */
export interface ReadInvocation {
  /** Its metadata may be live. */
  readonly invocation: ExperimentInvocation
  /** The keys that were left out or renamed. */
  readonly warnings: readonly { readonly code: string; readonly message: string }[]
}

type Fields = { [key in Exclude<keyof ExperimentInvocation, 'user'>]: (value: unknown) => unknown }

const failureRule: OptionRule = {
  wants: 'an object with a name and a message',
  holds: (value) => hasFields(value, { name: option.string, message: option.string }),
}
const phasesRule = arrayOf('an array of phases with a name', {
  holds: (value) => hasFields(value, { name: option.string }),
})

/** How each field is checked, by the rules of options, and copied; the message of an exception says what is wrong. */
const fields: Required<Fields> = {
  status: follows({ wants: 'completed, refused, timeout, error or cancelled', holds: isInvocationStatus }),
  output: readOutput,
  failure: follows(failureRule, json),
  elapsedMs: follows(option.nonNegative),
  usage: readUsage,
  costUsd: follows(option.nonNegative),
  sessionId: follows(option.string),
  turns: follows(turnsRule, json),
  phases: follows(phasesRule, json),
  metadata: follows(option.record),
  analysis: follows(option.record, json),
  plan: follows(option.record, json),
  verdicts: follows({ wants: 'an array', holds: Array.isArray }, (value) =>
    Object.freeze((value as unknown[]).map(verdictFromJson)),
  ),
}

/** A function that refuses a value which does not follow the rule, and copies one that does. */
function follows({ holds, wants }: OptionRule, copy: (value: unknown) => unknown = (value) => value) {
  return (value: unknown): unknown => {
    if (!holds(value)) throw new TypeError(`must be ${wants}`)
    return copy(value)
  }
}

const checks = Object.entries(fields)

/**
 * Reads what an agent returned as an invocation: a frozen copy of the known fields. A string is the output of an agent that
 * completed. A value that is not an invocation becomes an error with the code `invocation-invalid` that names every problem.
 *
 * @param elapsedMs the measured time, used if the agent declares none
 */
export function readInvocation(value: unknown, elapsedMs?: number): ReadInvocation {
  if (typeof value === 'string') return readInvocation({ status: 'completed', output: value }, elapsedMs)
  if (!isPlainObject(value)) return invalid(['it is neither an object nor a string'])
  const read: { [key: string]: unknown } = {}
  const problems: string[] = []
  for (const [name, check] of checks) {
    const given = value[name]
    if (given === undefined && name !== 'status') continue
    try {
      read[name] = check(given)
    } catch (thrown) {
      problems.push(`"${name}" ${failureOf(thrown).message}`)
    }
  }
  if (problems.length > 0) return invalid(problems)
  const { metadata } = read as Pick<ExperimentInvocation, 'metadata'>
  if (elapsedMs !== undefined) read['elapsedMs'] ??= elapsedMs
  if (value['user'] !== undefined) readUser(value as unknown as ExperimentInvocation, read)
  // Frozen last: copying a frozen object takes longer than everything above.
  const invocation = read as unknown as ExperimentInvocation
  return metadata === undefined
    ? { invocation: Object.freeze(invocation), warnings: [] }
    : withMetadata(invocation, metadata)
}

function invalid(problems: readonly string[]): ReadInvocation {
  const message = `The agent did not return an invocation: ${problems.join('; ')}. Return completed(…) or errored(…).`
  const failure = Object.freeze({ name: 'InvocationInvalid', message, code: 'invocation-invalid' })
  return { invocation: Object.freeze({ status: 'error', failure }), warnings: [] }
}

function withMetadata(invocation: ExperimentInvocation, metadata: NonNullable<Invocation['metadata']>): ReadInvocation {
  const reserved = Object.keys(metadata).filter(isKeptFromAgents)
  const entries = Object.entries(metadata).map(([key, value]) => [isKeptFromAgents(key) ? `agent.${key}` : key, value])
  const message = `The agent used reserved metadata keys; they are kept as ${reserved.map((key) => `agent.${key}`).join(', ')}.`
  return {
    invocation: Object.freeze({ ...invocation, metadata: Object.freeze(Object.fromEntries(entries)) }),
    warnings: reserved.length === 0 ? [] : [{ code: 'metadata-reserved', message }],
  }
}

/**
 * An invocation as it is stored: metadata that is not JSON is left out and named in `dropped`. The part of the user is a field
 * of the trial.
 */
export function storedInvocation(invocation: ExperimentInvocation & Held): {
  readonly stored: ExperimentInvocation
  readonly dropped: readonly string[]
} {
  const given = invocation.user === undefined ? invocation : withoutUser(invocation)
  const { metadata } = given
  if (metadata === undefined) return { stored: given, dropped: [] }
  const kept: { [key: string]: Json } = {}
  const dropped: string[] = []
  for (const [key, value] of Object.entries(metadata)) {
    try {
      kept[key] = json(value)
    } catch {
      dropped.push(key)
    }
  }
  return { stored: Object.freeze({ ...given, metadata: Object.freeze(kept) }), dropped }
}

function withoutUser({ user, [heldConversation]: _, ...given }: ExperimentInvocation & Held): ExperimentInvocation {
  return Object.freeze(given)
}

function json(value: unknown): Json {
  return frozenJson(withoutUndefined(value), [], (place, problem) => {
    throw new TypeError(`${problem}${place.length === 0 ? '' : ` at ${place.join('.')}`}`)
  })
}

/** A key whose value is `undefined` counts as missing, as in options. */
function withoutUndefined(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > 100) return value
  if (Array.isArray(value)) return value.map((entry) => withoutUndefined(entry, depth + 1))
  if (!isPlainObject(value)) return value
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined)
  return Object.fromEntries(entries.map(([key, entry]) => [key, withoutUndefined(entry, depth + 1)]))
}

/** An output; a string becomes a text output. */
function readOutput(value: unknown): unknown {
  if (typeof value === 'string') return textOutput(value)
  if (!isPlainObject(value)) throw new TypeError('must be an output, such as textOutput(…)')
  const { type, text, data, parts } = value
  if (type === 'text' && typeof text === 'string') return Object.freeze({ type, text })
  if (type === 'structured') return Object.freeze({ type, data: json(data) })
  if (type === 'multimodal' && Array.isArray(parts)) return Object.freeze({ type, parts: json(parts) })
  throw new TypeError('must be an output, such as textOutput(…)')
}

function readUsage(value: unknown): unknown {
  if (!isPlainObject(value)) throw new TypeError(`must be ${option.record.wants}`)
  const counts = Object.entries(value).filter(([, count]) => count !== undefined)
  for (const [name, count] of counts)
    if (!option.integer(0).holds(count)) throw new TypeError(`must have a whole number as ${name}`)
  return Object.freeze(Object.fromEntries(counts))
}

/** The part of a user is believed only of a conversation that was held here: an agent could blame a user for its own failure. */
function readUser(given: ExperimentInvocation & Held, read: { [key: string | symbol]: unknown }): void {
  const held = given[heldConversation]
  if (held === undefined) return
  read['user'] = given.user
  read[heldConversation] = held
}
