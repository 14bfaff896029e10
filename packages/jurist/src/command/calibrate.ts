import { basename, resolve } from 'node:path'
import {
  type CalibrateJudgesOptions,
  type CalibrateOptions,
  type CalibrationResult,
  calibrationOf,
  type JudgesCalibration,
  judgesCalibrationOf,
  labelProblems,
  calibrate as measure,
} from '@jurist/experiment/calibrate'
import { openDataset } from '@jurist/experiment/dataset'
import { calibrationReport } from '@jurist/experiment/report'
import { type ExperimentResult, percent, score } from '@jurist/experiment/result'
import type { Thresholds } from '../config/config.js'
import type { LoadedConfig } from '../config/load-config.js'
import { calledFunction, configInvalid, unknownAmong, usageInvalid } from '../config/problems.js'
import { areJudges, duelLine, duelOf, judgesDocument, measuredJudges } from './calibrate-judges.js'
import { columnRoles } from './configured-experiment.js'
import { closingLine, type ExitCode } from './failure-report.js'
import { checkOutputFile, reportWritten } from './files.js'
import { findRun } from './find-run.js'
import { flagOrVariable, flagReader } from './flag-values.js'
import type { Host } from './host.js'
import { interruptible } from './process-events.js'
import { type Results, resultsOf } from './results-store.js'
import type { Flags, Subcommand } from './subcommand.js'

const formats = ['console', 'markdown', 'json'] as const

/** `jurist calibrate`. */
export const calibrate: Subcommand = {
  define: (command) =>
    command
      .argument('[calibration]', 'a name under "calibrations" in the config (default: the only one)')
      .option('--repeat <n>', 'how often each item is judged')
      .option('-j, --concurrency <n>', 'judgments at once (default: 4)')
      .option('--swap', 'demand the consistency check of the option "swap"')
      .option('--threshold-agreement <n>', 'the agreement that must be reached')
      .option('--threshold-kappa <n>', "Cohen's kappa that must be reached")
      .option('--against <run>', 'another calibration on the same items: exact McNemar')
      .option('--from <run>', 'report on a stored calibration, or on several: a,b,c; judge nothing')
      .option('--correct <run>', 'another run that the judge judged: what its pass rate stands for')
      .option('--format <format>', `${formats.join(', ')} (default: console)`)
      .option('-o, --output <file>', 'write the report to .md, .json or .txt')
      .addHelpText(
        'after',
        '\nA calibration without a candidate is one of several judges: they stand in one table.\n\nExamples:\n  jurist calibrate correctness --repeat 2 --threshold-kappa 0.6\n  jurist calibrate --from latest --correct RUN',
      ),
  async run(host, [name], flags) {
    const read = readFlags(flags)
    if (read.output !== undefined) await checkOutputFile(host, '--output', read.output)
    if (flags.from !== undefined && name !== undefined)
      throw usageInvalid('--from', `--from reports on a stored calibration: leave "${name}" out.`)
    const results = await resultsOf(host)
    const loaded = flags.from === undefined ? await host.config() : await host.configIfAny()
    // Found before anything is judged: `latest` must not become the run that is made here.
    const against = flags.against === undefined ? undefined : await calibrated(results, String(flags.against), host.cwd)
    const correct = flags.correct === undefined ? undefined : await findRun(results, String(flags.correct), host.cwd)
    const made =
      flags.from === undefined
        ? await measured(host, results, await optionsOf(await host.config(), name, flags), read)
        : await stored(results, String(flags.from).split(','), host.cwd)
    const calibration = correct === undefined ? made : correcting(made, correct)
    const thresholds = { ...loaded?.config.thresholds, ...read.thresholds }
    const isWritten = await report(host, calibration, against, read)
    return ended(host, calibration, thresholds, isWritten)
  },
}

/** With what the pass rate of another run stands for. */
function correcting(calibration: Calibration, correct: ExperimentResult): CalibrationResult {
  if ('calibrations' in calibration)
    throw usageInvalid('--correct', '--correct is for one judge: name the calibration of that judge with --from.')
  return calibrationOf(calibration.result, { correct })
}

