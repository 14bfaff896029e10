import type { Judge } from '@jurist/core'
import {
  type CalibrateJudgesOptions,
  type CalibrateOptions,
  type CalibrationResult,
  calibrationOf,
  judgesCalibrationOf,
  calibrate as measure,
} from '@jurist/experiment/calibrate'
import {
  isDatasetPath,
  type JudgesCalibration,
  labelProblems,
  openFrom,
  type RunCalibration,
  trueRateGate,
  withinBudget,
} from '@jurist/experiment/internal'
import { refuseMissingKeys } from '@jurist/experiment/internal/config'
import { counted, resultWithItems } from '@jurist/experiment/internal/results'
import {
  type ExitCode,
  type FlagValues,
  flag,
  type ReportProblem,
  repeatable,
  text,
  toggle,
  usageInvalid,
  whole,
} from '@jurist/experiment/plugin'
import { calibrationReport } from '@jurist/experiment/report'
import { type ExperimentResult, percent } from '@jurist/experiment/result'
import { commandLine } from '@jurist/kit/command-line'
import { columnRoles } from '../../command-kit/configured-experiment.js'
import { checkOutputFile } from '../../command-kit/files.js'
import { findRun } from '../../command-kit/find-run.js'
import { ended, type Host, interruptible } from '../../command-kit/host.js'
import { cacheHelp, judgeCache } from '../../command-kit/judge-cache.js'
import { printReport, type ReportPlace, reportFlags, writeReport } from '../../command-kit/report-formats.js'
import { type Results, resultsOf } from '../../command-kit/results-store.js'
import { defined, dollarAmount, grouped, rate, type Subcommand, subcommand } from '../../command-kit/subcommand.js'
import type { Thresholds } from '../../config/config.js'
import type { LoadedConfig } from '../../config/load-config.js'
import {
  areJudges,
  configuredCalibration,
  duelLine,
  duelOf,
  judgesDocument,
  measuredJudges,
  missesOf,
} from './calibrations.js'
import { certify, certifyFlags } from './certify.js'
import { checkLabelledRun, checkRunFlags, labelledRun, labelledRunDocument, labelledRunFlags } from './labelled-run.js'

const flags = {
  repeat: flag('--repeat <n>', 'repetitions of each judgment', whole(1)),
  concurrency: flag('-j, --concurrency <n>', 'concurrent judgments (default: 4)', whole(1), {
    variable: 'JURIST_CONCURRENCY',
  }),
  cache: toggle('--cache', cacheHelp),
  swap: toggle('--swap', 'require the consistency check of the option "swap"'),
  thresholdAgreement: flag('--threshold-agreement <n>', 'the required agreement', rate),
  thresholdKappa: flag('--threshold-kappa <n>', "the required Cohen's kappa", rate),
  thresholdTrue: flag(
    '--threshold-true <rate>',
    'with --run: the required true pass rate of its trials, by labels',
    rate,
  ),
  allowModelLabels: toggle('--allow-model-labels', 'with --threshold-true: labels of models count'),
  against: flag('--against <run>', 'another calibration on the same items: exact McNemar', text),
  from: flag('--from <run>', 'report on a stored calibration, or on several: a,b,c; judge nothing', text),
  ...grouped('A run with labels', {
    run: flag('--run <run>', 'measure the judges of this run against human labels; judge nothing', text),
    ...labelledRunFlags,
    all: toggle(
      '--all',
      'with --run: every table, and trials of every judge (default: where the jury differs from people)',
    ),
    judge: repeatable('--judge <name>', 'with --run: a jury of the config that judges the stored trials again', text),
  }),
  ...certifyFlags,
  budget: flag('--budget <usd>', 'stop when the judges have cost this much', dollarAmount),
  correct: flag('--correct <run>', 'another run of this judge: estimate its true pass rate', text),
  ...reportFlags,
} as const

type CalibrateFlags = FlagValues<typeof flags>

