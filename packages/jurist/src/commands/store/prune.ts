import { dirname, resolve } from 'node:path'
import { JuristError } from '@jurist/core'
import { counted, grouped } from '@jurist/experiment/internal/results'
import {
  type ExitCode,
  type FlagValues,
  flag,
  instant,
  type Parse,
  repeatable,
  text,
  toggle,
  usageInvalid,
  whole,
} from '@jurist/experiment/plugin'
import type { RunEntry } from '@jurist/experiment/store'
import { safeLine, textTable } from '@jurist/kit/terminal'
import { findRun, isBundle } from '../../command-kit/find-run.js'
import { answer, type Host, interruptible } from '../../command-kit/host.js'
import { isConfirmed, isPerson } from '../../command-kit/key-reader.js'
import { type Results, resultsOf } from '../../command-kit/results-store.js'
import { type Subcommand, subcommand } from '../../command-kit/subcommand.js'
import { unknownAmong } from '../../config/problems.js'
import { bytesText, none, runCells, runColumns } from '../../terminal/cells.js'
import {
  isWithin,
  needsReader,
  type Planning,
  type PrunePlan,
  prunePlan,
  removeEmptySessions,
  type SessionName,
  type SizedRun,
  sizesOf,
} from './prune-plan.js'

const hourMs = 3_600_000
const ages: Readonly<Record<string, number>> = { h: hourMs, d: 24 * hourMs, w: 7 * 24 * hourMs }

/** Converts an age such as `12h`, `30d` or `8w`, or a date, to milliseconds since 1970. */
const ageOrInstant: Parse<number> = (given, name) => {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([hdw])$/.exec(given) ?? []
  if (number !== undefined) return Date.now() - Number(number) * (ages[unit] ?? 0)
  if (/^\d{4}-/.test(given)) return instant(given, name)
  throw usageInvalid(name, `${name} must be an age or a date, such as 12h, 30d, 8w or 2026-10-01 (got "${given}").`)
}

const sizes: Readonly<Record<string, number>> = {
  ...{ b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 },
  ...{ kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30, tib: 2 ** 40 },
}

/** A size with a unit, such as `500MB` or `2GiB`. */
const byteSize: Parse<number> = (given, name) => {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?) ?([kmgt]?i?b)$/i.exec(given) ?? []
  const factor = sizes[unit.toLowerCase()]
  if (number !== undefined && factor !== undefined) return Number(number) * factor
  throw usageInvalid(name, `${name} must be a size with a unit, such as 500MB, 2GB or 2GiB (got "${given}").`)
}

const pruneFlags = {
  keep: flag('--keep <n>', 'keep the newest n of each experiment, variant and kind (default: 1)', whole(0)),
  olderThan: flag(
    '--older-than <age>',
    'remove only older runs: 12h, 30d, 8w or a date such as 2026-10-01',
    ageOrInstant,
  ),
  maxSize: flag('--max-size <size>', 'remove the oldest until the results use at most this, such as 2GB', byteSize),
  experiment: repeatable('--experiment <name>', 'only runs of this experiment', text, { completes: 'experiment' }),
  unfinished: toggle('--unfinished', 'also remove unfinished runs, which could be resumed'),
  yes: toggle('--yes', 'remove without asking (default: ask in a terminal, else print what would be removed)'),
} as const

type PruneFlags = FlagValues<typeof pruneFlags>

export const prune: Subcommand = subcommand({
  arguments: [['[run...]', 'remove these runs, even if something needs them']],
  flags: pruneFlags,
  note: `With several flags, a run is removed only if all of them allow it. What a baseline, a session, a sweep, labels or a rejudged run
needs is kept, and so are unfinished runs; the list says why. A run that you name is removed in any case.`,
  examples: [
    'store prune --keep 20',
    'store prune --older-than 30d --max-size 2GB --yes',
    'store prune 20261101T020000000Z-a1b2c3',
  ],
  check({ yes: _, experiment, ...policy }, problem, [names]) {
    const isGiven = Object.values(policy).some((value) => value !== undefined && value !== false)
    if (names.length > 0 && (isGiven || experiment.length > 0))
      problem('run', 'Name runs, or select them by flags, not both.')
    if (
      names.length === 0 &&
      policy.keep === undefined &&
      policy.olderThan === undefined &&
      policy.maxSize === undefined
    )
      problem('--keep', 'Say what to remove: --keep <n>, --older-than <age>, --max-size <size>, or name runs.')
  },
  async run(host, [names], flags) {
    const results = await resultsOf(host)
    if (flags.maxSize !== undefined && results.store.files === undefined)
      throw usageInvalid(
        '--max-size',
        `${results.shown} does not say how large its runs are. Use --keep or --older-than.`,
      )
    const planning = await planningOf(host, results)
    const plan = names.length > 0 ? await namedPlan(host, results, planning, names) : await planOf(planning, flags)
    const isAsked = !flags.yes && isPerson(host)
    if (host.flags.json !== true) host.terminal.out(planReport(host, plan, flags.maxSize))
    const question = `Remove ${counted(plan.going.length, 'run')}${bytesOf(plan.going)}?`
    const isAgreed = flags.yes || (isAsked && plan.going.length > 0 && (await isConfirmed(host, question)))
    if (!isAgreed) return unremoved(host, plan, isAsked)
    return removeAll(host, results, planning, plan)
  },
})

