import { JuristError } from '@jurist/core'
import { modelsUsedBy } from '@jurist/core/internal'
import type { ExperimentEvent, ExperimentOptions, Reporter } from '@jurist/experiment'
import { currentLabels } from '@jurist/experiment/label'
import {
  type ExitCode,
  type FlagValues,
  flag,
  optional,
  repeatable,
  text,
  toggle,
  whole,
} from '@jurist/experiment/plugin'
import { storedContext } from '@jurist/experiment/rejudge'
import { dollars } from '@jurist/experiment/result'
import { commandLine } from '@jurist/kit/command-line'
import { type LabelledRun, type VetReport, vetReportText } from '@jurist/vet'
import { experimentsOf } from '../../command-kit/configured-experiment.js'
import { checkOutputFile, reportWritten } from '../../command-kit/files.js'
import { closingLine, type Host, interruptible } from '../../command-kit/host.js'
import { checkWritable, type Results, resultsOf } from '../../command-kit/results-store.js'
import { readSelection, selected, selectionFlags } from '../../command-kit/selection.js'
import { defined, dollarAmount, fileEndingIn, milliseconds, type TypedFlags } from '../../command-kit/subcommand.js'
import { restartNotice, type VetProgress, vetProgress } from '../../terminal/progress-view.js'
import { labelsKept } from '../label/label-pass.js'

const endings = ['.html', '.md', '.json']

/** The flags of every command that vets a benchmark. */
export const vettingFlags = {
  ...selectionFlags,
  free: toggle('--free', 'leave out members of the jury that cost money'),
  concurrency: flag('-j, --concurrency <n>', 'concurrent trials (default: 4)', whole(1), {
    variable: 'JURIST_CONCURRENCY',
  }),
  judgeTimeout: flag('--judge-timeout <duration>', 'time limit for the jury of one trial', milliseconds),
  budget: flag('--budget <usd>', 'stop when the judges have cost this much', dollarAmount, {
    variable: 'JURIST_BUDGET_USD',
  }),
  resume: optional('--resume [run]', 'resume a run of this kind (default: the newest unfinished one)', text, {
    onResume: 'replaced',
  }),
  output: repeatable(
    '-o, --output <file>',
    `write the report to a file that ends in ${endings.join(', ')}`,
    fileEndingIn(...endings),
  ),
} as const

export const vettedExperiment: readonly ['[experiment]', string] = [
  '[experiment]',
  'a name in the config (default: the only one)',
]

type VettingValues = FlagValues<typeof vettingFlags>

/** The settings of the library in addition to its own options. */
interface VettingRun {
  readonly free: boolean
  readonly resume?: string
  readonly signal: AbortSignal
  readonly onEvent: Reporter
}

/** The implementation of a command, with the meaning of its exit codes. */
export interface Vetting<Report extends VetReport> {
  readonly command: readonly string[]
  readonly typed: TypedFlags
  readonly perform: (
    experiment: ExperimentOptions,
    run: VettingRun,
    progress: VetProgress,
    labelled: readonly LabelledRun[],
  ) => Promise<Report>
  /** Whether it judges trials that people labelled. */
  readonly judgesLabelled?: boolean
  readonly codeOf: (report: Report) => ExitCode
  readonly reasons: { readonly [code: number]: string }
  /** Further files with their contents. */
  readonly files?: (report: Report) => Readonly<Record<string, string>>
}

/** Vets an experiment of the config: runs, prints the report and writes it to files. */
export async function vetted<Report extends VetReport>(
  host: Host,
  name: string | undefined,
  read: VettingValues,
  { command, typed, perform, judgesLabelled = false, codeOf, reasons, files = () => ({}) }: Vetting<Report>,
): Promise<ExitCode> {
  const loaded = await host.config()
  const results = await resultsOf(host)
  const [experiment] = await experimentsOf(loaded, name === undefined ? [] : [name])
  if (experiment === undefined) return 2
  await checkWritable(results)
  for (const file of read.output) await checkOutputFile(host, '--output', file)
  const options = await selected(
    { ...experiment, ...limitsOf(experiment, read), store: results.store },
    readSelection(read),
    host.cwd,
  )
  if (!read.free) await noteModels(host, results, options)
  const words = [...command, ...(name === undefined ? [] : [name]), ...typed.all, '--resume']
  const resuming = `Finished trials are stored. Resume with: ${commandLine(...words)}\n`
  const labelled = judgesLabelled ? await labelledRuns(host, results, options) : []
  const report = await uninterrupted(host, { ...read, resuming }, (run, progress) =>
    perform(options, run, progress, labelled),
  )
  if (report === undefined) {
    host.terminal.err(`${resuming}${closingLine(130)}`)
    return 130
  }
  if (host.flags.json === true) host.json(report)
  else host.terminal.out(await vetReportText(report, { width: host.terminal.columns }))
  const reports = read.output.map(async (file) => reportWritten(host, file, await textFor(file, report)))
  const more = Object.entries(files(report)).map(([file, text]) => reportWritten(host, file, text))
  const written = await Promise.all([...reports, ...more])
  const code = written.includes(false) ? 3 : codeOf(report)
  if (code !== 0) host.terminal.err(closingLine(code, reasons[code] ?? ''))
  return code
}