export const calibrate: Subcommand = subcommand({
  arguments: [['[calibration]', 'a name under "calibrations" in the config (default: the only one)']],
  flags,
  note: `A calibration without a candidate measures several judges and shows them in one table.
With --certify, exit code 1 means that nothing is certified, and the certificate is not written. A certificate is for
these judges, models, prompts and sources of confidence; a run refuses it when one of them has changed.`,
  examples: [
    'calibrate correctness --repeat 2 --threshold-kappa 0.6',
    'calibrate --from latest --correct RUN',
    'calibrate --run latest --judge strict',
    'calibrate answers --certify --alpha 0.15 --certificate certificates/answers.json',
    'calibrate answers --certify --run latest --certificate certificates/answers.json',
  ],
  check(read, problem, [name]) {
    if (read.certify) return checkCertifyFlags(read, problem)
    for (const flag of ['alpha', 'delta', 'risk', 'certificate'] as const)
      if (read[flag] !== undefined) problem(`--${flag}`, `--${flag} needs --certify. Add it.`)
    checkRunFlags(read, problem, name)
    if (read.thresholdTrue !== undefined && read.run === undefined)
      problem('--threshold-true', '--threshold-true needs --run <run>, a run with labels.')
    if (read.allowModelLabels && read.thresholdTrue === undefined)
      problem('--allow-model-labels', '--allow-model-labels needs --threshold-true <rate>.')
    const { from, repeat, concurrency, swap, budget } = read
    if (from === undefined) return
    // `concurrency` may come from the environment, which is not specific to this call.
    const isTyped = concurrency !== undefined && (process.env['JURIST_CONCURRENCY'] ?? '') === ''
    if (repeat !== undefined || isTyped || swap || budget !== undefined)
      problem('--from', '--from judges nothing. Remove --repeat, --concurrency, --swap and --budget.')
    if (name !== undefined) problem('--from', `--from reports on a stored calibration. Remove "${name}".`)
  },
  async run(host, [name], read) {
    if (read.output !== undefined) await checkOutputFile(host, '--output', read.output)
    if (read.certify) return await certify(host, name, read)
    const results = await resultsOf(host)
    if (read.run !== undefined) return await ofRun(host, results, { ...read, run: read.run })
    const loaded = read.from === undefined ? await host.config() : await host.configIfAny()
    // Resolved before judging starts: `latest` must not be the run that starts here.
    const against = read.against === undefined ? undefined : await calibrated(results, read.against, host.cwd)
    const correct =
      read.correct === undefined ? undefined : await resultWithItems(await findRun(results, read.correct, host.cwd))
    using answers = await judgeCache(host, read.cache)
    const made =
      read.from === undefined
        ? await measured(
            host,
            results,
            { ...(await optionsOf(await host.config(), name, read)), ...answers.asking },
            read,
          )
        : await stored(results, read.from.split(','), host.cwd)
    const calibration = correct === undefined ? made : correcting(made, correct)
    const isWritten = await report(host, calibration, against, read)
    return concluded(host, calibration, thresholdsOf(loaded, read), isWritten)
  },
})

/** Refuses flags for the agreement of a judge with labels, which a certificate does not need. */
function checkCertifyFlags(read: CalibrateFlags, problem: ReportProblem): void {
  checkLabelledRun(read, problem)
  const { repeat, thresholdAgreement, thresholdKappa, against, from, correct, judge, swap } = read
  const given = [repeat, thresholdAgreement, thresholdKappa, against, from, correct, judge[0]]
  if (swap || given.some((value) => value !== undefined))
    problem(
      '--certify',
      'With --certify, remove --repeat, --swap, --threshold-agreement, --threshold-kappa, --against, --from, --correct and --judge.',
    )
}

function thresholdsOf(loaded: LoadedConfig | undefined, read: CalibrateFlags): Thresholds {
  return {
    ...loaded?.config.thresholds,
    ...defined({ agreement: read.thresholdAgreement, kappa: read.thresholdKappa }),
  }
}

/**
 * Measures the judges of a stored run. The thresholds apply to the first judge: a named one, otherwise the run's jury.
 */
async function ofRun(host: Host, results: Results, read: CalibrateFlags & { readonly run: string }): Promise<ExitCode> {
  using answers = await judgeCache(host, read.cache)
  const calibration = await labelledRun(host, results, { ...read, ...answers.asking })
  const isWritten = await report(host, calibration, undefined, read)
  const [first] = Object.entries(calibration.calibrations)
  const gated = { ...calibration, calibrations: Object.fromEntries(first === undefined ? [] : [first]) }
  return concluded(
    host,
    gated,
    thresholdsOf(await host.configIfAny(), read),
    isWritten,
    missedTrueRate(calibration, read),
  )
}

/** The reason why the required true pass rate is not shown; none where it is, or where none is required. */
function missedTrueRate(
  { estimate }: RunCalibration,
  { thresholdTrue, allowModelLabels }: CalibrateFlags,
): readonly string[] {
  if (thresholdTrue === undefined) return []
  if (estimate.byModels && !allowModelLabels)
    return ['models gave some of the labels. Label with people, or add --allow-model-labels']
  const gate = trueRateGate(estimate, thresholdTrue)
  if (gate === 'met') return []
  const wanted = `the true pass rate is at least ${percent(thresholdTrue)}`
  return [
    gate === 'missed'
      ? `not so that ${wanted}`
      : `not decided whether ${wanted}: about ${counted(gate.moreLabels, 'more label')} needed`,
  ]
}

/** Adds the true pass rate of another run, estimated from the errors of the judge. */
function correcting(calibration: Calibration, correct: ExperimentResult): CalibrationResult {
  if ('calibrations' in calibration)
    throw usageInvalid('--correct', '--correct is for one judge: name the calibration of that judge with --from.')
  return calibrationOf(calibration.result, { correct })
}

/** One judge compared with labels, or several compared with labels and with each other. */
type Calibration = CalibrationResult | JudgesCalibration | RunCalibration