async function planningOf(host: Host, { store, directory }: Results): Promise<Planning> {
  const entries: RunEntry[] = []
  for await (const entry of store.list({ includeExcluded: true })) entries.push(entry)
  const config = (await host.configIfAny())?.config
  const baselines = Object.values(config?.experiments ?? {}).flatMap((entry) =>
    typeof entry === 'object' && 'baseline' in entry && typeof entry.baseline === 'string' ? [entry.baseline] : [],
  )
  return { store, entries, directory, needs: needsReader(store, baselines) }
}

async function planOf(planning: Planning, flags: PruneFlags): Promise<PrunePlan> {
  const { keep = 1, olderThan, maxSize, experiment, unfinished } = flags
  const known = [...new Set(planning.entries.map(({ experimentName }) => experimentName))]
  const unknown = experiment.find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw usageInvalid('--experiment', `No run of "${unknown}".${unknownAmong(unknown, known, 'There are runs of')}`)
  const policy = {
    ...{ keep, unfinished },
    ...(olderThan === undefined ? {} : { before: olderThan }),
    ...(experiment.length === 0 ? {} : { experiments: experiment }),
  }
  return prunePlan(planning, policy, maxSize)
}

/** Plans the removal of named runs. They are removed even if they are needed, with the reasons in the plan. */
async function namedPlan(
  host: Host,
  results: Results,
  { store, entries, needs, directory }: Planning,
  names: readonly string[],
): Promise<PrunePlan> {
  const ids = new Set<string>()
  for (const name of names) {
    refuseElsewhere(results, name, host.cwd)
    ids.add((await findRun(results, name, host.cwd)).id)
  }
  const named = [...ids].flatMap((id) => entries.find((entry) => entry.id === id) ?? [])
  for (const run of named)
    if (directory !== undefined && !(await isWithin(directory, run)))
      throw usageInvalid(
        'run',
        `The directory of ${run.id} is a link, which is not followed. Remove the link yourself.`,
      )
  const sizes = await sizesOf(store, named)
  const reasons = await needs.of(entries, ids)
  return {
    going: named.map((run) => ({ run, bytes: sizes.get(run.id) ?? null, reasons: reasons.get(run.id) ?? [] })),
    needed: [],
    totalBytes: null,
  }
}

/** Only runs in the results of this command can be removed. */
function refuseElsewhere({ directory, shown }: Results, name: string, cwd: string): void {
  const isElsewhere = isBundle(name) || (name.includes('/') && dirname(dirname(resolve(cwd, name))) !== directory)
  if (isElsewhere)
    throw usageInvalid('run', `${name} is not a run in ${shown}. Nothing was removed. Name the results with --results.`)
}

function unremoved(host: Host, plan: PrunePlan, isAsked: boolean): ExitCode {
  if (host.flags.json === true) host.json(documentOf(plan, [], []))
  else if (plan.going.length > 0)
    host.note(isAsked ? 'Nothing was removed.' : 'Nothing was removed. To remove these runs, add --yes.')
  return 0
}

async function removeAll(host: Host, { store }: Results, { entries }: Planning, plan: PrunePlan): Promise<ExitCode> {
  using interrupt = interruptible(host, () => 'Stopping. Each run is removed whole or not.')
  const removals: Removal[] = []
  for (const { run, bytes } of plan.going) {
    if (interrupt.signal.aborted) break
    removals.push({ id: run.id, bytes, outcome: await removed(store, run.id) })
    if (removals.length % 1_000 === 0) host.note(`${grouped(removals.length)} of ${grouped(plan.going.length)}`)
  }
  const outcomes = new Map(removals.map(({ id, outcome }) => [id, outcome]))
  const removedRuns = plan.going.map(({ run }) => run).filter(({ id }) => outcomes.get(id) === 'removed')
  const experiments = new Set(entries.map(({ experimentName }) => experimentName))
  const sessions = interrupt.signal.aborted ? [] : await removeEmptySessions(store, experiments, removedRuns)
  answer(host, documentOf(plan, removals, sessions), removalReport(removals, sessions))
  return interrupt.signal.aborted ? 130 : 0
}

