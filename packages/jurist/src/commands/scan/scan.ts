import { userInfo } from 'node:os'
import { isSettled, type Settlement, settlementsKept, withModelRules } from '@jurist/experiment/internal'
import {
  type KeptScan,
  keptScanOf,
  notSeen,
  type RunScan,
  runScan,
  scannedRules,
  suspectsText,
} from '@jurist/experiment/internal/journal'
import { counted, itemsOf, namedInterval, trialText } from '@jurist/experiment/internal/results'
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
import { type ExperimentResult, percent, type RunResult } from '@jurist/experiment/result'
import { scanFigures, scanTrial, type TrialScan } from '@jurist/experiment/scan'
import { commandLine } from '@jurist/kit/command-line'
import { right, safeLine, textTable } from '@jurist/kit/terminal'
import { findRun, isBundle, resultsHolding } from '../../command-kit/find-run.js'
import type { Host } from '../../command-kit/host.js'
import { type Results, resultsOf } from '../../command-kit/results-store.js'
import { type Subcommand, subcommand } from '../../command-kit/subcommand.js'
import { none } from '../../terminal/cells.js'
import { findingLine } from '../../terminal/trial-report.js'
import { namedTrials } from '../show/show.js'
import {
  configuredScan,
  isUnknownRule,
  keepRunFindings,
  planOf,
  rulesOf,
  type ScanPlan,
  scannedItems,
  unknownRule,
} from './scanned-run.js'

const flags = {
  item: repeatable('--item <id>', 'only trials of this item', text, { completes: 'item' }),
  rule: repeatable('--rule <name>', 'only this rule', text),
  without: repeatable('--without <name>', 'all rules but this one', text),
  all: toggle('--all', 'every finding (default: the first of each rule)'),
  trace: flag(
    '--trace <path>',
    'a file or directory of sessions of Claude Code or Codex, ATIF or OTLP, instead of a run; nothing is stored',
    text,
  ),
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
  note: `A scan reads journals and changed files, runs nothing, and changes no verdict. Guide: docs/guide/vetting.md`,
  examples: [
    'scan latest',
    'scan latest --rule git-future --all',
    'scan latest --settle round-up --rule test-edited --as fine --reason "the old test was wrong"',
    'scan --trace ~/.claude/projects/my-project',
    'scan --list',
  ],
  check({ rule, without, settle: settled, as, reason, trace, item, failOn }, problem, [run]) {
    if (trace !== undefined && (run !== undefined || settled !== undefined || item.length > 0 || failOn !== undefined))
      problem('--trace', '--trace scans traces instead of a run: leave out the run, --item, --settle and --fail-on.')
    if (rule.length > 0 && without.length > 0) problem('--without', 'Use --rule or --without, not both.')
    if (settled !== undefined && (as === undefined || rule.length !== 1 || (reason ?? '').trim() === ''))
      problem('--settle', '--settle needs one --rule <name>, --as fine or suspect, and --reason <text>.')
    if (settled === undefined && (as !== undefined || reason !== undefined))
      problem(as === undefined ? '--reason' : '--as', '--as and --reason belong to --settle <item>.')
  },
  async run(host, [name = 'latest'], given) {
    if (given.list) return listRules(host, rulesOf(await host.configIfAny()))
    if (given.trace !== undefined) return scanTraces(host, given.trace, given)
    const plan = await chosenRules(host, given)
    const own = await resultsOf(host)
    const results = await resultsHolding(own, name, host.cwd)
    const run = await findRun(results, name, host.cwd, ['agent'])
    const chosen = (await itemsOf(run)).filter(
      ({ itemId, itemSlug }) => given.item.length === 0 || given.item.includes(itemId) || given.item.includes(itemSlug),
    )
    if (chosen.length === 0)
      throw usageInvalid('--item', `Run ${run.id} has no trial of ${given.item.join(', ') || 'any item'}.`)
    if (given.settle !== undefined) return settled(host, results, run, name, given)
    const kept = await scannedItems(host, { results, run, isOwn: results === own }, chosen, plan)
    const scans = kept.map(({ scan }) => scan)
    if (scans.every(({ coverage }) => coverage === 'not-scanned'))
      throw usageInvalid(
        'run',
        `There is nothing to scan in run ${run.id}: no journal and no changed file was kept. Run again with journal: true.`,
      )
    const isWhole = given.item.length === 0 && given.rule.length === 0 && given.without.length === 0
    const settlements = await settlementsKept(results.store, run)
    if (isWhole) await keepRunFindings(host, results, run, kept)
    const found = keptScanOf(scans, (finding) => isSettled(finding, settlements))
    const scan = runScan({ ...run, items: chosen } as ExperimentResult, found)
    if (host.flags.json === true) {
      const { figures, passRate, passRateInterval, withoutSuspects } = scan
      const rates = { figures, passRate, passRateInterval, withoutSuspects }
      host.json({ run: run.id, experiment: run.experimentName, ...rates, settlements, trials: scans })
    } else host.terminal.out(scanReport(run, scan, given, host))
    return given.failOn === 'suspects' ? gateOf(scan, host) : 0
  },
})

