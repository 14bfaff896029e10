import {
  type Flag,
  type FlagOptions,
  type FlagSet,
  type FlagValues,
  flag,
  oneOf,
  optional,
  type ReportProblem,
  repeatable,
  text,
} from '@jurist/experiment/plugin'
import type { Thresholds } from '../config/config.js'
import { failOnValues } from './regression-gate.js'
import { formatEndings, formatNames, reportFileOf } from './report-formats.js'
import { defined, dollarAmount, fileEndingIn, grouped, keyedRate, rate } from './subcommand.js'

const kept = { onResume: 'kept' } as const

/** `--allow-abstain`, with the names of judges. */
export function allowAbstainFlag(options: FlagOptions = {}): Flag<readonly string[] | true | undefined> {
  return optional(
    '--allow-abstain [names]',
    'judges that may leave every trial undecided, separated by commas (default: all)',
    (names) => names.split(',').flatMap((name) => name.trim() || []),
    options,
  )
}

/** The flags for thresholds. */
export const gateFlags = grouped('Gates', {
  baseline: flag(
    '--baseline <run>',
    'the run to compare with: a run, latest, or variant:NAME of the same session',
    text,
  ),
  threshold: flag('--threshold <rate>', 'the required pass rate of the decided trials', rate, kept),
  thresholdAll: flag('--threshold-all <rate>', 'the required pass rate of all planned trials', rate, kept),
  score: repeatable('--score <key=rate>', 'a required mean score', keyedRate, kept),
  maxCost: flag('--max-cost <usd>', 'the maximum cost of the run', dollarAmount, kept),
  failOn: flag(
    '--fail-on <what>',
    `with a baseline, when to exit with code 1: ${failOnValues.join(', ')} (default: significant)`,
    oneOf(failOnValues),
    { ...kept, default: 'significant' },
  ),
  allowAbstain: allowAbstainFlag(kept),
})

/**
 * The reporters that show finished runs: one for GitHub, and one for each format except `json`, which prints events.
 */
export const resultReporters: readonly string[] = ['github', ...formatNames.filter((name) => name !== 'json')]

/** The flags for the output of results: `--output`, and `--reporter` with its possible names. */
export function outputFlags(reporters: readonly string[]): OutputFlags {
  return grouped('Output', {
    output: repeatable(
      '-o, --output <file>',
      `write the results to a file that ends in ${formatEndings.join(', ')}`,
      fileEndingIn(...formatEndings),
      kept,
    ),
    reporter: repeatable('--reporter <name[=file]>', reporters.join(', '), text, { ...kept, completes: reporters }),
  })
}

interface OutputFlags extends FlagSet {
  readonly output: Flag<readonly string[]>
  readonly reporter: Flag<readonly string[]>
}

/** Refuses unknown reporters, and file names with the extension of another format. */
export function checkReporters(reporters: readonly string[], names: readonly string[], problem: ReportProblem): void {
  for (const one of reporters) {
    const [name = ''] = one.split('=')
    if (!names.includes(name)) problem('--reporter', `Unknown reporter "${name}". Available: ${names.join(', ')}.`)
    const { file = '', ending = '' } = reportFileOf(one) ?? {}
    if (!file.endsWith(ending)) problem('--reporter', `--reporter ${one}: the file must end in ${ending}.`)
  }
}

export function thresholdsIn(values: FlagValues<typeof gateFlags>): Thresholds {
  return defined({
    passRate: values.threshold,
    passRateOfAll: values.thresholdAll,
    maxCostUsd: values.maxCost,
    scores: values.score.length === 0 ? undefined : Object.fromEntries(values.score),
  })
}

/** Returns the files of `--output`, and of `--reporter` with a format such as `junit=file`. */
export function outputFiles({ output, reporter }: FlagValues<Pick<OutputFlags, 'output' | 'reporter'>>): string[] {
  return [...output, ...reporter.flatMap((one) => reportFileOf(one)?.file ?? [])]
}
