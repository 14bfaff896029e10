import { type LabelRow, labelRows } from '@jurist/experiment/internal'
import { resultWithItems } from '@jurist/experiment/internal/results'
import { type FlagValues, flag, instant, oneOf, text, usageInvalid } from '@jurist/experiment/plugin'
import { type ExportTable, type ReportFormat, reportText } from '@jurist/experiment/report'
import type { ExperimentResult } from '@jurist/experiment/result'
import {
  atifOf,
  checkHarborFlags,
  checkScoreFlags,
  evalLog,
  evalSample,
  exportHarbor,
  exportScores,
  harborExportFlags,
  type PredictionPlaces,
  predictionLines,
  scoreFlags,
} from '@jurist/import/internal'
import { commandLine } from '@jurist/kit/command-line'
import { checkOutputFile, writeOutput } from '../../command-kit/files.js'
import { findRun } from '../../command-kit/find-run.js'
import type { Host } from '../../command-kit/host.js'
import { pluginHost } from '../../command-kit/plugin-host.js'
import {
  type FormatName,
  formatByEnding,
  formatEndings,
  formatNames,
  formats,
  isTable,
} from '../../command-kit/report-formats.js'
import { type Results, resultsOf, scansKept } from '../../command-kit/results-store.js'
import { type Subcommand, subcommand } from '../../command-kit/subcommand.js'
import { labelPass, labelsBeside, passFlags } from '../label/label-pass.js'
import { experimentOf } from '../rejudge.js'
import { keptWorkspace, recordedEvents } from '../show/trial-evidence.js'

const tables: readonly (ExportTable | 'labels')[] = [
  'runs',
  'items',
  'judgments',
  'checks',
  'tools',
  'phases',
  'labels',
]

/** The formats of reports, formats with one line per record for other tools, and tasks of Harbor. */
const exportFormats: readonly (ExportFormat | 'harbor')[] = [...formatNames, 'atif', 'inspect', 'predictions', 'harbor']

/** The flags for the person who fills in a sheet, and for its trials. */
const sheetFlags = {
  by: { ...passFlags.by, help: 'with labels: a sheet for this person, with the trials to label as well' },
  sample: { ...passFlags.sample, help: 'with --by: a uniform random sample of n trials (default: all)' },
  seed: { ...passFlags.seed, help: 'with --by: the seed of --sample and of the order (default: 1)' },
} as const

const flags = {
  table: flag('--table <table>', `with csv and jsonl: ${tables.join(', ')} (default: items)`, oneOf(tables)),
  format: flag(
    '--format <format>',
    `${exportFormats.join(', ')} (default: by the ending of -o, else csv)`,
    oneOf(exportFormats),
  ),
  ...sheetFlags,
  ...scoreFlags,
  ...harborExportFlags,
  output: flag('-o, --output <file>', 'write to a file (default: stdout); with harbor, the directory to make', text),
  session: flag('--session <name>', 'every run of this session', text),
  sweep: flag('--sweep <name>', 'every run of this sweep', text),
  since: flag('--since <instant>', 'runs that started at or after this instant (ISO 8601)', instant),
} as const

type ExportFormat = FormatName | 'atif' | 'inspect' | 'predictions'
type ExportFlags = FlagValues<typeof flags>

export const exportRuns: Subcommand = subcommand({
  arguments: [['[run...]', 'runs, as for jurist show (default: all of --session, --sweep or --since)']],
  flags,
  examples: [
    'export latest --table judgments -o judgments.csv',
    'export latest --table labels --by ana --sample 60 -o ana.csv',
    'export latest --format atif -o trajectories.json',
    'export latest --format inspect -o log.json',
    'export latest --format predictions -o predictions.jsonl',
    'export latest --to langfuse --dry-run',
    'export --format harbor -o tasks',
  ],
  check(given, problem, [texts], host) {
    const { table, format, output, session, sweep, since } = given
    checkHarborFlags(given, texts, problem)
    if (format === 'harbor') return
    if (output !== undefined && format === undefined && formatByEnding(output) === undefined)
      problem('--output', `--output ${output} must end in ${formatEndings.join(', ')}. Or add --format.`)
    else if (table !== undefined && !isTabular(formatOf(given, host)))
      problem('--table', `--table works with csv and jsonl, not with ${formatOf(given, host)}.`)
    checkScoreFlags(given, problem)
    checkSheetFlags(given, table === 'labels', problem)
    if (texts.length === 0 && session === undefined && sweep === undefined && since === undefined)
      problem('run', 'Name what to export: runs, --session <name>, --sweep <name> or --since <instant>.')
  },
  async run(host, [texts], given) {
    if (given.format === 'harbor') return exportHarbor(pluginHost(host), given)
    if (given.output !== undefined) await checkOutputFile(host, '--output', given.output)
    const results = await resultsOf(host)
    const runs = runsOf({ host, results, texts, given })
    if (given.to !== undefined) {
      await exportScores(pluginHost(host), atLeastOne(runs), { ...given, to: given.to })
      return 0
    }
    await write(host, given.output, textOf(host, results, atLeastOne(runs), given))
    return 0
  },
})

