import { JuristError } from '@jurist/core'
import {
  type CompareOptions,
  type Comparison,
  compare as compareRuns,
  detectRegressions,
} from '@jurist/experiment/compare'
import { comparisonReport } from '@jurist/experiment/report'
import type { ExperimentResult } from '@jurist/experiment/result'
import { safeBlock } from '@jurist/kit/terminal'
import { unknownAmong, usageInvalid } from '../config/problems.js'
import { refusedConditions } from '../terminal/conditions-report.js'
import { closingLine } from './failure-report.js'
import { checkOutputFile, reportWritten } from './files.js'
import { findRun } from './find-run.js'
import { type FlagReader, flagReader, repeated } from './flag-values.js'
import type { Host } from './host.js'
import { type FailOn, failOnValues, gateOf } from './regression-gate.js'
import { resultsOf } from './results-store.js'
import type { Flags, Subcommand } from './subcommand.js'

const formats = ['console', 'markdown', 'json'] as const
const changes = ['regressed', 'improved', 'scores-moved', 'changed'] as const

/** `jurist compare`. */
export const compare: Subcommand = {
  define: (command) =>
    command
      .argument('<baseline>', 'a run, as for jurist show')
      .argument('<candidate>', 'the run that is compared with it')
      .option('--tolerance <n>', 'differences of scores that count as none: n, or key=n (repeatable)', repeated)
      .option('--alpha <n>', 'the significance level (default: 0.05)')
      .option('--minimum-pairs <n>', 'pairs below which the data are insufficient (default: 10)')
      .option('--resamples <n>', 'resamples of the bootstrap (default: 10000)')
      .option('--seed <n>', 'the seed of the bootstrap (default: 1)')
      .option('--vary <condition>', 'a condition that differs on purpose (repeatable)', repeated)
      .option(
        '--ignore-conditions [names]',
        'compare although these conditions differ, separated by commas; default: all',
      )
      .option('--fail-on <what>', `when to end with code 1: ${failOnValues.join(', ')} (default: never)`)
      .option('--max-drop <key=n>', 'the most that a score may drop on an item (repeatable)', repeated)
      .option('--only <change>', `only these items: ${changes.join(', ')}`)
      .option('--format <format>', `${formats.join(', ')} (default: console)`)
      .option('-o, --output <file>', 'write the report to .md, .json or .txt')
      .addHelpText(
        'after',
        '\nExamples:\n  jurist compare add-readme@control add-readme@knowledge\n  jurist compare add-readme@baseline add-readme --fail-on significant -o report.md',
      ),
  async run(host, [baseline, candidate], flags) {
    const read = readFlags(flags)
    if (read.output !== undefined) await checkOutputFile(host, '--output', read.output)
    const results = await resultsOf(host)
    const [before, after] = [
      await findRun(results, String(baseline), host.cwd),
      await findRun(results, String(candidate), host.cwd),
    ]
    refuseUnknownConditions(before, after, read.options)
    const whole = compared(before, after, read.options)
    refuseUnknownScores(whole, Object.keys(read.maxDrop))
    const dropped = detectRegressions(whole, read.maxDrop)
    const comparison = only(whole, read.only)
    if (host.flags.json === true || read.format === 'json') host.json(comparison)
    else host.terminal.out(`${textOf(comparison, read.format, host)}\n`)
    const reasons = [
      ...gateOf(whole, read.failOn, read.options.alpha),
      ...dropped.map(({ itemId }) => `${itemId} dropped by more than --max-drop allows`),
    ]
    for (const reason of reasons) host.terminal.err(`${host.terminal.style.red('Fell short')}: ${safeBlock(reason)}\n`)
    const isWritten = read.output === undefined || (await write(host, read.output, comparison))
    const code = !isWritten ? 3 : reasons.length > 0 ? 1 : 0
    if (code !== 0) host.terminal.err(closingLine(code))
    return code
  },
}

interface Read {
  readonly options: CompareOptions
  readonly failOn: FailOn
  readonly maxDrop: Readonly<Record<string, number>>
  readonly only: (typeof changes)[number] | undefined
  readonly format: (typeof formats)[number]
  readonly output: string | undefined
}