async function removed({ remove }: Results['store'], id: string): Promise<Removal['outcome']> {
  try {
    return (await remove(id)) ? 'removed' : 'gone'
  } catch (thrown) {
    if (JuristError.is(thrown, 'run-locked')) return 'locked'
    throw thrown
  }
}

function documentOf(
  { going, needed, totalBytes }: PrunePlan,
  removals: readonly Removal[],
  sessions: readonly SessionName[],
) {
  const outcomes = new Map(removals.map(({ id, outcome }) => [id, outcome]))
  const fields = ({ id, experimentName, variant, kind, startedAt }: RunEntry) => {
    return { id, experimentName, variant, kind, startedAt }
  }
  return {
    going: going.map(({ run, bytes, reasons = [] }) => ({
      ...{ ...fields(run), bytes, neededFor: reasons },
      outcome: outcomes.get(run.id) ?? 'kept',
    })),
    needed: needed.map(({ run, reasons }) => ({ ...fields(run), neededFor: reasons })),
    totalBytes,
    sessions,
  }
}

/** The result of removing a run of a plan. */
interface Removal {
  readonly id: string
  readonly bytes: number | null
  /** `gone`: another process removed it. `locked`: it is being written now, and stays. */
  readonly outcome: 'removed' | 'gone' | 'locked'
}

/** Formats `, 1.2 GB` if the store reports the sizes of runs. */
function bytesOf(runs: readonly Pick<SizedRun, 'bytes'>[]): string {
  const known = runs.flatMap(({ bytes }) => bytes ?? [])
  return known.length === 0 ? '' : `, ${bytesText(known.reduce((sum, bytes) => sum + bytes, 0))}`
}

/** Formats the runs that would be removed, and the needed ones that are kept with the reasons. */
function planReport(host: Host, plan: PrunePlan, maxBytes: number | undefined): string {
  const { going, needed, totalBytes } = plan
  const lines = [
    going.length === 0 ? 'No run would be removed.' : table(host, going),
    ...going.flatMap(({ run, reasons = [] }) => (reasons.length === 0 ? [] : [needLine(run.id, reasons)])),
    ...(going.length === 0 ? [] : ['', `${counted(going.length, 'run')}${bytesOf(going)}`]),
    ...(needed.length === 0 ? [] : ['', `Needed, so ${needed.length === 1 ? 'it stays' : 'they stay'}:`]),
    ...needed.slice(0, mostNeeded).map(({ run, reasons }) => needLine(run.id, reasons)),
    ...(needed.length > mostNeeded ? [`  and ${needed.length - mostNeeded} more: --json lists all`] : []),
    ...sizeLines(plan, totalBytes, maxBytes),
  ]
  return `${lines.join('\n')}\n`
}

const mostNeeded = 20

function needLine(id: string, reasons: readonly string[]): string {
  return `  ${id}  needed: ${reasons.map(safeLine).join('; ')}`
}

function sizeLines({ going }: PrunePlan, totalBytes: number | null, maxBytes: number | undefined): readonly string[] {
  if (totalBytes === null || maxBytes === undefined) return []
  const left = going.reduce((sum, { bytes }) => sum - (bytes ?? 0), totalBytes)
  const then = going.length === 0 ? '' : `, ${bytesText(left)} afterwards`
  const missed = left > maxBytes ? ` That is more than --max-size: no other run can be removed.` : ''
  return ['', `All runs use ${bytesText(totalBytes)}${then}.${missed}`]
}

function table({ terminal }: Host, going: readonly SizedRun[]): string {
  const columns = [...runColumns, { title: 'SIZE', align: 'right' as const }]
  const rows = going.map(({ run, bytes }) => [...runCells(run), bytes === null ? none(terminal) : bytesText(bytes)])
  return textTable(columns, rows, { width: terminal.columns })
}

/** Formats the runs that were removed, and those that were not. */
function removalReport(removals: readonly Removal[], sessions: readonly SessionName[]): string {
  if (removals.length + sessions.length === 0) return ''
  const removed = removals.filter(({ outcome }) => outcome === 'removed')
  const others = removals.flatMap(({ id, outcome }) => {
    if (outcome === 'removed') return []
    return [outcome === 'gone' ? `${id} was already removed.` : `${id} is being written and was kept.`]
  })
  const emptied = sessions.length === 0 ? '' : `, and ${counted(sessions.length, 'session')} without runs`
  return `${[...others, `Removed ${counted(removed.length, 'run')}${bytesOf(removed)}${emptied}.`].join('\n')}\n`
}
