import { JuristError } from '@jurist/core'
import { failureOf, type Place, printed } from '@jurist/core/internal'
import { didYouMean, nearestOrAll } from '@jurist/kit/did-you-mean'

/**
 * One problem of a config.
 *
 * @example
 * import { type ConfigIssue, JuristError } from 'jurist'
 *
 * function issuesOf(thrown: unknown): readonly ConfigIssue[] {
 *   return JuristError.is(thrown, 'config-invalid') ? thrown.details.issues : []
 * }
 */
export interface ConfigIssue {
  /**
   * The place in the config, such as `experiments.add-readme.repetitions`; with line and column in a YAML or JSON file.
   */
  readonly path: string
  readonly problem: string
  /** The action to take. */
  readonly remedy: string
}

declare module '@jurist/core' {
  interface Problems {
    'config-invalid': { readonly file: string; readonly issues: readonly ConfigIssue[] }
  }
}

/** The error for an invalid config, with all its issues. */
export function configInvalid(
  file: string,
  issues: readonly ConfigIssue[],
  cause?: unknown,
): JuristError<'config-invalid'> {
  const lines = issues.map(({ path, problem, remedy }) => {
    return `  ${path === '' ? '' : `${path}: `}${problem}${remedy === '' ? '' : ` ${remedy}`}`
  })
  const message = `${file} cannot be used. Nothing was run.\n${lines.join('\n')}`
  return new JuristError('config-invalid', message, { file, issues }, cause === undefined ? undefined : { cause })
}

/** Records a problem at a place of the config. */
export type Report = (place: Place, problem: string, remedy: string) => void

/** Returns an array of issues and the function that adds to it. `at` returns the position of a place in the file. */
export function collectIssues(at: (place: Place) => string = () => ''): {
  readonly issues: readonly ConfigIssue[]
  readonly report: Report
} {
  const issues: ConfigIssue[] = []
  return {
    issues,
    report: (place, problem, remedy) => void issues.push({ path: `${dotted(place)}${at(place)}`, problem, remedy }),
  }
}

/** Reports every key of `value` that is not among `known`, with the nearest known key. */
export function reportUnknownKeys(value: object, known: readonly string[], place: Place, report: Report): void {
  for (const key of Object.keys(value))
    if (!known.includes(key)) report([...place, key], 'is not a known key.', nearestOrAll(key, known))
}

/** Calls a factory, and reports its error. */
export async function attempted<Value>(
  make: () => Value | Promise<Value>,
  place: Place,
  report: Report,
  remedy = '',
): Promise<Value | undefined> {
  try {
    return await make()
  } catch (thrown) {
    report(place, failureOf(thrown).message, remedy)
    return undefined
  }
}

/** Returns the problem and the remedy for an unknown name. */
export function unknownProblem(
  kind: string,
  name: unknown,
  known: readonly string[],
): readonly [problem: string, remedy: string] {
  return [`unknown ${kind} ${printed(name)}.`, nearestOrAll(String(name), known)]
}

export type { Place } from '@jurist/core/internal'

/** Formats a place for messages, such as `experiments.add-readme.variants[0]`. */
function dotted(place: Place): string {
  return place.reduce<string>((path, step) => {
    if (typeof step === 'number') return `${path}[${step}]`
    return path === '' ? step : `${path}.${step}`
  }, '')
}

/**
 * Calls a function of a config.
 *
 * @throws `config-invalid` with its place for any error but a `JuristError`, which is rethrown
 */
export async function calledFunction<Value>(
  make: () => Value | Promise<Value>,
  file: string,
  path: string,
): Promise<Value> {
  try {
    return await make()
  } catch (thrown) {
    if (JuristError.is(thrown)) throw thrown
    throw configInvalid(file, [{ path, problem: failureOf(thrown).message, remedy: '' }], thrown)
  }
}

const mostListed = 20

/** Returns the sentence after the name of an unknown jury: the known ones, or where to add one. */
export function juriesInstead(name: string, juries: object): string {
  const known = Object.keys(juries)
  return known.length === 0 ? ' It has none: add one under "juries".' : unknownAmong(name, known)
}

/** Like `didYouMean`, followed by all known names if there are few. */
export function unknownAmong(name: string, known: readonly string[], title = 'Available'): string {
  const list = known.length === 0 ? ` ${title}: none.` : ` ${title}: ${known.join(', ')}.`
  return `${didYouMean(name, known)}${known.length > mostListed ? '' : list}`
}
