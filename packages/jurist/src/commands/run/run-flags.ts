import type { ExperimentOptions } from '@jurist/experiment'
import {
  type FlagValues,
  flag,
  oneOf,
  optional,
  type ReportProblem,
  repeatable,
  text,
  toggle,
  whole,
} from '@jurist/experiment/plugin'
import { commandLine } from '@jurist/kit/command-line'
import {
  checkReporters,
  gateFlags,
  outputFiles,
  outputFlags,
  resultReporters,
  thresholdsIn,
} from '../../command-kit/gate-flags.js'
import { cacheHelp } from '../../command-kit/judge-cache.js'
import { reportFileOf } from '../../command-kit/report-formats.js'
import { readSelection, type Selection, selectionFlags } from '../../command-kit/selection.js'
import {
  defined,
  dollarAmount,
  fileEndingIn,
  grouped,
  marginPoints,
  milliseconds,
  type TypedFlags,
} from '../../command-kit/subcommand.js'
import type { Thresholds } from '../../config/config.js'
import { labelsFlag } from '../worker/shared-queue.js'
import { checkShardFlags, shardFlags } from './shard-flags.js'

const kept = { onResume: 'kept' } as const
const plan = { onResume: 'plan' } as const
const rare = { isRare: true } as const
/** `json` prints events; the other formats write the results to a file. */
const reporterNames = ['console', 'plain', 'json', ...resultReporters]

export const runFlags = {
  ...selectionFlags,
  ...grouped('Which items', {
    variant: repeatable('--variant <name>', 'only this variant', text, { ...plan, completes: 'variant' }),
    allVariants: toggle('--all-variants', 'all variants (the default when there are any)', rare),
    dryRun: toggle('--dry-run', 'print what would run, and run nothing'),
  }),
  ...grouped('How often', {
    repeat: flag('--repeat <n>', 'repetitions of each item', whole(1), plan),
    retries: flag('--retries <n>', 'attempts when the infrastructure fails (default: 3)', whole(1), kept),
    resume: optional('--resume [run]', 'resume a stored run (default: the newest unfinished one)', text),
    retryErrors: toggle('--retry-errors', 'with --resume: run undecided trials again', kept),
    widen: toggle('--widen', 'with --resume: add the variants, items and repetitions that are selected now', rare),
    watch: toggle('--watch', 'run again when the config or the dataset changes; budgets cover all of these runs'),
    watchPath: repeatable('--watch-path <path>', 'with --watch: a file or directory to watch too', text, rare),
    order: flag(
      '--order <order>',
      'which trials run first: variant (one variant after another), or item (all variants of an item)',
      oneOf(['variant', 'item']),
      { ...kept, ...rare },
    ),
  }),
  ...grouped('Limits', {
    concurrency: flag('-j, --concurrency <n>', 'concurrent trials (default: 4)', whole(1), {
      ...kept,
      variable: 'JURIST_CONCURRENCY',
    }),
    itemTimeout: flag('--item-timeout <duration>', 'time limit for the agent, such as 15m', milliseconds, kept),
    judgeTimeout: flag('--judge-timeout <duration>', 'time limit for the jury of one trial', milliseconds, kept),
    timeout: flag('--timeout <duration>', 'time limit for the whole run', milliseconds, kept),
    budget: flag('--budget <usd>', 'stop when this amount is spent', dollarAmount, {
      ...kept,
      variable: 'JURIST_BUDGET_USD',
    }),
    budgetTokens: flag('--budget-tokens <n>', 'stop after this many tokens', whole(1), kept),
    cache: toggle('--cache', cacheHelp, kept),
    bail: optional(
      '--bail [n]',
      'stop after the n-th trial that fails or stays undecided (default: the first)',
      whole(1),
      kept,
    ),
    maxInfrastructureFailures: flag(
      '--max-infrastructure-failures <n>',
      'stop when this many trials in a row fail because of the infrastructure (default: 5; 0: never)',
      whole(0),
      { ...kept, ...rare },
    ),
    allowHost: repeatable('--allow-host <host>', "a further host for commands of the sandbox's allow-list", text, kept),
    noJudge: toggle('--no-judge', 'run the agent only; judge later', { ...kept, ...rare }),
    judgeFailedRuns: toggle('--judge-failed-runs', 'also judge trials that timed out or failed', { ...kept, ...rare }),
  }),
  ...gateFlags,
  ...grouped('Stopping', {
    until: flag(
      '--until <what>',
      'decided: stop when a difference from the baseline or between variants, or the threshold, is decided',
      oneOf(['decided']),
    ),
    margin: flag('--margin <points>', 'with --until decided: also stop when not worse by more than this', marginPoints),
    onStop: flag(
      '--on-stop <what>',
      'with --until decided: finish or cancel the trials that run (default: finish)',
      oneOf(['finish', 'cancel']),
      rare,
    ),
  }),
  ...grouped('Gates', {
    noQuarantine: toggle('--no-quarantine', 'count the items in quarantine too', rare),
    requireCertificate: flag(
      '--require-certificate <file>',
      'refuse a jury that does not decide by this certificate',
      fileEndingIn('.json'),
      { ...kept, ...rare },
    ),
    allowModelLabels: toggle('--allow-model-labels', 'with --require-certificate: accept labels that models made', {
      ...kept,
      ...rare,
    }),
    requireCleanGit: toggle('--require-clean-git', 'refuse a project with uncommitted changes', { ...kept, ...rare }),
  }),
  ...outputFlags(reporterNames),
  ...grouped('Output', {
    verbose: toggle('--verbose', 'print every trial when it ends, with its reason', kept),
    preserve: flag('--preserve <what>', 'keep workspaces: all, failed or none', oneOf(['all', 'failed', 'none']), kept),
    session: flag('--session <name>', 'the name of the session of variants', text, rare),
    sweep: flag('--sweep <name>', 'add the session to this sweep', text, { ...kept, ...rare }),
  }),
  ...grouped('Many machines', {
    ...shardFlags,
    distributed: toggle(
      '--distributed',
      'let workers run the trials (jurist worker); needs results in PostgreSQL',
      kept,
    ),
    detach: toggle('--detach', 'with --distributed: end when the run is planned', rare),
    labels: labelsFlag('with --distributed: labels that workers must have, such as docker,gpu', rare),
    anyCommit: toggle('--any-commit', 'with --distributed: accept workers at other commits', rare),
  }),
} as const

