import { join } from 'node:path'
import { compare, holmAdjusted } from '@jurist/experiment/compare'
import { counted, points, runNetwork } from '@jurist/experiment/internal/results'
import type { ExperimentResult } from '@jurist/experiment/result'
import { commandLine } from '@jurist/kit/command-line'
import { safeLine } from '@jurist/kit/terminal'
import { errorsFile, type Gate, itemsIn, passedOf, trialsOf } from './gate.js'
import { percentOf } from './init-ratchet.js'
import type { Entry } from './ratchet-state.js'
import { type Ratchet, standingOf, treeAlpha, triesOf } from './ratchet-state.js'
import { type Measured, pairsOf } from './trials.js'

/** The report that a user reads in the morning. */
export interface Report {
  readonly tries: number
  readonly stopped: number
  readonly looks: number
  readonly accepted: readonly { readonly try: number; readonly tree: string; readonly commit: string }[]
  /** On the reserve; `null`: the start was kept, or too few items are decided. */
  readonly gain: {
    readonly items: number
    readonly delta: number
    readonly low: number
    readonly high: number
    readonly level: number
    readonly start: number
    readonly kept: number
    /** Their runs, in the store of the ratchet. */
    readonly runs: readonly [start: string, kept: string]
  } | null
  /** On the hidden items, which decided; `null`: none. */
  readonly biased: number | null
  readonly alpha: number
  /** The sum of the levels of the looks. */
  readonly spent: number
  /** Whether the agent under test was isolated; `null`: no trial ran. */
  readonly isolated: boolean | null
  /** The looks that were not accepted for another reason than their p value. */
  readonly unfinished: readonly { readonly seq: number; readonly reason: NonNullable<Entry['reason']> }[]
  /** Changed paths that were not taken. */
  readonly ignored: readonly string[]
  /** Hosts that trials of hidden items and of the reserve asked for in vain, and how often. */
  readonly refusedHosts: Readonly<Record<string, number>>
  /** Whether looks take as long as their trials. */
  readonly unpadded: boolean
  /** The looks that were shown to the user. */
  readonly seen: readonly number[]
  readonly log: { readonly entries: number; readonly last: string }
}

/** Measures the start and the kept version on the reserve, which decides nothing. The same version again costs nothing. */
export async function reportOf(gate: Gate): Promise<Report> {
  const { plan, log } = gate
  const { start, kept } = standingOf(gate)
  const isKept = kept.tree !== start.tree
  const reports = () => [...new Set(log.entries.flatMap(({ kind, tree }) => (kind === 'report' ? [tree] : [])))]
  // Where nothing was kept, the reserve stays unseen.
  if ((isKept || plan.blind) && !reports().includes(kept.tree)) await log.append({ kind: 'report', tree: kept.tree })
  const turn = reports().indexOf(kept.tree) + 1
  const hidden = itemsIn(gate, 'hidden')
  const [before, after] = isKept
    ? [await trialsOf(gate, start.tree, 'reserve'), await trialsOf(gate, kept.tree, 'reserve')]
    : [null, null]
  const isolation = (await trialsOf(gate, start.tree, 'hidden', () => true)).run?.conditions['isolation']
  return {
    ...figuresOf(gate),
    gain:
      before === null || after === null
        ? null
        : gainOf(itemsIn(gate, 'reserve'), before, after, plan.alpha / (turn * (turn + 1))),
    biased: isKept ? await biasedGain(gate, hidden) : null,
    isolated: isolation === undefined ? null : isolation !== 'none',
    refusedHosts: await refusedHosts(gate),
  }
}

async function refusedHosts({ hidden, plan }: Gate): Promise<Report['refusedHosts']> {
  const counts: Record<string, number> = {}
  for await (const { id } of hidden.list({ experimentName: plan.experiment })) {
    const run = await hidden.load(id)
    const network = run === undefined ? undefined : await runNetwork(run)
    for (const { host, refused } of network?.asked ?? []) if (refused > 0) counts[host] = (counts[host] ?? 0) + refused
  }
  return counts
}

function figuresOf({ plan, log: { entries } }: Ratchet): Omit<Report, 'gain' | 'biased' | 'isolated' | 'refusedHosts'> {
  const tries = triesOf(entries)
  const looks = entries.filter(({ kind }) => kind === 'look')
  const accepted = entries.filter((entry) => entry.kind === 'answer' && entry.accepted === true)
  return {
    tries: tries.length,
    stopped: tries.filter(({ tree }) => !looks.some((look) => look.tree === tree)).length,
    looks: looks.length,
    accepted: accepted.map(({ tree, commit = '' }) => ({
      ...{ try: tries.findIndex((one) => one.tree === tree) + 1, tree, commit },
    })),
    alpha: plan.alpha,
    spent: plan.blind ? plan.alpha : looks.reduce((sum, { level = 0 }) => sum + level, 0),
    unfinished: entries.flatMap(({ seq, reason }) => (reason === undefined ? [] : [{ seq, reason }])),
    ignored: [...new Set(entries.flatMap(({ paths = [] }) => paths))],
    unpadded: plan.lookMs === 0,
    seen: entries.flatMap(({ kind, seen }) => (kind === 'seen' && seen !== undefined ? [seen] : [])),
    log: { entries: entries.length, last: entries.at(-1)?.hash ?? '' },
  }
}