/** One judge beside labels, or several beside labels and each other. */
type Calibration = CalibrationResult | JudgesCalibration

/** Says what fell short, and how the command ends. */
function ended(host: Host, calibration: Calibration, thresholds: Thresholds, isWritten: boolean): ExitCode {
  const judges = 'calibrations' in calibration ? Object.entries(calibration.calibrations) : [['', calibration] as const]
  const misses = judges.flatMap(([judge, one]) =>
    missesOf(one, thresholds).map((miss) => (judge === '' ? miss : `${judge}: ${miss}`)),
  )
  for (const miss of misses) host.terminal.err(`${host.terminal.style.red('Fell short')}: ${miss}\n`)
  const isInterrupted = judges.some(([, { result }]) => result.status === 'interrupted')
  const code = isInterrupted ? 130 : !isWritten ? 3 : misses.length > 0 ? 1 : 0
  if (code !== 0) host.terminal.err(closingLine(code))
  return code
}

/** What stored runs say: one of them by itself, several side by side. */
async function stored(results: Results, names: readonly string[], cwd: string): Promise<Calibration> {
  const runs = await Promise.all(names.map((name) => calibrated(results, name, cwd)))
  const [first, ...others] = runs
  return first !== undefined && others.length === 0 ? calibrationOf(first) : judgesCalibrationOf(names.join(', '), runs)
}

interface Read {
  readonly overrides: Partial<CalibrateOptions>
  readonly thresholds: Pick<Thresholds, 'agreement' | 'kappa'>
  readonly format: (typeof formats)[number]
  readonly output: string | undefined
}

function readFlags(flags: Flags): Read {
  const reader = flagReader()
  const repetitions = reader.whole('--repeat', flags.repeat, 1)
  const concurrency = reader.whole(...flagOrVariable('--concurrency', flags.concurrency, 'JURIST_CONCURRENCY'), 1)
  const agreement = reader.rate('--threshold-agreement', flags.thresholdAgreement)
  const kappa = reader.rate('--threshold-kappa', flags.thresholdKappa)
  const output = flags.output as string | undefined
  if (output !== undefined && !/\.(md|json|txt)$/.test(output))
    reader.problem('--output', `--output ${output}: a calibration is written as .md, .json or .txt.`)
  if (flags.from !== undefined && (repetitions !== undefined || flags.concurrency !== undefined || flags.swap === true))
    reader.problem('--from', '--from judges nothing: leave --repeat, --concurrency and --swap out.')
  const read: Read = {
    overrides: {
      ...(repetitions === undefined ? {} : { repetitions }),
      ...(concurrency === undefined ? {} : { concurrency }),
    },
    thresholds: { ...(agreement === undefined ? {} : { agreement }), ...(kappa === undefined ? {} : { kappa }) },
    format: reader.oneOf('--format', flags.format, formats) ?? 'console',
    output,
  }
  reader.done()
  return read
}

/** The calibration of the config that a name means; without a name the only one. */
async function optionsOf(
  loaded: LoadedConfig,
  given: unknown,
  flags: Flags,
): Promise<CalibrateOptions | CalibrateJudgesOptions> {
  const calibrations = loaded.config.calibrations ?? {}
  const known = Object.keys(calibrations)
  const file = basename(loaded.file)
  const name = typeof given === 'string' ? given : known.length === 1 ? known[0] : undefined
  if (name === undefined)
    throw usageInvalid(
      'calibration',
      known.length === 0
        ? `${file} has no calibration. Add one under "calibrations".`
        : `${file} has several calibrations. Name one: ${known.join(', ')}.`,
    )
  const entry = Object.hasOwn(calibrations, name) ? calibrations[name] : undefined
  if (entry === undefined)
    throw usageInvalid('calibration', `No calibration "${name}" in ${file}.${unknownAmong(name, known)}`)
  const options = typeof entry === 'function' ? await calledFunction(entry, loaded.file, `calibrations.${name}`) : entry
  if (options.name !== undefined && options.name !== name)
    throw configInvalid(loaded.file, [
      {
        path: `calibrations.${name}.name`,
        problem: `is "${options.name}".`,
        remedy: 'Leave "name" out: the key counts.',
      },
    ])
  if (areJudges(options) && flags.against !== undefined)
    throw usageInvalid('--against', `The judges of "${name}" are compared with each other: leave --against out.`)
  if (flags.swap === true && options.swap === undefined && !areJudges(options))
    throw usageInvalid('--swap', `The calibration "${name}" has no function "swap" that exchanges two places. Add one.`)
  const items = typeof options.items === 'string' ? resolve(loaded.directory, options.items) : options.items
  return { ...options, name, items }
}