type RunValues = FlagValues<typeof runFlags>

/** The flags of `jurist run`, with the settings that they imply for an experiment. */
export interface RunFlags extends RunValues {
  readonly selection: Selection
  readonly overrides: Partial<ExperimentOptions>
  readonly thresholds: Thresholds
  /** The files of `--output`, and of `--reporter` with a format such as `junit=file`. */
  readonly outputs: readonly string[]
  readonly typed: TypedFlags
}

export function readRunFlags(values: RunValues, typed: TypedFlags): RunFlags {
  return {
    ...values,
    selection: readSelection(values),
    overrides: overridesOf(values),
    thresholds: thresholdsIn(values),
    outputs: outputFiles(values),
    typed,
  }
}

function overridesOf(values: RunValues): Partial<ExperimentOptions> {
  const { budget: usd, budgetTokens: tokens, retries: attempts, maxInfrastructureFailures: outage } = values
  return defined({
    repetitions: values.repeat,
    concurrency: values.concurrency,
    itemTimeoutMs: values.itemTimeout,
    judgeTimeoutMs: values.judgeTimeout,
    experimentTimeoutMs: values.timeout,
    budget: usd === undefined && tokens === undefined ? undefined : defined({ usd, tokens }),
    bail: values.bail,
    maxInfrastructureFailures: outage === 0 ? false : outage,
    retries: attempts === undefined ? undefined : { attempts },
    judgeFailedRuns: values.judgeFailedRuns || undefined,
    preserveWorkspaces: values.preserve,
    baseline: values.baseline,
    allowAbstain: values.allowAbstain,
    requireCleanGit: values.requireCleanGit || undefined,
    quarantine: values.noQuarantine ? false : undefined,
  })
}

