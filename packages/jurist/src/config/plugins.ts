import { isAbsolute, resolve } from 'node:path'
import { failureOf, isPlainObject, type JudgeDescription, printed } from '@jurist/core/internal'
import type { Plugin, PluginJudge } from '@jurist/experiment/plugin'
import { type Loading, loadExports } from './module-config.js'
import type { Report } from './problems.js'

interface Finding {
  /** The config file. */
  readonly file: string
  readonly directory: string
  readonly report: Report
  readonly loading?: Loading | undefined
}

/** Loads the plug-ins in the key `plugins` of a config: packages, paths of modules, or the objects themselves. */
export async function pluginsOf(given: unknown, finding: Finding): Promise<readonly Plugin[]> {
  if (!Array.isArray(given)) return []
  const found: Plugin[] = []
  for (const [at, one] of given.entries()) {
    const plugin = await loaded(one, at, finding)
    const problem = plugin === undefined ? undefined : (problemOf(plugin) ?? twice(plugin as Plugin, found))
    const name = typeof one === 'string' ? `${one}: ` : ''
    if (problem !== undefined) finding.report(['plugins', at], `${name}${problem}`, 'See docs/guide/extending.md.')
    else if (plugin !== undefined) found.push(plugin as Plugin)
  }
  return found
}

async function loaded(one: unknown, at: number, { file, directory, report, loading }: Finding): Promise<unknown> {
  if (typeof one !== 'string') return one
  const isPath = one.startsWith('.') || isAbsolute(one)
  try {
    const exports = await loadExports(isPath ? resolve(directory, one) : one, loading, file)
    return Reflect.get(exports, 'default') ?? null
  } catch (thrown) {
    const remedy = isPath ? 'Give the path of a module, relative to the config.' : `Install it: npm install ${one}`
    report(['plugins', at], `${one} could not be loaded: ${failureOf(thrown).message}.`, remedy)
    return undefined
  }
}

const kinds: { readonly [kind in keyof Plugin]-?: readonly [isOne: (value: unknown) => boolean, form: string] } = {
  commands: [
    (value) =>
      isPlainObject(value) &&
      typeof value.summary === 'string' &&
      (typeof value.load === 'function' || isPlainObject(value.actions)),
    '{ summary, load } or { summary, actions }',
  ],
  judges: [
    (value) =>
      isPlainObject(value) &&
      typeof value.passes === 'string' &&
      isPlainObject(value.options) &&
      typeof value.make === 'function',
    '{ passes, options, make }',
  ],
  stores: [(value) => typeof value === 'function', 'a function'],
}

/** Returns the reason why a value is not a plug-in. */
function problemOf(value: unknown): string | undefined {
  if (!isPlainObject(value)) return `must export a plug-in by default (got ${printed(value)}).`
  for (const [kind, named] of Object.entries(value)) {
    if (!Object.hasOwn(kinds, kind))
      return `"${kind}" is not a part of a plug-in. Parts: ${Object.keys(kinds).join(', ')}.`
    const [isOne, form] = kinds[kind as keyof Plugin]
    if (!isPlainObject(named)) return `"${kind}" must be an object by names.`
    for (const [name, one] of Object.entries(named)) {
      if (!/^[a-z][a-z0-9+.-]*$/.test(name)) return `"${name}" of "${kind}" must be in small letters.`
      if (!isOne(one)) return `"${name}" of "${kind}" must be ${form}.`
    }
  }
  return undefined
}

/** Reports a name that an earlier plug-in has as well. */
function twice(plugin: Plugin, earlier: readonly Plugin[]): string | undefined {
  for (const kind of Object.keys(kinds) as (keyof Plugin)[])
    for (const name of Object.keys(plugin[kind] ?? {}))
      if (earlier.some((one) => Object.hasOwn(one[kind] ?? {}, name)))
        return `"${name}" of "${kind}" is in two plug-ins.`
  return undefined
}

/** Returns the part with a name from the first plug-in that has one. */
export function partNamed<Part>(
  parts: readonly (Readonly<Record<string, Part>> | undefined)[],
  name: string,
): Part | undefined {
  return parts.find((one = {}) => Object.hasOwn(one, name))?.[name]
}

export function pluggedJudges(plugins: readonly Plugin[]): readonly (readonly [type: string, JudgeDescription])[] {
  return plugins.flatMap(({ judges = {} }) =>
    Object.entries(judges).map(([type, judge]) => [type, descriptionOf(judge)] as const),
  )
}

function descriptionOf({ passes, options, required = [], make }: PluginJudge): JudgeDescription {
  const described = Object.entries(options).map(([name, { description, schema = {} }]) => {
    return [name, { wants: 'a value', holds: () => true, description, schema }] as const
  })
  return {
    passes,
    options: Object.fromEntries(described),
    required,
    async make(given, config) {
      const missing = required.find((name) => given[name] === undefined)
      if (missing !== undefined) throw new Error(`needs "${missing}": ${options[missing]?.description ?? ''}`)
      const judge: unknown = await make(given, config)
      if (typeof judge === 'function') return judge as Awaited<ReturnType<PluginJudge['make']>>
      throw new Error(`the plug-in made no judge (got ${printed(judge)}).`)
    },
  }
}