function isTabular(name: ExportFormat): boolean {
  return name !== 'atif' && name !== 'inspect' && name !== 'predictions' && isTable(name)
}

function textOf(
  host: Host,
  results: Results,
  runs: AsyncIterable<ExperimentResult>,
  given: ExportFlags,
): AsyncIterable<string> {
  const { table = 'items' } = given
  const name = formatOf(given, host)
  if (name === 'atif') return trajectoryLines(results, runs)
  if (name === 'inspect') return inspectLog(results, runs)
  if (name === 'predictions') return predictionLines(runs, predictionPlaces(host, results))
  const format = formats[name]
  if (table !== 'labels')
    return 'rows' in format ? reportText(format, runs, { table }) : scannedText(format, results, runs)
  const rows = labelTable(host, results, runs, given)
  return 'rows' in format ? format.rows(rows) : scannedText(format, results, runs)
}

/** A document of runs with what scans of them have kept. */
async function* scannedText(
  format: ReportFormat,
  results: Results,
  runs: AsyncIterable<ExperimentResult>,
): AsyncIterable<string> {
  const all: ExperimentResult[] = []
  for await (const run of runs) all.push(run)
  yield* reportText(format, all, { scans: await scansKept(results, all) })
}

function predictionPlaces(host: Host, results: Results): PredictionPlaces {
  return {
    note: host.note,
    async experimentOf(run) {
      const loaded = await host.configIfAny()
      return loaded && experimentOf(loaded, run)
    },
    workspaceOf: async (run, item) => (await keptWorkspace(results, run, item))?.root,
  }
}

function formatOf({ format, output }: ExportFlags, host: Host): ExportFormat {
  const named = format === 'harbor' ? undefined : format
  return named ?? formatByEnding(output ?? '') ?? (host.flags.json === true ? 'jsonl' : 'csv')
}

interface Wanted {
  readonly host: Host
  readonly results: Results
  readonly texts: readonly string[]
  readonly given: ExportFlags
}

/** Yields one run at a time, since the runs of a store may not fit into memory together. */
async function* runsOf({ host, results, texts, given }: Wanted): AsyncGenerator<ExperimentResult, void> {
  const { session, sweep, since } = given
  const seen = new Set<string>()
  const isNew = ({ id }: { readonly id: string }) => !seen.has(id) && seen.add(id) !== undefined
  // All names are resolved first, so that a wrong one does not leave half an export.
  const named: string[] = []
  for (const text of texts) {
    const run = await findRun(results, text, host.cwd)
    if (isNew(run)) named.push(text)
  }
  for (const text of named) yield await resultWithItems(await findRun(results, text, host.cwd))
  if (session === undefined && sweep === undefined && since === undefined) return
  const sessions = await sessionsOf(results, given)
  let fitting = 0
  for await (const entry of results.store.list({ order: 'oldest' })) {
    const inSession = sessions === undefined || (entry.session !== null && sessions.has(entry.session))
    if (!inSession || (since !== undefined && Date.parse(entry.startedAt) < since)) continue
    fitting += 1
    if (!isNew(entry)) continue
    const run = await results.store.load(entry.id)
    if (run !== undefined) yield run
  }
  if (fitting === 0) throw usageInvalid('run', `No run in ${results.shown} fits. All: ${commandLine('list')}`)
}