/** A stored run of kind `judge`; `latest` is the newest of these. */
async function calibrated(results: Results, text: string, cwd: string): Promise<ExperimentResult> {
  const run = await findRun(results, text === 'latest' ? ((await newestCalibration(results)) ?? text) : text, cwd)
  if (run.kind === 'judge') return run
  throw usageInvalid(
    'run',
    `Run ${run.id} is no calibration: it is of kind ${run.kind}. List them: jurist list --kind judge`,
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
  { overrides }: Read,
): Promise<Calibration> {
  using interrupt = interruptible(host, () => 'Stopping: judging is being cancelled (press again to leave at once).')
  const items = typeof options.items === 'string' ? await openDataset(options.items) : options.items
  const columns = 'columns' in items ? columnRoles(items.columns) : undefined
  if (columns !== undefined) host.note(`${options.name}: columns read as ${columns}`)
  for (const { severity, problem, remedy } of await labelProblems({ ...options, items }))
    if (severity === 'warning') host.note(`warning: ${problem} ${remedy}`)
  const given = { ...overrides, items, store, signal: interrupt.signal }
  if (areJudges(options)) return await measuredJudges(host, { ...options, ...given })
  return await measure({ ...options, ...given })
}

/** Prints and writes the report. Whether it could be written. */
async function report(host: Host, calibration: Calibration, against: ExperimentResult | undefined, read: Read) {
  const duel = against === undefined || 'calibrations' in calibration ? undefined : duelOf(calibration.result, against)
  const isJson = host.flags.json === true || read.format === 'json'
  const text = (format: 'console' | 'markdown', color: boolean, width: number) =>
    [
      calibrationReport(calibration, { format, color, width }),
      ...(duel === undefined ? [] : ['', duelLine(duel)]),
    ].join('\n')
  const document =
    'calibrations' in calibration
      ? judgesDocument(calibration)
      : { ...calibration, ...(duel === undefined ? {} : { against: duel }) }
  if (isJson) host.json(document)
  else {
    const color = host.terminal.style.red('x') !== 'x'
    host.terminal.out(`${text(read.format === 'markdown' ? 'markdown' : 'console', color, host.terminal.columns)}\n`)
  }
  if (read.output === undefined) return true
  const written = read.output.endsWith('.json')
    ? JSON.stringify(document, null, 2)
    : text(read.output.endsWith('.md') ? 'markdown' : 'console', false, Number.MAX_SAFE_INTEGER)
  return reportWritten(host, read.output, `${written}\n`)
}

function missesOf({ report }: CalibrationResult, thresholds: Thresholds): readonly string[] {
  const { agreement, kappa, altTest, consistency } = report
  // The alternative annotator test, and whether a judge agrees with itself, need no label.
  const isMeasured = [agreement.value, altTest?.winningRate, consistency.repeats, consistency.swap].some(
    (figure) => figure !== null && figure !== undefined,
  )
  const below = (what: string, value: number | null, wanted: number | undefined, shown: (value: number) => string) =>
    wanted === undefined || (value !== null && value + 1e-9 >= wanted)
      ? []
      : [`${what} ${value === null ? 'unknown' : shown(value)}, ${shown(wanted)} wanted`]
  return [
    ...(isMeasured ? [] : ['nothing was scored']),
    ...below('agreement', agreement.value, thresholds.agreement, (value) => percent(value)),
    ...below("Cohen's kappa", kappa.value, thresholds.kappa, score),
  ]
}