/** Prints the models that judge, and their cost in the latest run. */
async function noteModels(host: Host, { store }: Results, { jury, name }: ExperimentOptions): Promise<void> {
  const models = jury === undefined ? [] : modelsUsedBy(jury)
  if (models.length === 0) return
  const names = [...new Set(models.map((model) => model.name))].join(', ')
  let estimate = ''
  for await (const { judgeCostUsd, counts } of store.list({ experimentName: name, kind: 'agent', limit: 1 }))
    if (judgeCostUsd !== null && counts.run > 0)
      estimate = `, which cost ${dollars(judgeCostUsd / counts.run)} a trial in the latest run`
  host.note(`The jury asks ${names} in every trial${estimate}. --free leaves such members out; --budget sets a limit.`)
}

function limitsOf({ budget }: ExperimentOptions, read: VettingValues): Partial<ExperimentOptions> {
  return defined({
    concurrency: read.concurrency,
    judgeTimeoutMs: read.judgeTimeout,
    budget: read.budget === undefined ? budget : { ...budget, usd: read.budget },
  })
}

/** Returns the report; `undefined` after an interrupt. */
async function uninterrupted<Report>(
  host: Host,
  { free, resume, resuming }: VettingValues & { readonly resuming: string },
  perform: (run: VettingRun, progress: VetProgress) => Promise<Report>,
): Promise<Report | undefined> {
  using interrupt = interruptible(host, undefined, () => resuming)
  const progress = vetProgress(host.terminal, host.flags.quiet === true)
  const noteNew = resume === undefined ? () => undefined : newNoted(host)
  try {
    const run: VettingRun = {
      free,
      ...(resume === undefined ? {} : { resume: resume === true ? 'latest' : resume }),
      signal: interrupt.signal,
      onEvent(event) {
        progress.show(event)
        noteNew(event)
      },
    }
    const report = await perform(run, progress)
    return interrupt.signal.aborted ? undefined : report
  } catch (thrown) {
    if (interrupt.signal.aborted && JuristError.is(thrown, 'aborted')) return undefined
    throw thrown
  } finally {
    progress.stop()
  }
}

/**
 * Prints a notice if a resumed command starts from the beginning. This applies only to its first run, since later ones
 * may not have begun before.
 */
function newNoted({ note }: Host): (event: ExperimentEvent) => void {
  let isFirst = true
  return (event) => {
    if (!isFirst || event.type !== 'experiment-start') return
    isFirst = false
    const restart = restartNotice(event)
    if (restart !== undefined) note(restart)
  }
}

async function textFor(file: string, report: VetReport): Promise<string> {
  if (file.endsWith('.json')) return `${JSON.stringify(report, null, 2)}\n`
  return vetReportText(report, { format: file.endsWith('.html') ? 'html' : 'markdown' })
}

const mostUnlabelled = 10

/**
 * Returns the runs of an experiment in which people labelled a trial right, and its newest runs with failed trials, the
 * oldest first.
 */
async function labelledRuns(
  host: Host,
  results: Results,
  { name }: Pick<ExperimentOptions, 'name'>,
): Promise<readonly LabelledRun[]> {
  const found: LabelledRun[] = []
  let unlabelled = 0
  for await (const { id, experimentName } of results.store.list({ experimentName: name, kind: 'agent' })) {
    const labels = await labelsKept(host, results, { id, experimentName })
    const isLabelled = currentLabels(labels).some(({ label }) => label === 'pass')
    if (!isLabelled && unlabelled >= mostUnlabelled) continue
    const run = await results.store.load(id)
    if (run === undefined) continue
    if (!isLabelled) unlabelled += 1
    const context = storedContext(defined({ resultsDirectory: await results.filesOf(run) }))
    found.unshift({ run, labels, context })
  }
  return found
}