/** Returns the file of `--reporter json=events.jsonl`; `undefined` for a reporter that writes no events to a file. */
export function eventFileOf(reporter: string): string | undefined {
  const at = reporter.indexOf('=')
  return at < 0 || reportFileOf(reporter) !== undefined ? undefined : reporter.slice(at + 1)
}

/** Reports flags of `jurist run` that exclude or need each other. */
export function checkRunFlags(values: RunValues, problem: ReportProblem): void {
  const { resume, widen, retryErrors, dryRun, watch, watchPath, reporter } = values
  if (values.allVariants && values.variant.length > 0)
    problem('--variant', 'Use --variant or --all-variants, not both.')
  if (values.allowModelLabels && values.requireCertificate === undefined)
    problem('--allow-model-labels', '--allow-model-labels needs --require-certificate. Add it.')
  if (retryErrors && resume === undefined) problem('--retry-errors', '--retry-errors needs --resume. Add it.')
  if (widen && resume === undefined) problem('--widen', '--widen needs --resume. Add it.')
  if (dryRun && resume !== undefined)
    problem(
      '--dry-run',
      `Use --dry-run or --resume, not both. To see what is left of a stored run: ${commandLine('show')}`,
    )
  if (watchPath.length > 0 && !watch) problem('--watch-path', '--watch-path needs --watch. Add it.')
  if (watch && resume !== undefined) problem('--watch', 'Use --watch or --resume, not both.')
  if (watch && dryRun) problem('--watch', 'Use --watch or --dry-run, not both.')
  checkUntil(values, problem)
  checkDistribution(values, problem)
  checkShardFlags(values, problem)
  checkReporters(reporter, reporterNames, problem)
}

/** Reports flags that need `--until decided` or exclude it. */
function checkUntil(values: RunValues, problem: ReportProblem): void {
  const { until, margin, onStop, shard, widen, distributed, order, score, watch, threshold, baseline } = values
  if (until === undefined) {
    if (margin !== undefined) problem('--margin', '--margin needs --until decided. Add it.')
    if (onStop !== undefined) problem('--on-stop', '--on-stop needs --until decided. Add it.')
    return
  }
  if (shard !== undefined)
    problem(
      '--shard',
      "A shard does not know the others' outcomes. Use workers on one database, or run all shards and merge.",
    )
  if (widen) problem('--widen', 'Use --until decided or --widen, not both: a plan cannot change.')
  if (distributed && onStop === 'cancel')
    problem('--on-stop', 'Use --on-stop cancel or --distributed, not both: workers end the trials that they hold.')
  if (watch) problem('--watch', 'Use --until decided or --watch, not both.')
  if (order === 'variant') problem('--order', 'With --until decided the variants run item by item. Remove --order.')
  if (score.length > 0)
    problem('--score', 'A run that stops when it is decided has no mean score of all items. Remove --score.')
  if (threshold !== undefined && (margin !== undefined || baseline !== undefined))
    problem('--threshold', '--until decided decides one question: with a baseline or a margin remove --threshold.')
}

/** Reports flags that need `--distributed` or exclude it. */
function checkDistribution(values: RunValues, problem: ReportProblem): void {
  const { distributed, detach, labels, anyCommit, watch, widen, order, cache } = values
  const needing = { '--detach': detach, '--labels': labels.length > 0, '--any-commit': anyCommit }
  for (const [name, isGiven] of Object.entries(needing))
    if (isGiven && !distributed) problem(name, `${name} needs --distributed. Add it.`)
  if (!distributed) return
  if (watch) problem('--watch', 'Use --watch or --distributed, not both.')
  if (widen) problem('--widen', 'Use --widen or --distributed, not both: widen the run first, then distribute it.')
  if (order !== undefined)
    problem('--order', 'Workers run the trials of all variants at the same time. Remove --order.')
  if (cache) problem('--cache', 'Workers judge the trials. Give --cache to jurist worker.')
}
