import { userInfo } from 'node:os'
import { isSettled, keepSettlement, type Settlement, settlementsKept } from '@jurist/experiment/internal'
import { counted, itemsOf, namedInterval } from '@jurist/experiment/internal/results'
import {
  type ExitCode,
  type FlagValues,
  flag,
  oneOf,
  repeatable,
  text,
  toggle,
  usageInvalid,
} from '@jurist/experiment/plugin'
import { type ItemResult, percent, type RunResult, summarize } from '@jurist/experiment/result'
import { scanFigures, scanRules, type TrialScan } from '@jurist/experiment/scan'
import { commandLine } from '@jurist/kit/command-line'
import { right, safeLine, textTable } from '@jurist/kit/terminal'
import { findRun, isBundle, resultsHolding } from '../../command-kit/find-run.js'
import type { Host } from '../../command-kit/host.js'
import { type Results, resultsOf, runDirectory } from '../../command-kit/results-store.js'
import { type Subcommand, subcommand } from '../../command-kit/subcommand.js'
import { none } from '../../terminal/cells.js'
import { findingLine } from '../../terminal/trial-report.js'
import { namedTrials } from '../show/show.js'
import { configuredScan, keepRunFindings, ruleNames, scannedItems, unknownRule } from './scanned-run.js'

const flags = {
  item: repeatable('--item <id>', 'only trials of this item', text, { completes: 'item' }),
  rule: repeatable('--rule <name>', 'only this rule', text),
  without: repeatable('--without <name>', 'all rules but this one', text),
  all: toggle('--all', 'every finding (default: the first of each rule)'),
  list: toggle('--list', 'print every rule: what counts, and what does not'),
  settle: flag(
    '--settle <item>',
    'a person has looked at the findings of --rule in this item, or item#repetition',
    text,
  ),
  as: flag('--as <word>', 'with --settle: fine, or suspect to take that back', oneOf(['fine', 'suspect'])),
  reason: flag('--reason <text>', 'with --settle: why', text),
  failOn: flag('--fail-on <what>', 'exit with code 1 when a pass is suspect: suspects', oneOf(['suspects'])),
} as const

type ScanFlags = FlagValues<typeof flags>

export const scan: Subcommand = subcommand({
  arguments: [['[run]', 'a run, as for jurist show (default: latest)']],
  flags,
  note: `A scan reads journals and changed files, runs nothing, and changes no verdict. Guide: docs/guide/scanning.md`,
  examples: [
    'scan latest',
    'scan latest --rule git-future --all',
    'scan latest --settle round-up --rule test-edited --as fine --reason "the old test was wrong"',
    'scan --list',
  ],
  check({ rule, without, settle: settled, as, reason }, problem) {
    for (const [name, given] of [...rule.map((one) => ['--rule', one]), ...without.map((one) => ['--without', one])])
      if (!ruleNames.includes(given ?? '')) problem(name ?? '', unknownRule(given ?? ''))
    if (rule.length > 0 && without.length > 0) problem('--without', 'Use --rule or --without, not both.')
    if (settled !== undefined && (as === undefined || rule.length !== 1 || (reason ?? '').trim() === ''))
      problem('--settle', '--settle needs one --rule <name>, --as fine or suspect, and --reason <text>.')
    if (settled === undefined && (as !== undefined || reason !== undefined))
      problem(as === undefined ? '--reason' : '--as', '--as and --reason belong to --settle <item>.')
  },
  async run(host, [name = 'latest'], given) {
    if (given.list) return listRules(host)
    const own = await resultsOf(host)
    const results = await resultsHolding(own, name, host.cwd)
    const run = await findRun(results, name, host.cwd, ['agent'])
    const chosen = (await itemsOf(run)).filter(
      ({ itemId, itemSlug }) => given.item.length === 0 || given.item.includes(itemId) || given.item.includes(itemSlug),
    )
    if (chosen.length === 0)
      throw usageInvalid('--item', `Run ${run.id} has no trial of ${given.item.join(', ') || 'any item'}.`)
    if (given.settle !== undefined) return settled(host, results, run, name, given)
    const { rules: configured, allow } = configuredScan(await host.configIfAny())
    const rules =
      given.rule.length > 0
        ? scanRules.filter(({ name: one }) => given.rule.includes(one))
        : configured.filter(({ name: one }) => !given.without.includes(one))
    const scans = await scannedItems(host, { results, run, isOwn: results === own }, chosen, { rules, allow })
    if (scans.every(({ coverage }) => coverage === 'not-scanned'))
      throw usageInvalid(
        'run',
        `There is nothing to scan in run ${run.id}: no journal and no changed file was kept. Run again with journal: true.`,
      )
    const isWhole = given.item.length === 0 && given.rule.length === 0 && given.without.length === 0
    const directory = runDirectory(results, run)
    const settlements = directory === undefined ? [] : await settlementsKept(directory)
    if (isWhole) await keepRunFindings(host, results, run, scans)
    const read = { run, items: chosen, scans, settlements }
    if (host.flags.json === true) host.json(scanDocument(read))
    else host.terminal.out(scanReport(read, given, host))
    return given.failOn === 'suspects' ? gateOf(read, host) : 0
  },
})