async function chosenRules(host: Host, { rule, without }: ScanFlags): Promise<ScanPlan> {
  const loaded = await host.configIfAny()
  const all = rulesOf(loaded)
  const unknown = [...rule, ...without].filter((name) => isUnknownRule(name, all))
  if (unknown.length > 0)
    throw usageInvalid(
      rule.length > 0 ? '--rule' : '--without',
      unknown.map((name) => unknownRule(name, all)).join(' '),
    )
  const { rules, models, allow } = configuredScan(loaded)
  // A rule that is asked for looks although the config leaves it out.
  if (rule.length > 0)
    return planOf(
      all.filter(({ name }) => rule.includes(name)),
      allow,
    )
  return planOf(
    [...rules, ...models].filter(({ name }) => !without.includes(name)),
    allow,
  )
}

/** Scans traces without storing them. No jury has judged them, so they have no pass rate. */
async function scanTraces(host: Host, source: string, given: ScanFlags): Promise<0> {
  const { terminal } = host
  const { scannedTraces } = await import('./scanned-traces.js')
  const { rules, models, allow } = await chosenRules(host, given)
  const { signal } = new AbortController()
  const scans: TrialScan[] = []
  for (const trial of await scannedTraces(source, host.cwd))
    scans.push(await withModelRules(trial, scanTrial(trial, { rules, allow }), { rules: models, allow, signal }))
  if (host.flags.json === true) {
    host.json({ traces: scans })
    return 0
  }
  const kept = keptScanOf(scans, () => false)
  const found = new Set(kept.findings.map(trialText)).size
  const lines = [
    `${terminal.style.bold(safeLine(source))}   ${counted(scans.length, 'trace')}, ${found} with findings`,
    ...ruleLines(scannedRules(scans), terminal, ['trials']),
    ...findingLines(kept, given.all, commandLine('scan', '--trace', source, '--all')),
    '',
    ...notSeenLines({ ...kept, figures: scanFigures(scans) }),
    '',
  ]
  terminal.out(lines.join('\n'))
  return 0
}

/** A gate that could not look at every pass decides nothing. */
function gateOf({ figures, errors }: RunScan, host: Host): ExitCode {
  if (figures.suspectPasses > 0) return 1
  const unseen = figures.unseenPasses
  const broken = Object.keys(errors)
  if (unseen === 0 && broken.length === 0) return 0
  const reasons = [
    ...(unseen > 0 ? [`${counted(unseen, 'pass', 'passes')} not scanned as a whole`] : []),
    ...(broken.length > 0 ? [`rules that failed: ${broken.join(', ')}`] : []),
  ]
  host.note(`No pass is suspect, but the gate cannot decide: ${reasons.join('; ')}.`)
  return 3
}

