import type { Flags } from './subcommand.js'

/** The flags of `jurist run` that were typed, as words to type again. */
export interface GivenFlags {
  /** Those that say which trials a run is made of: a stored run knows them. */
  readonly plan: readonly string[]
  /** Those that hold for the rest of a run as well: what it may cost, what it must reach, what it reports. */
  readonly kept: readonly string[]
}

const planFlags = [
  ...['item', 'slug', 'bucket', 'task-type', 'tag', 'status', 'no-change', 'not-item', 'not-tag', 'filter'],
  ...['sample', 'seed', 'first', 'repeat', 'variant'],
] as const

const keptFlags = [
  ...['concurrency', 'item-timeout', 'judge-timeout', 'timeout', 'budget', 'budget-tokens', 'bail', 'retries'],
  ...['max-infrastructure-failures', 'retry-errors', 'no-judge', 'judge-failed-runs', 'preserve', 'sweep', 'order'],
  ...['threshold', 'threshold-all', 'score', 'max-cost', 'require-clean-git', 'fail-on', 'reporter', 'output'],
  'verbose',
] as const

/** Reads which flags were typed. */
export function givenFlags(flags: Flags): GivenFlags {
  const words = (names: readonly string[]) => names.flatMap((name) => wordsOf(name, flags))
  return { plan: words(planFlags), kept: words(keptFlags) }
}

function wordsOf(name: string, flags: Flags): readonly string[] {
  // Commander keeps `--no-judge` as `judge: false`.
  if (name.startsWith('no-')) return flags[attributeOf(name.slice('no-'.length))] === false ? [`--${name}`] : []
  const value = flags[attributeOf(name)]
  if (value === undefined || value === false) return []
  if (value === true) return [`--${name}`]
  return [value].flat().flatMap((one) => [`--${name}`, String(one)])
}

function attributeOf(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
