import type { ExportTable } from '@jurist/experiment/report'
import type { ExperimentResult } from '@jurist/experiment/result'
import { usageInvalid } from '../config/problems.js'
import { checkOutputFile, writeOutput } from './files.js'
import { findRun } from './find-run.js'
import { flagReader } from './flag-values.js'
import type { Host } from './host.js'
import { formatByEnd, formatEnds, formatNames, isTable, reportText } from './report-formats.js'
import { type Results, resultsOf } from './results-store.js'
import type { Flags, Subcommand } from './subcommand.js'

const tables: readonly ExportTable[] = ['runs', 'items', 'judgments', 'checks', 'tools', 'phases']

/** `jurist export`. */
export const exportRuns: Subcommand = {
  define: (command) =>
    command
      .argument('[run...]', 'runs, as for jurist show (default: all of --session, --sweep or --since)')
      .option('--table <table>', `with csv and jsonl: ${tables.join(', ')} (default: items)`)
      .option('--format <format>', `${formatNames.join(', ')} (default: by the end of -o, else csv)`)
      .option('-o, --output <file>', 'write to a file (default: stdout)')
      .option('--session <name>', 'every run of this session')
      .option('--sweep <name>', 'every run of this sweep')
      .option('--since <instant>', 'runs that started at or after this instant (ISO 8601)')
      .addHelpText(
        'after',
        '\nExamples:\n  jurist export latest --table judgments -o judgments.csv\n  jurist export --since 2026-11-01 --format jsonl',
      ),
  async run(host, [given], flags) {
    const texts = Array.isArray(given) ? given : []
    const { table, format, since } = readFlags(texts, flags, host.flags.json === true)
    if (flags.output !== undefined) await checkOutputFile(host, '--output', String(flags.output))
    const results = await resultsOf(host)
    const runs = runsOf({ host, results, texts, flags, since })
    await write(host, flags.output, reportText(format, atLeastOne(runs), { table }))
    return 0
  },
}

function readFlags(texts: readonly string[], flags: Flags, json: boolean) {
  const reader = flagReader()
  const table = reader.oneOf('--table', flags.table, tables) ?? 'items'
  const byEnd = formatByEnd(String(flags.output ?? ''))
  const format = reader.oneOf('--format', flags.format, formatNames) ?? byEnd ?? (json ? 'jsonl' : 'csv')
  if (flags.output !== undefined && flags.format === undefined && byEnd === undefined)
    reader.problem('--output', `--output ${flags.output}: end it with ${formatEnds.join(', ')}, or say --format.`)
  const since = flags.since === undefined ? undefined : Date.parse(String(flags.since))
  if (since !== undefined && Number.isNaN(since))
    reader.problem('--since', `--since wants an instant such as 2026-11-21 or 2026-11-21T09:00Z, not "${flags.since}".`)
  if (flags.table !== undefined && !isTable(format))
    reader.problem('--table', `--table belongs to csv and jsonl, not to ${format}.`)
  if (texts.length === 0 && flags.session === undefined && flags.sweep === undefined && since === undefined)
    reader.problem('run', 'Say what to export: runs, --session <name>, --sweep <name> or --since <instant>.')
  reader.done()
  return { table, format, since }
}

interface Wanted {
  readonly host: Host
  readonly results: Results
  readonly texts: readonly string[]
  readonly flags: Flags
  readonly since: number | undefined
}

/** One run at a time: a store may hold more than fits into memory. */
async function* runsOf({ host, results, texts, flags, since }: Wanted): AsyncGenerator<ExperimentResult, void> {
  const seen = new Set<string>()
  const isNew = ({ id }: { readonly id: string }) => !seen.has(id) && seen.add(id) !== undefined
  // Names first: a wrong one must not leave half an export.
  const named: string[] = []
  for (const text of texts) {
    const run = await findRun(results, text, host.cwd)
    if (isNew(run)) named.push(text)
  }
  for (const text of named) yield await findRun(results, text, host.cwd)
  if (flags.session === undefined && flags.sweep === undefined && since === undefined) return
  const sessions = await sessionsOf(results, flags)
  let fitting = 0
  for await (const entry of results.store.list({ order: 'oldest' })) {
    const inSession = sessions === undefined || (entry.session !== null && sessions.has(entry.session))
    if (!inSession || (since !== undefined && Date.parse(entry.startedAt) < since)) continue
    fitting += 1
    if (!isNew(entry)) continue
    const run = await results.store.load(entry.id)
    if (run !== undefined) yield run
  }
  if (fitting === 0) throw usageInvalid('run', `No run in ${results.shown} fits. All: jurist list`)
}

/** The names of the sessions that `--session` and `--sweep` mean; `undefined`: any, and none. */
async function sessionsOf({ store }: Results, flags: Flags): Promise<ReadonlySet<string> | undefined> {
  if (flags.session === undefined && flags.sweep === undefined) return undefined
  const names = new Set<string>(flags.session === undefined ? [] : [String(flags.session)])
  if (flags.sweep === undefined) return names
  const experiments = new Set<string>()
  for await (const { experimentName } of store.list({ includeExcluded: true })) experiments.add(experimentName)
  for (const experiment of experiments)
    for (const sweep of await store.sweeps.list(experiment))
      if (sweep.sweep === flags.sweep) for (const { session } of sweep.history) names.add(session)
  return names
}

async function* atLeastOne(runs: AsyncIterable<ExperimentResult>): AsyncGenerator<ExperimentResult, void> {
  let count = 0
  for await (const run of runs) {
    count += 1
    yield run
  }
  if (count === 0) throw usageInvalid('run', 'There is no run to export. See which there are: jurist list')
}

/** To stdout as it comes, or to a file as a whole. */
async function write(host: Host, output: unknown, text: AsyncIterable<string>): Promise<void> {
  if (output === undefined) {
    for await (const part of text) host.terminal.out(part)
    return
  }
  await writeOutput(host, String(output), text)
  host.note(`wrote ${output}`)
}