function readFlags(flags: Flags): Read {
  const reader = flagReader()
  const list = (name: string) => (flags[name] ?? []) as readonly string[]
  const output = flags.output as string | undefined
  if (output !== undefined && !/\.(md|json|txt)$/.test(output))
    reader.problem('--output', `--output ${output}: a comparison is written as .md, .json or .txt.`)
  const options = {
    tolerance: toleranceOf(list('tolerance'), reader),
    alpha: reader.rate('--alpha', flags.alpha),
    minimumPairs: reader.whole('--minimum-pairs', flags.minimumPairs, 1),
    resamples: reader.whole('--resamples', flags.resamples, 1),
    seed: reader.whole('--seed', flags.seed, 0),
    vary: list('vary').length === 0 ? undefined : list('vary'),
    ignoreConditions: ignoredConditions(flags.ignoreConditions),
  }
  const read: Read = {
    options: Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
    failOn: reader.oneOf('--fail-on', flags.failOn, failOnValues) ?? 'never',
    maxDrop: Object.fromEntries(list('maxDrop').flatMap((given) => keyed('--max-drop', given, reader))),
    only: reader.oneOf('--only', flags.only, changes),
    format: reader.oneOf('--format', flags.format, formats) ?? 'console',
    output,
  }
  reader.done()
  return read
}

function ignoredConditions(given: unknown): boolean | readonly string[] | undefined {
  if (typeof given !== 'string') return given === true ? true : undefined
  return given
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** `0.1` for every score, or `rules/build=0.1` for one. */
function toleranceOf(given: readonly string[], reader: FlagReader): CompareOptions['tolerance'] {
  if (given.length === 0) return undefined
  const [only] = given
  if (given.length === 1 && only !== undefined && !only.includes('=')) return reader.rate('--tolerance', only)
  return Object.fromEntries(given.flatMap((one) => keyed('--tolerance', one, reader)))
}

function keyed(flag: string, given: string, reader: FlagReader): readonly (readonly [string, number])[] {
  const at = given.lastIndexOf('=')
  if (at < 1) {
    reader.problem(flag, `${flag} wants key=n, such as rules/build=0.1, not "${given}".`)
    return []
  }
  const value = reader.rate(flag, given.slice(at + 1))
  return value === undefined ? [] : [[given.slice(0, at), value]]
}

/** The comparison; runs that were not measured alike are refused in words of the command. */
export function compared(baseline: ExperimentResult, candidate: ExperimentResult, options: CompareOptions): Comparison {
  try {
    return compareRuns(baseline, candidate, options)
  } catch (thrown) {
    if (!JuristError.is(thrown, 'conditions-differ')) throw thrown
    const { ignoreConditions } = options
    const ignored = Array.isArray(ignoreConditions) ? ignoreConditions : []
    const message = refusedConditions(thrown.details.differences, baseline, candidate, ignored)
    throw new JuristError('conditions-differ', message, thrown.details, { cause: thrown })
  }
}

/** A condition by a wrong name would allow nothing, and look as if it did. */
function refuseUnknownConditions(
  baseline: ExperimentResult,
  candidate: ExperimentResult,
  { vary = [], ignoreConditions = [] }: CompareOptions,
): void {
  const known = [...new Set([...Object.keys(baseline.conditions), ...Object.keys(candidate.conditions)])]
  const named = { '--vary': vary, '--ignore-conditions': Array.isArray(ignoreConditions) ? ignoreConditions : [] }
  for (const [flag, names] of Object.entries(named)) {
    const unknown = names.find((name) => !known.includes(name))
    if (unknown !== undefined)
      throw usageInvalid(
        flag,
        `Neither run has the condition "${unknown}".${unknownAmong(unknown, known, 'There are')}`,
      )
  }
}

/** A limit for a score that no item has on both sides would hold whatever happens. */
function refuseUnknownScores({ items }: Comparison, limited: readonly string[]): void {
  if (limited.length === 0) return
  const known = [...new Set(items.flatMap(({ scoreDeltas }) => Object.keys(scoreDeltas)))]
  const missing = limited.find((key) => !known.includes(key))
  if (missing !== undefined)
    throw usageInvalid('--max-drop', `No item has the score "${missing}" on both sides.${unknownAmong(missing, known)}`)
}

function only(comparison: Comparison, change: Read['only']): Comparison {
  if (change === undefined) return comparison
  const items = comparison.items.filter((item) =>
    change === 'changed' ? item.change !== 'unchanged' : item.change === change,
  )
  return { ...comparison, items }
}

function textOf(comparison: Comparison, format: Read['format'], { terminal }: Host): string {
  if (format === 'markdown') return comparisonReport(comparison, { format })
  return comparisonReport(comparison, {
    format: 'console',
    color: terminal.style.red('x') !== 'x',
    width: terminal.columns,
  })
}

function write(host: Host, output: string, comparison: Comparison): Promise<boolean> {
  const text = output.endsWith('.json')
    ? JSON.stringify(comparison, null, 2)
    : comparisonReport(comparison, {
        format: output.endsWith('.md') ? 'markdown' : 'console',
        width: Number.MAX_SAFE_INTEGER,
      })
  return reportWritten(host, output, `${text}\n`)
}
