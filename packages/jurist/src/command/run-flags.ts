import type { ExperimentOptions, Preserve } from '@jurist/experiment'
import type { Command } from 'commander'
import type { Thresholds } from '../config/config.js'
import { type FlagReader, flagOrVariable, flagReader, repeated } from './flag-values.js'
import { type GivenFlags, givenFlags } from './given-flags.js'
import { type FailOn, failOnValues } from './regression-gate.js'
import { formatByEnd, formatEnds } from './report-formats.js'
import { readSelection, type Selection, withSelectionFlags } from './selection.js'
import type { Flags } from './subcommand.js'

/** The arguments and flags of `jurist run`. */
export function defineRun(command: Command): Command {
  return withSelectionFlags(command)
    .argument('[experiment...]', 'names in the config; default: the only one')
    .option('--variant <name>', 'only this variant (repeatable)', repeated)
    .option('--all-variants', 'all variants (the default when there are any)')
    .option('--repeat <n>', 'how often each item runs')
    .option('-j, --concurrency <n>', 'trials at once (default: 4)')
    .option('--item-timeout <duration>', 'for the agent, such as 15m')
    .option('--judge-timeout <duration>', 'for the jury of one trial')
    .option('--timeout <duration>', 'for the whole run')
    .option('--budget <usd>', 'stop when so much is spent')
    .option('--budget-tokens <n>', 'stop after so many tokens')
    .option('--bail [n]', 'stop after the n-th trial that failed or decided nothing (default: the first)')
    .option(
      '--max-infrastructure-failures <n>',
      'stop when so many trials in a row failed for it (default: 5; 0: never)',
    )
    .option('--retries <n>', 'attempts when the infrastructure fails (default: 3)')
    .option('--resume [run]', 'go on with what a run was begun with (default: the newest unfinished one)')
    .option('--widen', 'with --resume: add the variants, items and repetitions that are asked for now')
    .option('--retry-errors', 'with --resume: run again what decided nothing')
    .option('--dry-run', 'say what would run, and run nothing')
    .option('--no-judge', 'run the agent only; judge later')
    .option('--judge-failed-runs', 'judge also what timed out or erred')
    .option('--preserve <what>', 'keep workspaces: all, failed or none')
    .option('--baseline <run>', 'the run to compare with')
    .option('--session <name>', 'name of the session of variants')
    .option('--sweep <name>', 'add the session to this sweep')
    .option('--order <order>', 'variant by variant, or item by item: variant, item')
    .option('--threshold <rate>', 'pass rate of the decided trials that must be reached')
    .option('--threshold-all <rate>', 'pass rate of all planned trials')
    .option('--score <key=rate>', 'mean score that must be reached (repeatable)', repeated)
    .option('--max-cost <usd>', 'the most that may be spent')
    .option('--require-clean-git', 'refuse a project with uncommitted changes')
    .option(
      '--fail-on <what>',
      `with a baseline, when to end with code 1: ${failOnValues.join(', ')} (default: significant)`,
    )
    .option('--reporter <name[=file]>', 'console, plain, json, github or junit (repeatable)', repeated)
    .option('-o, --output <file>', 'write results to .md, .html, .json, .csv, .jsonl or .xml (repeatable)', repeated)
    .option('--watch', 'run again when config or dataset change; needs a budget, which is for all these runs together')
    .option('--watch-path <path>', 'with --watch: a file or directory to watch too (repeatable)', repeated)
    .option('--verbose', 'show trials that passed too')
    .addHelpText(
      'after',
      '\nExamples:\n  jurist run add-readme --repeat 3 -j 4\n  jurist run --item ITEM-001 --dry-run',
    )
}

/** The flags of `jurist run`, read and checked. */
export interface RunFlags {
  readonly selection: Selection
  readonly variants: readonly string[]
  readonly overrides: Partial<ExperimentOptions>
  readonly thresholds: Thresholds
  /** `true`: the newest unfinished run. */
  readonly resume: string | true | undefined
  readonly retryErrors: boolean
  readonly widen: boolean
  readonly dryRun: boolean
  readonly noJudge: boolean
  readonly session: string | undefined
  readonly sweep: string | undefined
  readonly order: 'variant' | 'item' | undefined
  readonly failOn: FailOn
  readonly reporters: readonly string[]
  readonly outputs: readonly string[]
  readonly verbose: boolean
  readonly watch: boolean
  readonly watchPaths: readonly string[]
  /** As they were typed. */
  readonly given: GivenFlags
}

/** Reads the flags; every wrong one is named in one `usage-invalid`. */
export function readRunFlags(flags: Flags): RunFlags {
  const reader = flagReader()
  const list = (name: string) => (flags[name] ?? []) as readonly string[]
  const text = (name: string) => flags[name] as string | undefined
  if (flags.allVariants === true && list('variant').length > 0)
    reader.problem('--variant', 'Give --variant or --all-variants, not both.')
  const read: RunFlags = {
    selection: readSelection(flags, reader),
    variants: list('variant'),
    overrides: overridesOf(flags, reader),
    thresholds: thresholdsOf(flags, reader),
    resume: flags.resume as string | true | undefined,
    retryErrors: flags.retryErrors === true,
    widen: flags.widen === true,
    dryRun: flags.dryRun === true,
    noJudge: flags.judge === false,
    session: text('session'),
    sweep: text('sweep'),
    order: reader.oneOf('--order', flags.order, ['variant', 'item'] as const),
    failOn: reader.oneOf('--fail-on', flags.failOn, failOnValues) ?? 'significant',
    reporters: list('reporter'),
    outputs: [...list('output'), ...junitFiles(list('reporter'))],
    verbose: flags.verbose === true,
    watch: flags.watch === true,
    watchPaths: list('watchPath'),
    given: givenFlags(flags),
  }
  checkResume(read, reader)
  checkOutputs(read, reader)
  checkWatch(read, reader)
  reader.done()
  return read
}