/** Prints the missed thresholds and returns the exit code. */
function concluded(
  host: Host,
  calibration: Calibration,
  thresholds: Thresholds,
  isWritten: boolean,
  further: readonly string[] = [],
): ExitCode {
  const judges = 'calibrations' in calibration ? Object.entries(calibration.calibrations) : [['', calibration] as const]
  const ofJudges = judges.flatMap(([judge, one]) =>
    missesOf(one, thresholds).map((miss) => (judge === '' ? miss : `${judge}: ${miss}`)),
  )
  const misses = [...ofJudges, ...further]
  for (const miss of misses) host.terminal.err(`${host.terminal.style.red('Missed')}: ${miss}\n`)
  const isInterrupted = judges.some(([, { result }]) => result.status === 'interrupted')
  return ended(host, isInterrupted ? 130 : !isWritten ? 3 : misses.length > 0 ? 1 : 0)
}

/** Returns the calibration of one stored run, or of several in one table. */
async function stored(results: Results, names: readonly string[], cwd: string): Promise<Calibration> {
  const runs = await Promise.all(names.map((name) => calibrated(results, name, cwd)))
  const [first, ...others] = runs
  return first !== undefined && others.length === 0 ? calibrationOf(first) : judgesCalibrationOf(names.join(', '), runs)
}

/** Returns the configured calibration with this name, of one judge or of several. */
async function optionsOf(
  loaded: LoadedConfig,
  given: string | undefined,
  read: CalibrateFlags,
): Promise<CalibrateOptions | CalibrateJudgesOptions> {
  const options = await configuredCalibration(loaded, given)
  const { name } = options
  if ('tiers' in options)
    throw usageInvalid(
      'calibration',
      `The calibration "${name}" has tiers. Certify the cascade: ${commandLine('calibrate', name, '--certify')}`,
    )
  if (areJudges(options) && read.against !== undefined)
    throw usageInvalid('--against', `The judges of "${name}" are compared with each other: remove --against.`)
  if (read.swap && options.swap === undefined && !areJudges(options))
    throw usageInvalid('--swap', `The calibration "${name}" has no function "swap" that exchanges two places. Add one.`)
  return options
}

/** Finds a stored run of kind `judge`; `latest` selects the newest one. */
async function calibrated(results: Results, text: string, cwd: string): Promise<ExperimentResult> {
  const run = await findRun(results, text === 'latest' ? ((await newestCalibration(results)) ?? text) : text, cwd)
  if (run.kind === 'judge') return await resultWithItems(run)
  throw usageInvalid(
    'run',
    `Run ${run.id} is not a calibration but of kind ${run.kind}. List calibrations: ${commandLine('list', '--kind', 'judge')}`,
  )
}

async function newestCalibration({ store }: Results): Promise<string | undefined> {
  for await (const { id } of store.list({ kind: 'judge', limit: 1 })) return id
  return undefined
}

async function measured(
  host: Host,
  { store }: Results,
  options: CalibrateOptions | CalibrateJudgesOptions,
  { repeat, concurrency, budget }: CalibrateFlags,
): Promise<Calibration> {
  const candidates: readonly unknown[] = areJudges(options) ? Object.values(options.judges ?? {}) : [options.candidate]
  refuseMissingKeys(candidates.flatMap((jury) => (typeof jury === 'function' ? [{ jury: jury as Judge }] : [])))
  using interrupt = interruptible(host, () => 'Stopping: judging is being cancelled (press again to exit immediately).')
  const items = isDatasetPath(options.items) ? await openFrom(options.items) : options.items
  const columns = 'columns' in items ? columnRoles(items.columns) : undefined
  if (columns !== undefined) host.note(`${options.name}: columns read as ${columns}`)
  for (const { severity, problem, remedy } of await labelProblems({ ...options, items }))
    if (severity === 'warning') host.note(`warning: ${problem} ${remedy}`)
  const watched = withinBudget({ ...options, ...defined({ budgetUsd: budget }), signal: interrupt.signal })
  const given = { ...defined({ repetitions: repeat, concurrency }), ...watched, items, store }
  if (areJudges(options)) return await measuredJudges(host, { ...options, ...given })
  return await measure({ ...options, ...given })
}

/** Prints and writes the report. Returns whether it could be written. */
async function report(
  host: Host,
  calibration: Calibration,
  against: ExperimentResult | undefined,
  read: CalibrateFlags,
) {
  const duel = against === undefined || 'calibrations' in calibration ? undefined : duelOf(calibration.result, against)
  const text = (place: ReportPlace) =>
    [
      calibrationReport(calibration, { ...place, all: read.all }),
      ...(duel === undefined ? [] : ['', duelLine(duel)]),
    ].join('\n')
  const document =
    'people' in calibration
      ? labelledRunDocument(calibration)
      : 'calibrations' in calibration
        ? judgesDocument(calibration)
        : { ...calibration, ...(duel === undefined ? {} : { against: duel }) }
  printReport(host, read.format, { document, text })
  return await writeReport(host, read.output, { document, text })
}
