import type { JsonObject } from '@jurist/core'
import { isPlainObject, type OptionDescriptions, type Place, printed, propertiesOf } from '@jurist/core/internal'
import type { Plugin } from '@jurist/experiment/plugin'
import { nearestOrAll } from '@jurist/kit/did-you-mean'
import type { DataLimits } from './item-limits.js'
import type { Loading } from './module-config.js'
import { attempted, type Report, reportUnknownKeys, unknownProblem } from './problems.js'

// The parts of a description in YAML and JSON: from the same declaration follow how a part is read and its JSON Schema.

/** A mapping of a document. */
export type Described = Readonly<Record<string, unknown>>

/** Reads a description. Reports an invalid one, and returns `undefined` for it. */
export type Read<Value> = (
  value: unknown,
  place: Place,
  reading: Reading,
) => Value | undefined | Promise<Value | undefined>

/** The context in which descriptions are read. */
export interface Reading {
  /** The directory that paths are relative to. */
  readonly directory: string
  readonly report: Report
  /** The settings for loading modules. */
  readonly loading?: Loading | undefined
  /** The named parts of the config that have already been read, for `{use: name}`. */
  readonly juries: Readonly<Record<string, unknown>>
  /** The config's models by name; absent if it has none. */
  readonly models?: Readonly<Record<string, unknown>>
  readonly agents?: Readonly<Record<string, unknown>>
  readonly votes?: Readonly<Record<string, unknown>>
  /** The plug-ins; absent if there are none. */
  readonly plugins?: readonly Plugin[]
  /**
   * Whether a plug-in could not be loaded. Its own problem is reported, and it may contain the names that are unknown.
   */
  readonly lacksPlugins?: boolean
  /** The permissions of judges in the items of a dataset; absent for judges of the config. */
  readonly data?: DataLimits
}

/** Whether a description is `{use: name}`. */
export function isUse(value: unknown): value is { readonly use: unknown } {
  return isPlainObject(value) && value.use !== undefined
}

/** Returns the named part of the config that `{use: name}` refers to. Reports an unknown name. */
export function used(
  { use }: { readonly use: unknown },
  kind: 'agents' | 'juries' | 'votes',
  place: Place,
  reading: Reading,
): unknown {
  const named = reading[kind] ?? {}
  const found = typeof use === 'string' && Object.hasOwn(named, use) ? named[use] : undefined
  if (typeof found === 'function') return found
  // An invalid part is reported where it is described.
  if (typeof use === 'string' && Object.hasOwn(named, use)) return undefined
  const known = Object.keys(named)
  const thing = { agents: 'agent', juries: 'jury', votes: 'vote' }[kind]
  const remedy = known.length === 0 ? `Add it to "${kind}".` : nearestOrAll(String(use), known)
  reading.report([...place, 'use'], `unknown ${thing} ${printed(use)}.`, remedy)
  return undefined
}

type Reads = Readonly<Record<string, Read<unknown>>>

/** Reads some parts of a description. Everything else in it stays as it is. */
export async function withRead(value: Described, reads: Reads, place: Place, reading: Reading): Promise<Described> {
  const read = Object.entries(reads).map(async ([name, one]) =>
    value[name] === undefined ? [] : [[name, await one(value[name], [...place, name], reading)] as const],
  )
  return { ...value, ...Object.fromEntries((await Promise.all(read)).flat()) }
}

/** Reads some parts of a description. A value that is not one stays for the check of its options. */
export function reads(parts: Reads): Read<unknown> {
  return (value, place, reading) => (isPlainObject(value) ? withRead(value, parts, place, reading) : value)
}

/** Reads each entry of an object. Another value stays for the check of its options. */
export function readsEach(read: Read<unknown>): Read<unknown> {
  return (value, place, reading) =>
    isPlainObject(value)
      ? withRead(value, Object.fromEntries(Object.keys(value).map((name) => [name, read])), place, reading)
      : value
}

/** Reads the elements of an array; `undefined` if one is invalid. */
export function listOf<Value>(read: Read<Value>, wanted: string, remedy: string): Read<readonly Value[]> {
  return async (value, place, reading) => {
    if (!Array.isArray(value)) {
      reading.report(place, `must be an array of ${wanted} (got ${printed(value)}).`, remedy)
      return undefined
    }
    const elements = await Promise.all(value.map((one: unknown, at) => read(one, [...place, at], reading)))
    return elements.includes(undefined) ? undefined : (elements as readonly Value[])
  }
}