function gainOf(items: readonly string[], before: Measured, after: Measured, alpha: number): Report['gain'] {
  if (before.run === null || after.run === null) return null
  const whole = (run: ExperimentResult, { trials }: Measured): ExperimentResult => ({ ...run, items: [...trials] })
  const { passRate } = compare(whole(before.run, before), whole(after.run, after), { alpha, ignoreConditions: true })
  if (passRate === null || passRate.interval === null) return null
  const { delta, interval } = passRate
  return {
    ...{ items: passRate.items, delta, low: interval.low, high: interval.high, level: 1 - alpha },
    ...{ start: passedOf(items, before), kept: passedOf(items, after), runs: [before.run.id, after.run.id] },
  }
}

async function biasedGain(gate: Gate, items: readonly string[]): Promise<number | null> {
  const { start, kept } = standingOf(gate)
  const none = () => true
  const [before, after] = [
    await trialsOf(gate, start.tree, 'hidden', none),
    await trialsOf(gate, kept.tree, 'hidden', none),
  ]
  const both = items.filter((id) => before.decided.has(id) && after.decided.has(id))
  const { differences } = pairsOf({ ...gate.plan, units: {} }, both, before.decided, after.decided)
  return both.length === 0 ? null : differences.reduce((sum, one) => sum + one, 0) / both.length
}

/** The candidates of a blind ratchet that hold together, by Holm's method, the best one first. */
export function holding({ plan, log: { entries } }: Ratchet): readonly Entry[] {
  const answers = entries.filter(
    ({ kind, accepted, reason }) => kind === 'answer' && accepted === undefined && reason === undefined,
  )
  // A look without a p value is one of the family all the same.
  const looks = entries.filter(({ kind }) => kind === 'look').length
  const pValues = answers.map(({ p = 1 }) => p)
  const adjusted = holmAdjusted([...pValues, ...Array.from({ length: looks - answers.length }, () => 1)])
  return answers
    .filter((_, place) => (adjusted[place] ?? 1) <= treeAlpha(plan))
    .sort((one, other) => (one.p ?? 1) - (other.p ?? 1))
}

const whyNot: Readonly<Record<NonNullable<Entry['reason']>, string>> = {
  undecided: 'left more than a tenth of the items undecided',
  late: 'took longer than a look may',
  failed: 'ended with an error',
  abandoned: 'was left for another version',
}

/** Formats a report. */
export function reportText(report: Report, state: string): string {
  const { tries, stopped, looks, accepted, gain, biased, isolated, seen, log, alpha, spent, unfinished, ignored } =
    report
  const named = accepted.map((one) => `try ${one.try}: ${one.commit.slice(0, 7)}`).join(', ')
  const lines = [
    `  ${tries === 1 ? '1 try' : `${tries} tries`}: ${stopped} stopped at the visible items, ${counted(looks, 'look')}, ${accepted.length} accepted${named === '' ? '' : ` (${named})`}.`,
  ]
  if (accepted.length === 0) lines.push('  Nothing was kept: the start is as it was.')
  else if (gain === null) lines.push('  Gain: too few items of the reserve are decided.')
  else {
    const which = `${percentOf(1 - alpha)} interval${gain.level === 1 - alpha ? '' : `, reports counted (${percentOf(gain.level)}),`}`
    lines.push(
      `  Gain on ${gain.items} items that decided nothing: ${points(gain.delta)} points, ${which} ${points(gain.low)} to ${points(gain.high)} (start ${gain.start} of ${gain.items}, kept ${gain.kept} of ${gain.items}).`,
    )
  }
  if (gain !== null)
    lines.push(
      `  Item by item: ${commandLine('--results', join(state, 'store'), 'compare', ...gain.runs, '--ignore-conditions')}`,
    )
  if (looks > 0) lines.push(`  Each look as a page: ${commandLine('--results', join(state, 'store'), 'view')}`)
  if (biased !== null) lines.push(`  On the hidden items that decided: ${points(biased)}, which is too high by design.`)
  lines.push(`  Levels of the looks so far: ${percentOf(spent)} of ${percentOf(alpha)}.`)
  if (unfinished.length > 0)
    lines.push(
      `  Looks that were not accepted for another reason than p: ${unfinished.map(({ seq, reason }) => `entry ${seq} ${whyNot[reason]}`).join(', ')}.`,
      ...(unfinished.some(({ reason }) => reason === 'failed') ? [`  Errors: ${join(state, errorsFile)}`] : []),
    )
  if (ignored.length > 0)
    lines.push(`  Changed outside of the editable paths, and not taken: ${ignored.map(safeLine).join(', ')}`)
  const hosts = Object.entries(report.refusedHosts)
  if (hosts.length > 0)
    lines.push(`  Hosts that were refused: ${hosts.map(([host, count]) => `${safeLine(host)} ${count}`).join(', ')}`)
  if (report.unpadded)
    lines.push('  Looks take as long as their trials, so that their time tells more than the answer.')
  if (isolated === false)
    lines.push('  Not sandboxed: the agent under test could read everything that you can, the hidden items too.')
  if (seen.length > 0)
    lines.push(
      `  You have seen the hidden trials of ${counted(seen.length, 'look')}: do not tell the agent what was in them.`,
    )
  lines.push(`  The log is whole: ${log.entries === 1 ? '1 entry' : `${log.entries} entries`}, last hash ${log.last}`)
  return lines.join('\n')
}
