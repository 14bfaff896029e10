import { JuristError } from '@jurist/core'
import { isDoubted } from '@jurist/experiment/internal/journal'
import { grouped, runKinds, runStatuses, trialText } from '@jurist/experiment/internal/results'
import { flag, oneOf, text, toggle, usageInvalid, whole } from '@jurist/experiment/plugin'
import { dollars, duration, percent } from '@jurist/experiment/result'
import { type RunEntry, type RunSession, type Sweep, sweepStatus } from '@jurist/experiment/store'
import { commandLine } from '@jurist/kit/command-line'
import { right, safeLine, textTable } from '@jurist/kit/terminal'
import { findRun } from '../command-kit/find-run.js'
import type { Host } from '../command-kit/host.js'
import { type Results, resultsOf } from '../command-kit/results-store.js'
import { type Subcommand, subcommand } from '../command-kit/subcommand.js'
import { unknownAmong } from '../config/problems.js'
import { dateAndTime, none, runCells, runColumns } from '../terminal/cells.js'

export const list: Subcommand = subcommand({
  arguments: [['[experiment]', 'only runs of this experiment']],
  flags: {
    sessions: toggle('--sessions', 'list sessions instead of runs'),
    sweeps: toggle('--sweeps', 'list sweeps instead of runs'),
    status: flag('--status <status>', `one of ${runStatuses.join(', ')}`, oneOf(runStatuses)),
    variant: flag('--variant <name>', 'only this variant', text, { completes: 'variant' }),
    kind: flag('--kind <kind>', `one of ${runKinds.join(', ')}`, oneOf(runKinds)),
    limit: flag('--limit <n>', 'at most n runs (default: 20)', whole(1), { default: 20 }),
    quarantine: toggle('--quarantine', 'list the items in quarantine: owner, days left, their last 20 outcomes'),
    suspect: toggle('--suspect', 'only runs in which the last scan found suspects that are not settled as fine'),
    all: toggle('--all', 'also list excluded runs'),
    exclude: flag('--exclude <run>', 'exclude a run from lists and baselines; needs --reason', text),
    reason: flag('--reason <text>', 'the reason for --exclude', text),
    include: flag('--include <run>', 'include an excluded run again', text),
  },
  examples: ['list', 'list add-readme --status completed --limit 5'],
  check({ exclude, reason }, problem) {
    if (exclude !== undefined && reason === undefined) problem('--exclude', '--exclude needs --reason <text>.')
    if (reason !== undefined && (exclude === undefined || reason.trim() === ''))
      problem('--reason', '--reason explains --exclude: --exclude <run> --reason <text>.')
  },
  async run(host, [name], flags) {
    const { status, kind, variant, limit } = flags
    const results = await resultsOf(host)
    if (flags.exclude !== undefined) return exclude(host, results, flags.exclude, flags.reason ?? '')
    if (flags.include !== undefined) return exclude(host, results, flags.include, null)
    if (flags.quarantine) return listQuarantine(host, results, name)
    if (flags.sessions || flags.sweeps) return listGroups(host, results, name, flags.sweeps)
    const query = {
      experimentName: name,
      status,
      kind,
      variant,
      // All entries are counted, so that the last line can contain the number of those that are not shown.
      limit: Number.MAX_SAFE_INTEGER,
      includeExcluded: flags.all,
    }
    const entries: RunEntry[] = []
    let total = 0
    const suspects = new Map<string, number>()
    for await (const entry of results.store.list(query)) {
      if (flags.suspect) {
        const trials = await suspectTrials(results, entry)
        if (trials === 0) continue
        suspects.set(entry.id, trials)
      }
      if (++total <= limit) entries.push(entry)
    }
    if (entries.length === 0 && name !== undefined) await refuseUnknownExperiment(results, name)
    const nothing = flags.suspect
      ? `No run in ${results.shown} has suspects. Look at one: ${commandLine('scan', 'latest')}`
      : `No run in ${results.shown}. Make one: ${commandLine('run')}`
    const rows = flags.suspect ? entries.map((entry) => ({ ...entry, suspects: suspects.get(entry.id) })) : entries
    print(host, rows, () => runsTable(entries, suspects, host), nothing)
    if (total > entries.length) host.note(`${entries.length} of ${total} runs. More: --limit ${total}`)
    return 0
  },
})

function print(host: Host, rows: readonly unknown[], text: () => string, nothing: string): void {
  if (host.flags.json === true) host.json(rows)
  else if (rows.length === 0) host.note(nothing)
  else host.terminal.out(`${text()}\n`)
}

function runsTable(entries: readonly RunEntry[], suspects: ReadonlyMap<string, number>, { terminal }: Host): string {
  const missing = none(terminal)
  const some = (isIn: (entry: RunEntry) => boolean) => (entries.some(isIn) ? [true] : [])
  const unusual = some(({ excluded, status }) => excluded !== null || status !== 'completed')
  const undecided = some(({ counts }) => counts.undecided > 0)
  const left = some(({ counts }) => counts.notRun > 0)
  const suspect = some(({ id }) => suspects.has(id))
  const rows = entries.map((entry) => [
    ...runCells(entry),
    ...unusual.map(() => (entry.excluded === null ? entry.status : `excluded: ${safeLine(entry.excluded)}`)),
    `${entry.counts.passes}/${entry.counts.decided}`,
    percent(entry.passRate, missing),
    ...suspect.map(() => `${suspects.get(entry.id) ?? 0}`),
    ...undecided.map(() => `${entry.counts.undecided}`),
    ...left.map(() => `${entry.counts.notRun}`),
    dollars(entry.costUsd, missing),
    dollars(entry.judgeCostUsd, missing),
    duration(entry.durationMs),
  ])
  const columns = [
    ...runColumns,
    ...unusual.map(() => ({ title: 'STATUS' })),
    right('PASSED'),
    right('RATE', 1),
    ...suspect.map(() => right('SUSPECT')),
    ...undecided.map(() => right('UNDECIDED', 3)),
    ...left.map(() => right('NOT RUN', 2)),
    right('AGENTS', 4),
    right('JUDGES', 5),
    right('TIME', 6),
  ]
  return textTable(columns, rows, { width: terminal.columns })
}

