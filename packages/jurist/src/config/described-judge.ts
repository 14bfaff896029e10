import {
  checkOptions,
  failureOf,
  fileContent,
  fileExists,
  isPlainObject,
  type Judge,
  option,
  outputText,
  type Place,
  printed,
  supersetOf,
} from '@jurist/core'
import { nearestNames } from '@jurist/experiment/dataset'
import { type CommandOptions, commandSucceeds } from '@jurist/workspace/commands'
import { describedExport } from './described-export.js'
import type { Reading } from './reading.js'

/** What follows `type` in a description. */
type Options = Readonly<Record<string, unknown>>

/**
 * Judges by their names in YAML and JSON: the factories' names in kebab case. Each factory checks its own options, so
 * that both forms of a config have the same messages.
 */
const judges: Readonly<Record<string, (options: Options) => Judge>> = {
  'file-exists': (options) =>
    fileExists(checkOptions<{ path?: string }>('file-exists', options, { path: option.string }).path ?? ''),
  'file-content': ({ path, ...rule }) =>
    fileContent(path as string, rule as unknown as Parameters<typeof fileContent>[1]),
  'output-text': (rule) => outputText(rule as unknown as Parameters<typeof outputText>[0]),
  'superset-of': (options) => supersetOf(options),
  'command-succeeds': ({ command, ...options }) => commandSucceeds(command as string, options as CommandOptions),
}

/** The judge that `{type, …options}` or `{module, export?, options?}` describes. */
export async function describedJudge(value: unknown, place: Place, reading: Reading): Promise<Judge | undefined> {
  const { report } = reading
  if (!isPlainObject(value)) {
    report(
      place,
      `${printed(value)} is no judge.`,
      'Write {type: file-exists, path: README.md} or {module: ./judge.ts}.',
    )
    return undefined
  }
  if (value.module !== undefined) return (await describedExport(value, place, reading, 'judge')) as Judge | undefined
  const { type, ...options } = value
  const make = typeof type === 'string' && Object.hasOwn(judges, type) ? judges[type] : undefined
  if (make === undefined) {
    const [nearest] = nearestNames(String(type), Object.keys(judges))
    const hint = nearest === undefined ? '' : `Did you mean "${nearest}"? `
    report([...place, 'type'], `${printed(type)} is no judge.`, `${hint}Judges: ${Object.keys(judges).join(', ')}.`)
    return undefined
  }
  try {
    return make(options)
  } catch (thrown) {
    report(place, failureOf(thrown).message, '')
    return undefined
  }
}
