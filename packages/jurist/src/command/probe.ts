import type { ExperimentOptions } from '@jurist/experiment'
import { textTable } from '@jurist/kit/terminal'
import { type ProbeReport, probeReportText, probes, runProbes } from '@jurist/vet'
import { vetProgress } from '../terminal/vet-progress.js'
import { experimentsOf } from './configured-experiment.js'
import { closingLine, type ExitCode } from './failure-report.js'
import { checkOutputFile, reportWritten } from './files.js'
import {
  defined,
  dollarAmount,
  type FlagValues,
  fileEndingIn,
  flag,
  milliseconds,
  oneOf,
  optional,
  repeatable,
  text,
  toggle,
  whole,
} from './flags.js'
import type { Host } from './host.js'
import { interruptible } from './process-events.js'
import { checkWritable, resultsOf } from './results-store.js'
import { readSelection, selected, selectionFlags } from './selection.js'
import { type Subcommand, subcommand } from './subcommand.js'

const endings = ['.html', '.md', '.json']

const flags = {
  ...selectionFlags,
  probe: repeatable(
    '--probe <name>',
    'only this probe, beside doing nothing and the right answer',
    oneOf(probes.map(({ name }) => name)),
  ),
  level: flag(
    '--level <level>',
    'full: probes that take long, too: standard, full (default: standard)',
    oneOf(['standard', 'full']),
    {
      default: 'standard',
    },
  ),
  allow: repeatable('--allow <probe>', 'this probe may get through', oneOf(probes.map(({ name }) => name))),
  free: toggle('--free', 'leave out members of the jury that cost money'),
  withoutSandbox: toggle('--without-sandbox', 'run probes that leave processes behind without a sandbox, too'),
  concurrency: flag('-j, --concurrency <n>', 'trials at the same time (default: 4)', whole(1), {
    variable: 'JURIST_CONCURRENCY',
  }),
  judgeTimeout: flag('--judge-timeout <duration>', 'for the jury of one trial', milliseconds),
  budget: flag('--budget <usd>', 'stop when the judges have cost this much', dollarAmount, {
    variable: 'JURIST_BUDGET_USD',
  }),
  resume: optional('--resume [run]', 'resume a run of probes (default: the newest unfinished one)', text),
  output: repeatable(
    '-o, --output <file>',
    `write the report to a file that ends in ${endings.join(', ')}`,
    fileEndingIn(...endings),
  ),
  list: toggle('--list', 'print the probes, and run nothing'),
} as const

type ProbeFlags = FlagValues<typeof flags>

/** `jurist probe`. */
export const probe: Subcommand = subcommand({
  arguments: [['[experiment]', 'a name in the config (default: the only one)']],
  flags,
  note: 'Exit codes: 0 nothing got through, 1 something did, 2 wrong usage, 3 nothing can be said.',
  examples: [
    'probe',
    'probe add-readme --sample 5 --seed 1 -o probe.html',
    'probe --probe exit-on-load --item ITEM-001',
  ],
  async run(host, [name], read) {
    if (read.list) return listProbes(host)
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
    return report(host, await performed(host, options, read), read)
  },
})

function limitsOf({ budget }: ExperimentOptions, read: ProbeFlags): Partial<ExperimentOptions> {
  return defined({
    concurrency: read.concurrency,
    judgeTimeoutMs: read.judgeTimeout,
    budget: read.budget === undefined ? budget : { ...budget, usd: read.budget },
  })
}

async function performed(host: Host, experiment: ExperimentOptions, read: ProbeFlags): Promise<ProbeReport> {
  using interrupt = interruptible(
    host,
    () => 'Stopping: running probes are being cancelled (press again to exit immediately).',
  )
  const progress = vetProgress(host.terminal, host.flags.quiet === true)
  try {
    return await runProbes(experiment, {
      ...(read.probe.length === 0 ? {} : { probes: read.probe }),
      ...{ level: read.level, allow: read.allow, free: read.free, withoutSandbox: read.withoutSandbox },
      ...(read.resume === undefined ? {} : { resume: read.resume === true ? 'latest' : read.resume }),
      signal: interrupt.signal,
      onEvent: progress.show,
    })
  } finally {
    progress.stop()
  }
}

async function report(host: Host, made: ProbeReport, read: ProbeFlags): Promise<ExitCode> {
  const { terminal } = host
  if (host.flags.json === true) host.json(made)
  else terminal.out(probeReportText(made, { width: terminal.columns }))
  const written = await Promise.all(read.output.map((file) => reportWritten(host, file, textFor(file, made))))
  const code = written.includes(false) ? 3 : codeOf(made)
  if (code !== 0) terminal.err(closingLine(code, reasons[code]))
  return code
}

function textFor(file: string, made: ProbeReport): string {
  if (file.endsWith('.json')) return `${JSON.stringify(made, null, 2)}\n`
  return probeReportText(made, { format: file.endsWith('.html') ? 'html' : 'markdown' })
}

const reasons: { readonly [code: number]: string } = {
  1: 'a probe got through',
  3: 'nothing can be said',
}

function codeOf({ conclusion }: ProbeReport): ExitCode {
  switch (conclusion) {
    case 'held':
      return 0
    case 'holes':
      return 1
    case 'nothing-said':
      return 3
    default:
      return conclusion satisfies never
  }
}

function listProbes(host: Host): ExitCode {
  const known = probes.map(({ name, pattern, what, remedy, level = 'standard' }) => ({
    name,
    pattern,
    level,
    what,
    remedy,
  }))
  if (host.flags.json === true) host.json(known)
  else {
    const columns = [
      { title: 'PROBE', shrinks: false },
      { title: 'PATTERN', shrinks: false },
      { title: 'LEVEL', shrinks: false },
      { title: 'WHAT IT DOES' },
    ]
    const rows = known.map(({ name, pattern, level, what }) => [name, pattern, level, what])
    host.terminal.out(`${textTable(columns, rows, { width: host.terminal.columns })}\n`)
  }
  return 0
}
