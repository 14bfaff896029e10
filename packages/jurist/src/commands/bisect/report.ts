import type { ChangePoint, SuspectGroup, TriedCommit } from '@jurist/experiment/compare'
import { lossTest } from '@jurist/experiment/internal'
import { counted, levelText, rateBounds, wilsonInterval } from '@jurist/experiment/internal/results'
import { dollars, duration, percent } from '@jurist/experiment/result'
import type { Terminal } from '../../terminal/terminal.js'
import type { Commit } from './commits.js'

/** The state of a search. */
export interface Search {
  /** The session of its runs. */
  readonly session: string
  readonly items: readonly string[]
  /** The posterior that is enough. */
  readonly posterior: number
  /** The commits with their decided trials; `runs`: the last run of each item; `reason`: why one cannot be tried; `inVain`: the last trials, which decided nothing. */
  readonly known: readonly (Commit & {
    reason: string | null
    items: TriedCommit['items']
    runs: Readonly<Record<string, string>>
    trials: number
    inVain: number
  })[]
  readonly spent: { reused: number; trials: number; costUsd: number; durationMs: number }
}

/** Why a search ends where a loss would have shown. */
export const equalEnds = 'both ends pass about as often'

/** Where a search ended. */
export type Stop =
  | { readonly kind: 'found'; readonly group: SuspectGroup; readonly now: ChangePoint }
  | { readonly kind: 'none'; readonly now: ChangePoint }
  | { readonly kind: 'not-decided'; readonly why: string; readonly now: ChangePoint }

interface Counts {
  readonly passed: number
  readonly decided: number
}

/** The pass rates of the items that fell, at both ends and on both sides of the commit. */
export interface Steps {
  readonly good: Counts
  readonly before: Counts
  readonly from: Counts
  readonly bad: Counts
  /** Whether there is a loss elsewhere, too. */
  readonly several: boolean
}

/** The items that fell, as far as is known. */
function fallen({ items }: Search, now: ChangePoint): readonly string[] {
  return items.filter((item) => (now.fell[item] ?? 0) >= 0.5)
}

/** By Fisher's exact tests at 0.025 each. */
export function severalSteps(search: Search, { group, now }: Extract<Stop, { kind: 'found' }>): Steps {
  const { known } = search
  const fell = fallen(search, now)
  const at = (place: number) => totalOf(known[place], fell)
  const [good, before, from, bad] = [at(0), at(group.first - 1), at(group.last), at(known.length - 1)] as const
  const lostBefore = group.first > 1 && lossTest(good, before) <= 0.025
  const lostAfter = group.last < known.length - 1 && lossTest(from, bad) <= 0.025
  return { good, before, from, bad, several: lostBefore || lostAfter }
}

const [mostBars, levels] = [40, '▁▂▃▄▅▆▇█']

/** Shows how far the posterior has narrowed: the most probable commit, how many share what is enough, and a bar for each commit or a few. */
export function posteriorText({ known, posterior }: Search, { suspects, none }: ChangePoint, bars: boolean): string {
  const ranked = suspects.toSorted((one, other) => other - one)
  const likeliest = known[suspects.indexOf(ranked[0] ?? 0) + 1]
  let [within, sum] = [0, none]
  while (within < ranked.length && sum < posterior) sum += ranked[within++] ?? 0
  const step = Math.ceil(suspects.length / mostBars)
  const shares = Array.from({ length: Math.ceil(suspects.length / step) }, (_, bar) =>
    suspects.slice(bar * step, (bar + 1) * step).reduce((all, share) => all + share, 0),
  )
  const highest = Math.max(...shares, none)
  const picture = shares.map((share) => levels[Math.max(0, Math.ceil((levels.length * share) / highest) - 1)]).join('')
  return `${likeliest === undefined ? '' : short(likeliest)} ${percent(ranked[0] ?? 0)}, no loss ${percent(none)}; ${levelText({ level: posterior })} on ${counted(within, 'commit')}${bars ? `  ${picture}` : ''}`
}

type Report = Search & { readonly stop: Stop; readonly steps: Steps | null }

function short({ hash }: Commit): string {
  return hash.slice(0, 7)
}

/** Rates, with the trials they are of and their intervals. */
function rateText({ passed, decided }: Counts): string {
  const interval = wilsonInterval(passed, decided)
  const bounds = interval === null ? '' : ` (${rateBounds(interval)})`
  return `${passed} of ${counted(decided, 'trial')} passed${bounds}`
}