/** A run that was scanned. */
interface Scanned {
  readonly run: RunResult
  readonly items: readonly ItemResult[]
  readonly scans: readonly TrialScan[]
  readonly settlements: readonly Settlement[]
}

/** A gate that could not look at every pass decides nothing. */
function gateOf(read: Scanned, host: Host): ExitCode {
  const { suspectPasses } = figuresOf(read)
  if (suspectPasses > 0) return 1
  const unseen = read.scans.filter(({ passed, coverage }) => passed === true && coverage !== 'scanned').length
  const broken = [...new Set(read.scans.flatMap(({ errors }) => Object.keys(errors)))]
  if (unseen === 0 && broken.length === 0) return 0
  const reasons = [
    ...(unseen > 0 ? [`${counted(unseen, 'pass', 'passes')} not scanned as a whole`] : []),
    ...(broken.length > 0 ? [`rules that failed: ${broken.join(', ')}`] : []),
  ]
  host.note(`No pass is suspect, but the gate cannot decide: ${reasons.join('; ')}.`)
  return 3
}

function listRules(host: Host): 0 {
  if (host.flags.json === true) {
    host.json(scanRules.map(({ name, level, group, what, not }) => ({ name, level, group, what, not })))
    return 0
  }
  const rows = scanRules.map(({ name, level, what, not }) => [name, level, what, not])
  const columns = [
    { title: 'RULE', shrinks: false },
    { title: 'LEVEL', shrinks: false },
    { title: 'COUNTS', shrinks: true },
    { title: 'DOES NOT COUNT', shrinks: true },
  ]
  host.terminal.out(`${textTable(columns, rows, { width: host.terminal.columns })}\n`)
  return 0
}

async function settled(host: Host, results: Results, run: RunResult, name: string, given: ScanFlags): Promise<0> {
  const {
    settle: wanted = '',
    rule: [rule = ''],
    as = 'fine',
    reason = '',
  } = given
  const directory = isBundle(name) ? undefined : runDirectory(results, run)
  if (directory === undefined)
    throw usageInvalid('--settle', `${name} keeps no settlements: they need a run in a results directory.`)
  const [first] = await namedTrials(run, wanted)
  if (first === undefined) return 0
  const { itemId, itemSlug, repetition } = first
  const isItem = wanted === itemId || wanted === itemSlug
  const settlement = { itemId, ...(isItem ? {} : { repetition }), rule, as, reason }
  await keepSettlement(directory, { ...settlement, by: userInfo().username, at: new Date().toISOString() })
  host.note(
    `${safeLine(wanted)}, ${rule}: settled as ${as}. The findings stay in the report: ${commandLine('scan', run.id)}`,
  )
  return 0
}

function figuresOf({ scans, settlements }: Scanned) {
  return scanFigures(scans, (finding) => isSettled(finding, settlements))
}

/** The pass rate of the scanned trials, and the rate in which suspect passes count as not passed. */
function ratesOf({ items, scans, settlements }: Scanned) {
  const suspect = new Set(
    scans
      .filter((scan) => scan.findings.some((one) => one.level === 'suspect' && !isSettled(one, settlements)))
      .map(({ itemId, repetition }) => `${itemId}\n${repetition}`),
  )
  const planned = items.length
  const doubted = items.map((item) =>
    item.passed === true && suspect.has(`${item.itemId}\n${item.repetition}`) ? { ...item, passed: false } : item,
  )
  const rate = (of: readonly ItemResult[]) => {
    const { passRate, passRateInterval } = summarize({ items: of, planned })
    return { passRate, passRateInterval }
  }
  return { all: rate(items), withoutSuspects: rate(doubted) }
}

function scanDocument(read: Scanned) {
  const { run, scans, settlements } = read
  const { all, withoutSuspects } = ratesOf(read)
  return {
    ...{ run: run.id, experiment: run.experimentName, figures: figuresOf(read), ...all },
    ...{ withoutSuspects, settlements, trials: scans },
  }
}