const reporterNames = ['console', 'plain', 'json', 'github', 'junit']

/** The file of `--reporter json=events.jsonl`; `undefined` for a reporter that writes none along the way. */
export function eventFileOf(reporter: string): string | undefined {
  const at = reporter.indexOf('=')
  return at < 0 || reporter.startsWith('junit=') ? undefined : reporter.slice(at + 1)
}

/** The files of `--reporter junit=report.xml`; without a name `junit.xml`. */
function junitFiles(reporters: readonly string[]): readonly string[] {
  return reporters.flatMap((reporter) => {
    const [name, file = 'junit.xml'] = reporter.split('=')
    return name === 'junit' ? [file] : []
  })
}

function checkOutputs({ reporters, outputs }: RunFlags, reader: FlagReader): void {
  for (const reporter of reporters) {
    const [name = ''] = reporter.split('=')
    if (!reporterNames.includes(name))
      reader.problem('--reporter', `--reporter ${name} is no reporter. There are ${reporterNames.join(', ')}.`)
  }
  for (const output of outputs)
    if (formatByEnd(output) === undefined)
      reader.problem(
        '--output',
        `--output ${output} must end in one of ${formatEnds.join(' ')}, which says the format.`,
      )
}

function checkResume({ resume, retryErrors, widen, dryRun }: RunFlags, reader: FlagReader): void {
  if (resume === undefined) {
    if (retryErrors) reader.problem('--retry-errors', '--retry-errors is for --resume. Give both.')
    if (widen) reader.problem('--widen', '--widen is for --resume. Give both.')
  } else if (dryRun)
    reader.problem(
      '--dry-run',
      'Give --dry-run or --resume, not both: a stored run shows what is left with jurist show.',
    )
}

function checkWatch({ watch, watchPaths, resume, dryRun }: RunFlags, reader: FlagReader): void {
  if (!watch && watchPaths.length > 0) reader.problem('--watch-path', '--watch-path is for --watch. Give both.')
  if (!watch) return
  if (resume !== undefined) reader.problem('--watch', 'Give --watch or --resume, not both.')
  if (dryRun) reader.problem('--watch', 'Give --watch or --dry-run, not both.')
}

function overridesOf(flags: Flags, reader: FlagReader): Partial<ExperimentOptions> {
  const usd = reader.dollars(...flagOrVariable('--budget', flags.budget, 'JURIST_BUDGET_USD'))
  const tokens = reader.whole('--budget-tokens', flags.budgetTokens, 1)
  const attempts = reader.whole('--retries', flags.retries, 1)
  const outage = reader.whole('--max-infrastructure-failures', flags.maxInfrastructureFailures, 0)
  const preserve: readonly Preserve[] = ['all', 'failed', 'none']
  return present({
    repetitions: reader.whole('--repeat', flags.repeat, 1),
    concurrency: reader.whole(...flagOrVariable('--concurrency', flags.concurrency, 'JURIST_CONCURRENCY'), 1),
    itemTimeoutMs: reader.duration('--item-timeout', flags.itemTimeout),
    judgeTimeoutMs: reader.duration('--judge-timeout', flags.judgeTimeout),
    experimentTimeoutMs: reader.duration('--timeout', flags.timeout),
    budget: usd === undefined && tokens === undefined ? undefined : present({ usd, tokens }),
    bail: flags.bail === true ? true : reader.whole('--bail', flags.bail, 1),
    maxInfrastructureFailures: outage === 0 ? false : outage,
    retries: attempts === undefined ? undefined : { attempts },
    judgeFailedRuns: flags.judgeFailedRuns === true ? true : undefined,
    preserveWorkspaces: reader.oneOf('--preserve', flags.preserve, preserve),
    baseline: flags.baseline as string | undefined,
    requireCleanGit: flags.requireCleanGit === true ? true : undefined,
  })
}

function thresholdsOf(flags: Flags, reader: FlagReader): Thresholds {
  const scores = ((flags.score ?? []) as readonly string[]).flatMap((given): (readonly [string, number])[] => {
    const at = given.lastIndexOf('=')
    const rate = at > 0 ? reader.rate('--score', given.slice(at + 1)) : undefined
    if (at < 1) reader.problem('--score', `--score wants key=rate, such as rules/build=0.9, not "${given}".`)
    return rate === undefined ? [] : [[given.slice(0, at), rate]]
  })
  return present({
    passRate: reader.rate('--threshold', flags.threshold),
    passRateOfAll: reader.rate('--threshold-all', flags.thresholdAll),
    maxCostUsd: reader.dollars('--max-cost', flags.maxCost),
    scores: scores.length === 0 ? undefined : Object.fromEntries(scores),
  })
}

/** The entries that are there. */
function present<Value extends object>(value: Value): { [Key in keyof Value]?: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as {
    [Key in keyof Value]?: Exclude<Value[Key], undefined>
  }
}