/** The report of a search. */
export function bisectText(report: Report, { command, unicode }: Pick<Terminal, 'command' | 'unicode'>): string {
  const { stop, steps, known, spent, session, items } = report
  const { now } = stop
  const ranked = [...now.groups].sort((one, other) => other.posterior - one.posterior)
  const nameOf = ({ first, last }: SuspectGroup) => {
    const group = known.slice(first, last + 1)
    const cannot = group.filter(({ reason }) => reason !== null).length
    const names = group.map((commit) => `${short(commit)}  ${commit.subject}`)
    const shown = names.length > 5 ? `${names[0]} … ${names.at(-1)}` : names.join('; ')
    return names.length === 1 ? shown : `one of ${names.length} commits (${cannot} cannot be tried): ${shown}`
  }
  const lines = ['']
  if (stop.kind === 'found') {
    lines.push(`${nameOf(stop.group)}`, `  ${percent(stop.group.posterior)} of the posterior`)
    if (steps !== null) {
      lines.push(`  before: ${rateText(steps.before)}`, `  from it on: ${rateText(steps.from)}`)
      const explained = points(steps.before) - points(steps.from)
      const all = points(steps.good) - points(steps.bad)
      if (steps.several)
        lines.push(
          '  More than one step:',
          `  at good: ${rateText(steps.good)}`,
          `  at bad: ${rateText(steps.bad)}`,
          `  This commit explains ${explained} of ${all} points.`,
        )
      else if (all !== explained)
        lines.push(`  From good to bad ${all} points were lost; this commit explains ${explained}.`)
    }
  } else if (stop.kind === 'none') lines.push(`No loss: ${percent(now.none)} of the posterior`)
  else lines.push(`Not decided: ${stop.why}. No loss: ${percent(now.none)}.`)
  const others = ranked.filter((group) => stop.kind !== 'found' || group.first !== stop.group.first)
  const few = stop.kind === 'not-decided' ? 5 : 1
  const next = others.slice(0, others.length === few + 1 ? few + 1 : few)
  for (const group of next)
    lines.push(`  ${stop.kind === 'found' ? 'next: ' : ''}${nameOf(group)}  ${percent(group.posterior)}`)
  const rest = others.slice(next.length)
  if (rest.length > 0)
    lines.push(
      `  all ${rest.length} others together ${percent(rest.reduce((sum, { posterior }) => sum + posterior, 0))}`,
    )
  if (stop.kind !== 'found') {
    const ends = [known[0], known.at(-1)].map((commit) => totalOf(commit, items))
    lines.push(`  at good: ${rateText(ends[0] ?? nothing)}`, `  at bad: ${rateText(ends[1] ?? nothing)}`)
  }
  if (stop.kind === 'found') lines.push(...checkLines(report, stop, command))
  lines.push(`  posterior: ${posteriorText(report, now, unicode)}`)
  const tried = known.filter(({ trials }) => trials > 0).length
  const reused = spent.reused === 0 ? '' : `, and ${spent.reused} stored before`
  lines.push(
    `  ${counted(spent.trials, 'trial')}${reused} on ${counted(tried, 'commit')}, ${dollars(spent.costUsd)}, ${duration(spent.durationMs)}`,
    `  Stored as runs of the session ${session}.`,
  )
  if (stop.kind === 'not-decided')
    lines.push(
      stop.why === equalEnds ? '  Name other ends, or items that fail: --item <id>' : '  The same command goes on.',
    )
  return `${lines.join('\n')}\n`
}

/** How to see what it rests on: runs of an item that fell, on both sides of the commit. */
function checkLines(
  search: Search,
  { group, now }: Extract<Stop, { kind: 'found' }>,
  command: Terminal['command'],
): readonly string[] {
  const [before, from] = [search.known[group.first - 1]?.runs ?? {}, search.known[group.last]?.runs ?? {}]
  const pairs = fallen(search, now).map((item) => [before[item], from[item]] as const)
  const [one, other] = pairs.find((pair) => !pair.includes(undefined)) ?? []
  return one === undefined || other === undefined
    ? []
    : [`  Check it:  ${command('compare', one, other)}`, `  See its trials:  ${command('show', other, '--failures')}`]
}

const nothing: Counts = { passed: 0, decided: 0 }

function totalOf(commit: Search['known'][number] | undefined, items: readonly string[]): Counts {
  return items.reduce((sum, item) => {
    const { passed, decided } = commit?.items[item] ?? nothing
    return { passed: sum.passed + passed, decided: sum.decided + decided }
  }, nothing)
}

function points({ passed, decided }: Counts): number {
  return decided === 0 ? 0 : Math.round((100 * passed) / decided)
}

/** The machine form: every suspect with its posterior, its trials and whether it can be tried. */
export function bisectDocument({ stop, steps, known, spent, session }: Report): unknown {
  const { now } = stop
  return {
    status: stop.kind,
    ...(stop.kind === 'not-decided' ? { why: stop.why } : {}),
    found: stop.kind === 'found' ? known.slice(stop.group.first, stop.group.last + 1).map(({ hash }) => hash) : null,
    noLoss: now.none,
    steps,
    session,
    ...spent,
    commits: known.map(({ hash, subject, reason, items, runs, trials }, place) => ({
      hash,
      subject,
      posterior: place === 0 ? null : (now.suspects[place - 1] ?? 0),
      trials,
      items,
      runs: [...new Set(Object.values(runs))],
      cannotBeTried: reason,
    })),
  }
}