function scanReport(read: Scanned, { all: isAll }: ScanFlags, { terminal }: Host): string {
  const { run, scans, settlements } = read
  const { style } = terminal
  const figures = figuresOf(read)
  const { all, withoutSuspects } = ratesOf(read)
  const missing = none(terminal)
  const line = (name: string, { passRate, passRateInterval: range }: typeof all, more = '') =>
    `  ${name.padEnd(18)}${percent(passRate, missing).padStart(8)}${range === null ? '' : `   (${namedInterval(range)})`}${more}`
  const count = `    ${figures.suspectPasses} of ${counted(figures.passes, 'pass', 'passes')} ${figures.suspectPasses === 1 ? 'is' : 'are'} suspect`
  const remark = figures.settled === 0 ? '' : `, ${figures.settled} settled`
  return [
    `${style.bold(`run ${run.id}`)}   ${safeLine(run.experimentName)}   ${counted(figures.trials, 'trial')}, ${figures.decided} decided, ${figures.passes} passed`,
    '',
    line('pass rate', all),
    line('without suspects', withoutSuspects, `${count}${remark}`),
    ...ruleLines(scans, terminal),
    ...findingLines(scans, settlements, isAll, run),
    '',
    ...notSeen(scans),
    '',
  ].join('\n')
}

function ruleLines(scans: readonly TrialScan[], terminal: Host['terminal']): readonly string[] {
  const rows = scanRules.flatMap(({ name }) => {
    const found = scans.flatMap((scan) =>
      scan.findings.filter(({ rule }) => rule === name).map((finding) => ({ finding, scan })),
    )
    const [first] = found
    if (first === undefined) return []
    const trials = (passed: boolean) =>
      new Set(found.filter(({ scan }) => scan.passed === passed).map(({ scan }) => scan)).size
    return [[name, first.finding.level, `${trials(true)}`, `${trials(false)}`, safeLine(first.finding.evidence)]]
  })
  if (rows.length === 0) return ['', '  Nothing was found.']
  const columns = [
    { title: 'RULE', shrinks: false },
    { title: 'LEVEL', shrinks: false },
    right('PASSES'),
    right('FAILED'),
    { title: 'FOR EXAMPLE', shrinks: true },
  ]
  return ['', textTable(columns, rows, { width: terminal.columns, indent: '  ' })]
}

function findingLines(
  scans: readonly TrialScan[],
  settlements: readonly Settlement[],
  isAll: boolean,
  run: RunResult,
): readonly string[] {
  const findings = scans.flatMap((scan) => scan.findings)
  const shown = isAll
    ? findings
    : findings.filter(
        ({ level }, index) =>
          level === 'suspect' &&
          findings.findIndex((one) => one.rule === findings[index]?.rule && one.level === 'suspect') === index,
      )
  const left = findings.length - shown.length
  const lines = shown.map((finding) => findingLine({ ...finding, settled: isSettled(finding, settlements) }))
  return [
    ...(lines.length === 0 ? [] : ['', ...lines]),
    ...(left === 0 ? [] : [`  ${counted(left, 'more finding')}: ${commandLine('scan', run.id, '--all')}`]),
  ]
}

function notSeen(scans: readonly TrialScan[]): readonly string[] {
  const count = (coverage: TrialScan['coverage']) => scans.filter((scan) => scan.coverage === coverage).length
  const unread = scans.reduce((sum, scan) => sum + scan.unread, 0)
  const errors = new Map(scans.flatMap((scan) => Object.entries(scan.errors)))
  const absent = new Map<string, number>()
  for (const scan of scans)
    for (const reason of new Set(Object.values(scan.notApplicable))) absent.set(reason, (absent.get(reason) ?? 0) + 1)
  const parts = [
    ...(count('not-scanned') > 0 ? [`${counted(count('not-scanned'), 'trial')} not scanned`] : []),
    ...(count('partly') > 0 ? [`${counted(count('partly'), 'trial')} partly scanned`] : []),
    ...(unread > 0 ? [`${counted(unread, 'command')} could not be read`] : []),
    ...[...absent].map(([reason, times]) => `${reason} (${counted(times, 'trial')})`),
    'commands inside scripts are not followed',
  ]
  const broken = [...errors].map(
    ([rule, message]) =>
      `  The rule ${rule} failed, so the absence of its findings means nothing: ${safeLine(message)}`,
  )
  return [...broken, `  Not seen: ${parts.join('; ')}. More: docs/guide/scanning.md`]
}