/** A part of a description. */
interface Part {
  readonly schema: JsonObject
  /** Default: the value stays as it is. */
  readonly read?: Read<unknown>
  readonly isRequired?: boolean
}

export type Parts = Readonly<Record<string, Part>>

/** The parts of options, which their factory checks. */
export function optionParts(options: OptionDescriptions): Parts {
  return Object.fromEntries(
    Object.entries(propertiesOf(options)).map(([name, schema]) => [name, { schema: schema as JsonObject }]),
  )
}

/** Reads the parts of a description, and reports every other key; `undefined` if a part is invalid. */
export async function readParts(
  value: Described,
  parts: Parts,
  place: Place,
  reading: Reading,
): Promise<Described | undefined> {
  reportUnknownKeys(value, Object.keys(parts), place, reading.report)
  const known = Object.entries(parts).filter(([name, { isRequired }]) => isRequired || value[name] !== undefined)
  const entries = await Promise.all(
    known.map(async ([name, { read }]) => {
      const made = read === undefined ? value[name] : await read(value[name], [...place, name], reading)
      return { name, made, isInvalid: read !== undefined && made === undefined }
    }),
  )
  if (entries.some(({ isInvalid }) => isInvalid)) return undefined
  return Object.fromEntries(entries.map(({ name, made }) => [name, made]))
}

/** The JSON Schema of an object with these parts and no others. */
export function partsSchema(parts: Parts, others: JsonObject = {}): JsonObject {
  const properties = Object.fromEntries(Object.entries(parts).map(([name, { schema }]) => [name, schema]))
  const required = Object.keys(parts).filter((name) => parts[name]?.isRequired)
  return object({ ...properties, ...others }, ...required)
}

/** One of several named forms of a part. */
interface Choice<Value> {
  readonly description: string
  readonly options: OptionDescriptions
  readonly required?: readonly string[]
  /** Checks its own options. */
  readonly make: (options: Described) => Value
}

export type Choices<Value> = Readonly<Record<string, Choice<Value>>>

/** Reads a part that is written as one of several names, or as `{type, …options}`. */
export function chosen<Value>(kind: string, choices: Choices<Value>): Read<Value> {
  return (value, place, { report }) => {
    const { type, ...options } = isPlainObject(value) ? value : { type: value }
    const found = Object.hasOwn(choices, String(type)) ? choices[String(type)] : undefined
    if (found !== undefined) return attempted(() => found.make(options), place, report)
    report(place, ...unknownProblem(kind, type, Object.keys(choices)))
    return undefined
  }
}

/** The JSON Schemas of the forms of such a part. */
export function choiceSchemas(kind: string, choices: Choices<unknown>): readonly JsonObject[] {
  return Object.entries(choices).flatMap(([name, { description, options, required = [] }]) => {
    const type = { description: `The name of the ${kind}.`, const: name }
    const whole = object({ type, ...propertiesOf(options) }, 'type', ...required)
    return [...(required.length === 0 ? [{ const: name }] : []), whole].map((schema) => ({ description, ...schema }))
  })
}

export const text: JsonObject = { type: 'string' }

/** A reference to a definition of the schema. */
export function ref(name: string): JsonObject {
  return { $ref: `#/$defs/${name}` }
}

/** An object with any names. */
export function byName(values: JsonObject): JsonObject {
  return { type: 'object', additionalProperties: values }
}

/** An object with these properties and no others. */
export function object(properties: JsonObject, ...required: readonly string[]): JsonObject {
  return { type: 'object', additionalProperties: false, properties, ...(required.length > 0 ? { required } : {}) }
}

/** `{use: NAME}`. */
export function named(key: string, others: JsonObject = {}): JsonObject {
  const use = { description: `The name of one of "${key}".`, ...text }
  return { description: `One of "${key}".`, ...object({ use, ...others }, 'use') }
}

/** `{module, export?, options?}`: a function that a module exports. */
export function exported(what: string, others: JsonObject = {}): JsonObject {
  const properties = {
    module: { description: 'The path of the module, relative to the config.', ...text },
    export: { description: 'The name of the export.', ...text, default: 'default' },
    options: { description: 'Options. With them, the export is a factory and is called with them.', type: 'object' },
  }
  return { description: `${what} that a module exports.`, ...object({ ...properties, ...others }, 'module') }
}