/** Counts the trials that the last scan of a run found suspect. */
async function suspectTrials(results: Results, run: RunEntry): Promise<number> {
  const { store } = results
  if (store.findings === undefined) throw usageInvalid('--suspect', 'This store keeps no findings.')
  const { scanKept } = await import('@jurist/experiment/internal')
  const { findings = [] } = (await scanKept(store, run)) ?? {}
  return new Set(findings.filter(isDoubted).map(trialText)).size
}

async function exclude(host: Host, results: Results, text: string, reason: string | null) {
  const { exclude: set } = results.store
  if (set === undefined) throw usageInvalid('--exclude', 'This store cannot exclude runs. Use a store of files.')
  const { id } = await findRun(results, text, host.cwd)
  await set(id, reason)
  if (host.flags.json === true) host.json({ id, excluded: reason })
  else host.note(reason === null ? `${id} is included again.` : `${id} is excluded: ${safeLine(reason)}`)
  return 0 as const
}

async function listQuarantine(host: Host, results: Results, name: string | undefined) {
  // Runs are listed without what reads datasets.
  const { experimentsOf } = await import('../command-kit/configured-experiment.js')
  const { quarantinedItems, quarantineTable } = await import('../command-kit/quarantine.js')
  const loaded = await host.config()
  const names = name === undefined ? Object.keys(loaded.config.experiments ?? {}) : [name]
  const items = await quarantinedItems(await experimentsOf(loaded, names), results)
  print(host, items, () => quarantineTable(items, host.terminal), 'No item is in quarantine.')
  return 0 as const
}

async function listGroups(host: Host, { store, shown }: Results, name: string | undefined, sweeps: boolean) {
  const names = name === undefined ? await experimentNames(store) : [name]
  try {
    const rows = await Promise.all(
      names.map(async (one) => (sweeps ? await store.sweeps.list(one) : await store.sessions.list(one))),
    )
    const found = rows.flat()
    print(host, found, () => groupsText(found, host), `No ${sweeps ? 'sweep' : 'session'} in ${shown}.`)
  } catch (thrown) {
    if (JuristError.is(thrown, 'name-invalid')) throw usageInvalid('experiment', thrown.message)
    throw thrown
  }
  return 0 as const
}

function groupsText(groups: readonly (RunSession | Sweep)[], { terminal }: Host): string {
  const sessions = groups.flatMap((group) => ('sweep' in group ? [] : group))
  const sweeps = groups.flatMap((group) => ('sweep' in group ? group : []))
  return [
    ...(sessions.length === 0 ? [] : [sessionsTable(sessions, terminal)]),
    ...sweeps.map((sweep) => {
      const { status, missing } = sweepStatus(sweep)
      const still = missing.length === 0 ? '' : `  missing: ${missing.map(safeLine).join(', ')}`
      return `${sweep.sweep}  ${sweep.experimentName}  ${status}${still}`
    }),
  ].join('\n')
}

/**
 * Formats sessions with a line for each variant. Values that the lines of a session share are only in the first one.
 */
function sessionsTable(sessions: readonly RunSession[], terminal: Host['terminal']): string {
  const missing = none(terminal)
  const columns = [
    { title: 'SESSION', shrinks: false },
    { title: 'EXPERIMENT', shrinks: true },
    { title: 'STARTED', shrinks: false, drops: 4 },
    { title: 'STATUS', shrinks: false, drops: 2 },
    { title: 'VARIANT', shrinks: true },
    right('RATE'),
    right('TRIALS'),
    right('AGENTS', 1),
    right('TIME', 3),
  ]
  const rows = sessions.flatMap(({ session, experimentName, createdAt, status, variants }) => {
    const own = [session, safeLine(experimentName), dateAndTime(createdAt), status]
    if (variants.length === 0) return [[...own, missing, '', '', '', '']]
    return variants.map((one, index) => [
      ...(index === 0 ? own : own.map(() => '')),
      safeLine(one.variant),
      percent(one.passRate, missing),
      grouped(one.trials),
      dollars(one.costUsd, missing),
      duration(one.durationMs),
    ])
  })
  return textTable(columns, rows, { width: terminal.columns })
}

/** If there are any runs, a name without runs is a typing error. */
async function refuseUnknownExperiment({ store, shown }: Results, name: string): Promise<void> {
  const known = await experimentNames(store)
  if (known.length > 0 && !known.includes(name))
    throw usageInvalid(
      'experiment',
      `No run of "${name}" in ${shown}.${unknownAmong(name, known, 'There are runs of')}`,
    )
}

async function experimentNames(store: Results['store']): Promise<readonly string[]> {
  const names = new Set<string>()
  for await (const { experimentName } of store.list({ includeExcluded: true })) names.add(experimentName)
  return [...names]
}
