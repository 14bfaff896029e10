import { JuristError } from '@jurist/core'
import { counted } from '@jurist/experiment/internal/results'
import { dollars, percent } from '@jurist/experiment/result'
import { type RunEntry, sweepStatus } from '@jurist/experiment/store'
import { safeLine, textTable } from '@jurist/kit/terminal'
import { unknownAmong, usageInvalid } from '../config/problems.js'
import { none } from '../terminal/marks.js'
import { findRun } from './find-run.js'
import { flag, oneOf, text, toggle, whole } from './flags.js'
import type { Host } from './host.js'
import { type Results, resultsOf } from './results-store.js'
import { type Subcommand, subcommand } from './subcommand.js'

const statuses = ['running', 'completed', 'stopped', 'interrupted', 'failed'] as const
const kinds = ['agent', 'judge', 'rejudge'] as const

/** `jurist list`. */
export const list: Subcommand = subcommand({
  arguments: [['[experiment]', 'only runs of this experiment']],
  flags: {
    sessions: toggle('--sessions', 'list sessions instead of runs'),
    sweeps: toggle('--sweeps', 'list sweeps instead of runs'),
    status: flag('--status <status>', `one of ${statuses.join(', ')}`, oneOf(statuses)),
    variant: flag('--variant <name>', 'only this variant', text),
    kind: flag('--kind <kind>', `one of ${kinds.join(', ')}`, oneOf(kinds)),
    limit: flag('--limit <n>', 'at most n runs (default: 20)', whole(1), { default: 20 }),
    all: toggle('--all', 'excluded runs too'),
    exclude: flag('--exclude <run>', 'exclude a run from lists and baselines; needs --reason', text),
    reason: flag('--reason <text>', 'why', text),
    include: flag('--include <run>', 'take an excluded run in again', text),
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
    if (flags.sessions || flags.sweeps) return listGroups(host, results, name, flags.sweeps)
    const query = {
      ...(name === undefined ? {} : { experimentName: name }),
      ...(status === undefined ? {} : { status }),
      ...(kind === undefined ? {} : { kind }),
      ...(variant === undefined ? {} : { variant }),
      limit,
      includeExcluded: flags.all,
    }
    const entries: RunEntry[] = []
    for await (const entry of results.store.list(query)) entries.push(entry)
    if (entries.length === 0 && name !== undefined) await refuseUnknownExperiment(results, name)
    print(host, entries, () => runsTable(entries, host), `No run in ${results.shown}. Make one: jurist run`)
    return 0
  },
})

function print(host: Host, rows: readonly unknown[], text: () => string, nothing: string): void {
  if (host.flags.json === true) host.json(rows)
  else if (rows.length === 0) host.note(nothing)
  else host.terminal.out(`${text()}\n`)
}

function runsTable(entries: readonly RunEntry[], { terminal }: Host): string {
  const missing = none(terminal)
  const isSomeLeft = entries.some(({ counts }) => counts.notRun > 0)
  const rows = entries.map((entry) => [
    entry.id,
    safeLine(entry.experimentName),
    safeLine(entry.variant ?? ''),
    entry.excluded === null ? entry.status : `excluded: ${safeLine(entry.excluded)}`,
    `${entry.counts.passes}/${entry.counts.decided}`,
    percent(entry.passRate, missing),
    `${entry.counts.undecided}`,
    ...(isSomeLeft ? [`${entry.counts.notRun}`] : []),
    dollars(entry.costUsd, missing),
  ])
  const columns = [
    { title: 'RUN' },
    { title: 'EXPERIMENT', shrinks: true },
    { title: 'VARIANT', shrinks: true },
    { title: 'STATUS' },
    { title: 'PASSED', align: 'right' as const },
    { title: 'RATE', align: 'right' as const },
    { title: 'UNDECIDED', align: 'right' as const },
    ...(isSomeLeft ? [{ title: 'NOT RUN', align: 'right' as const }] : []),
    { title: 'COST', align: 'right' as const },
  ]
  return textTable(columns, rows, { width: terminal.columns })
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

async function listGroups(host: Host, { store, shown }: Results, name: string | undefined, sweeps: boolean) {
  const names = name === undefined ? await experimentNames(store) : [name]
  try {
    const rows = await Promise.all(
      names.map(async (one) => (sweeps ? await store.sweeps.list(one) : await store.sessions.list(one))),
    )
    const found = rows.flat()
    const lines = found.map((group) => {
      if (!('sweep' in group)) {
        const variants = group.variants.map(
          ({ variant, passRate, trials }) =>
            `${safeLine(variant)} ${percent(passRate)} of those decided (${counted(trials, 'trial')})`,
        )
        return `${group.session}  ${group.experimentName}  ${group.status}  ${variants.join(', ')}`
      }
      const { status, missing } = sweepStatus(group)
      const still = missing.length === 0 ? '' : `  missing: ${missing.map(safeLine).join(', ')}`
      return `${group.sweep}  ${group.experimentName}  ${status}${still}`
    })
    print(host, found, () => lines.join('\n'), `No ${sweeps ? 'sweep' : 'session'} in ${shown}.`)
  } catch (thrown) {
    if (JuristError.is(thrown, 'name-invalid')) throw usageInvalid('experiment', thrown.message)
    throw thrown
  }
  return 0 as const
}

/** Where there are runs, a name that no run has is a typing error. */
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