function listRules(host: Host, all: ReturnType<typeof rulesOf>): 0 {
  if (host.flags.json === true) {
    host.json(
      all.map((rule) => {
        const { name, level, what, not } = rule
        return { name, level, group: 'group' in rule ? rule.group : undefined, what, not }
      }),
    )
    return 0
  }
  const rows = all.map(({ name, level, what, not }) => [name, level, what, not])
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
  const { settlements } = results.store
  if (isBundle(name) || settlements === undefined)
    throw usageInvalid(
      '--settle',
      `${name} keeps no settlements: they need a run in a results directory or a database.`,
    )
  const { id, experimentName } = run
  const [first] = await namedTrials(run, wanted)
  if (first === undefined) return 0
  const { itemId, itemSlug, repetition } = first
  const isItem = wanted === itemId || wanted === itemSlug
  const settlement: Settlement = {
    ...{ itemId, ...(isItem ? {} : { repetition }), rule, as, reason },
    ...{ by: userInfo().username, at: new Date().toISOString() },
  }
  await settlements.append({ id, experimentName }, `${JSON.stringify(settlement)}\n`)
  host.note(
    `${safeLine(wanted)}, ${rule}: settled as ${as}. The findings stay in the report: ${commandLine('scan', run.id)}`,
  )
  return 0
}

function scanReport(run: RunResult, scan: RunScan, { all: isAll }: ScanFlags, { terminal }: Host): string {
  const { style } = terminal
  const { figures, withoutSuspects } = scan
  const missing = none(terminal)
  const line = (name: string, { passRate, passRateInterval: range }: typeof withoutSuspects, more = '') =>
    `  ${name.padEnd(18)}${percent(passRate, missing).padStart(8)}${range === null ? '' : `   (${namedInterval(range)})`}${more}`
  return [
    `${style.bold(`run ${run.id}`)}   ${safeLine(run.experimentName)}   ${counted(figures.trials, 'trial')}, ${figures.decided} decided, ${figures.passes} passed`,
    '',
    line('pass rate', scan),
    line('without suspects', withoutSuspects, `    ${suspectsText(scan)}`),
    ...ruleLines(scan.rules, terminal, ['passes', 'failed']),
    ...findingLines(scan, isAll, commandLine('scan', run.id, '--all')),
    '',
    ...notSeenLines(scan),
    '',
  ].join('\n')
}

/** @param counts the columns of numbers */
function ruleLines(
  rules: RunScan['rules'],
  terminal: Host['terminal'],
  counts: readonly ('trials' | 'passes' | 'failed')[],
): readonly string[] {
  if (rules.length === 0) return ['', '  Nothing was found.']
  const rows = rules.map((one) => [
    ...[one.rule, one.level, ...counts.map((name) => `${one[name]}`)],
    safeLine(one.example),
  ])
  const columns = [
    { title: 'RULE', shrinks: false },
    { title: 'LEVEL', shrinks: false },
    ...counts.map((name) => right(name.toUpperCase())),
    { title: 'FOR EXAMPLE', shrinks: true },
  ]
  return ['', textTable(columns, rows, { width: terminal.columns, indent: '  ' })]
}

/** Formats the first suspect of each rule, or every finding. */
function findingLines({ findings }: KeptScan, isAll: boolean, all: string): readonly string[] {
  const shown = isAll
    ? findings
    : findings.filter(
        ({ level, rule }, index) =>
          level === 'suspect' && findings.findIndex((one) => one.rule === rule && one.level === 'suspect') === index,
      )
  const left = findings.length - shown.length
  return [
    ...(shown.length === 0 ? [] : ['', ...shown.map(findingLine)]),
    ...(left === 0 ? [] : [`  ${counted(left, 'more finding')}: ${all}`]),
  ]
}

function notSeenLines(scan: Pick<RunScan, 'figures' | 'unread' | 'notApplicable' | 'errors'>): readonly string[] {
  const broken = Object.entries(scan.errors).map(
    ([rule, message]) =>
      `  The rule ${rule} failed, so the absence of its findings means nothing: ${safeLine(message)}`,
  )
  return [...broken, `  Not seen: ${notSeen(scan).map(safeLine).join('; ')}. More: docs/guide/vetting.md`]
}