/** Returns the sessions that `--session` and `--sweep` select; `undefined` without these flags. */
async function sessionsOf(
  { store }: Results,
  { session: named, sweep: wanted }: ExportFlags,
): Promise<ReadonlySet<string> | undefined> {
  if (named === undefined && wanted === undefined) return undefined
  const names = new Set<string>(named === undefined ? [] : [named])
  if (wanted === undefined) return names
  const experiments = new Set<string>()
  for await (const { experimentName } of store.list({ includeExcluded: true })) experiments.add(experimentName)
  for (const experiment of experiments)
    for (const sweep of await store.sweeps.list(experiment))
      if (sweep.sweep === wanted) for (const { session } of sweep.history) names.add(session)
  return names
}

async function* atLeastOne(runs: AsyncIterable<ExperimentResult>): AsyncGenerator<ExperimentResult, void> {
  let count = 0
  for await (const run of runs) {
    count += 1
    yield run
  }
  if (count === 0) throw usageInvalid('run', `No run to export. List runs: ${commandLine('list')}`)
}

/** Streams to stdout, or writes a complete file. */
async function write(host: Host, output: string | undefined, parts: AsyncIterable<string>): Promise<void> {
  if (output === undefined) {
    for await (const part of parts) host.terminal.raw(part)
    return
  }
  await writeOutput(host, output, parts)
  host.note(`wrote ${output}`)
}

/** Yields each trial as a trajectory, one per line. */
async function* trajectoryLines(results: Results, runs: AsyncIterable<ExperimentResult>): AsyncGenerator<string, void> {
  for await (const read of runs) {
    const run = await resultWithItems(read)
    for (const item of run.items) {
      yield `${JSON.stringify(atifOf(run, item, await recordedEvents(results, run, item)))}\n`
    }
  }
}

/** Yields a run as a JSON log of Inspect. A log contains one evaluation, so only one run is allowed. */
async function* inspectLog(results: Results, runs: AsyncIterable<ExperimentResult>): AsyncGenerator<string, void> {
  const reading = runs[Symbol.asyncIterator]()
  const { value: first } = await reading.next()
  const { value: second } = await reading.next()
  if (first === undefined) return
  if (second !== undefined)
    throw usageInvalid('run', `A log of Inspect holds one run, and there are ${first.id} and ${second.id}. Name one.`)
  const run = await resultWithItems(first)
  yield `${JSON.stringify(evalLog(run)).slice(0, -1)},"samples":[`
  for (const [at, item] of run.items.entries()) {
    const events = await recordedEvents(results, run, item)
    yield `${at === 0 ? '' : ','}\n${JSON.stringify(evalSample(item, events))}`
  }
  yield '\n]}\n'
}

type SheetFlags = FlagValues<typeof sheetFlags>

/** Reports flags without the flag that they require. */
function checkSheetFlags(
  { by, sample, seed }: SheetFlags,
  isLabels: boolean,
  problem: (flag: string, message: string) => void,
): void {
  const given = { '--by': by, '--sample': sample, '--seed': seed }
  const [first] = Object.entries(given).flatMap(([flag, value]) => (value === undefined ? [] : [flag]))
  if (first !== undefined && !isLabels) problem(first, `${first} needs --table labels.`)
  else if (first !== undefined && by === undefined)
    problem(first, `${first} needs --by <name>, who fills in the sheet.`)
}

/**
 * Yields the labels of each run as rows. With `by`, yields the trials for a person to label, as in `jurist label --by`.
 *
 * @throws `usage-invalid` if there are no rows
 */
async function* labelTable(
  host: Host,
  results: Results,
  runs: AsyncIterable<ExperimentResult>,
  sheet: SheetFlags,
): AsyncGenerator<LabelRow, void> {
  let last: ExperimentResult | undefined
  let rows = 0
  for await (const read of runs) {
    if (read.kind !== 'agent') continue
    const run = await resultWithItems(read)
    const lines = await labelsBeside(host, results, run).read()
    const flags = { ...sheet, next: undefined, stratify: undefined, item: [], queue: undefined, disagreements: false }
    const pass = sheet.by === undefined ? undefined : await labelPass(host, run, lines, flags)
    for (const row of labelRows(run, lines, pass)) {
      rows += 1
      yield row
    }
    last = run
  }
  if (rows > 0) return
  const sheetLine = commandLine('export', last?.id ?? 'RUN', '--table', 'labels', '--by', 'NAME')
  throw usageInvalid(
    '--table',
    `There are no labels to export. Make some: ${commandLine('label', last?.id ?? 'RUN')}, or a sheet to fill in: ${sheetLine}`,
  )
}
