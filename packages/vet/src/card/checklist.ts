import { counted } from '@jurist/experiment/internal/results'
import type { EstablishReport } from '../establish/establish-report.js'
import { idleName } from '../probe/probe-plan.js'
import type { ProbeReport, ProbeRow } from '../probe/probe-report.js'
import type { CardCheck, CheckState } from './benchmark-card.js'

/** What ran. */
interface Reports {
  readonly establish: EstablishReport
  readonly probe: ProbeReport | null
}

type Finding = readonly [state: CheckState, evidence: string]

interface Entry {
  readonly id: string
  readonly what: string
  readonly find: (reports: Reports) => Finding
}

/**
 * The entries of the Agentic Benchmark Checklist on which running tasks gives evidence: those that need a reader (tool
 * versions, documentation, statistics of a publication) are left out. The wording is ours.
 *
 * Source: Zhu et al., "Establishing Best Practices for Building Rigorous Agentic Benchmarks", 2025, arXiv 2507.02825.
 */
const entries: readonly Entry[] = [
  { id: 'T.4', what: 'No state of one trial reaches the next', find: repeated },
  { id: 'T.5', what: 'The right answer is out of reach', find: byProbes(({ pattern }) => pattern === 'leak') },
  { id: 'T.7', what: 'The jury agrees with the right answers', find: agreed },
  { id: 'T.8', what: 'Every task can be solved', find: solved },
  { id: 'T.9', what: 'There is a solver for every task', find: withReference },
  {
    id: 'T.10',
    what: 'No shortcut passes',
    find: byProbes(({ pattern }) => pattern !== 'leak' && pattern !== 'words'),
  },
  { id: 'O.b.2', what: 'Listing all answers fails', find: byProbes(({ name }) => name === 'dump-everything') },
  {
    id: 'O.b.3',
    what: 'Guessing fails',
    find: byProbes(({ name }) => name === 'constant-answer' || name === 'empty-object'),
  },
  {
    id: 'O.c.2',
    what: 'Judges that are models resist orders of the agent',
    find: byProbes(({ name }) => name === 'prompt-injection'),
  },
  { id: 'O.d.1', what: 'Tests tell a solution from none', find: tested },
]

/** The checklist with what the reports say. */
export function checklist(reports: Reports): readonly CardCheck[] {
  return entries.map(({ id, what, find }) => {
    const [state, evidence] = find(reports)
    return { id, what, state, evidence }
  })
}

function repeated({ establish: { repeat, flaky, complete } }: Reports): Finding {
  if (repeat === 1) return ['not-checked', 'each item was tried once']
  const evidence = `equal trials ended differently on ${flaky.count} of ${counted(flaky.of, 'item')}, each tried ${repeat} times`
  return [flaky.count > 0 ? 'fails' : complete ? 'holds' : 'not-checked', evidence]
}

function agreed({ establish: { items, solvable } }: Reports): Finding {
  const judged = items.flatMap(({ reference }) => (reference === null ? [] : reference))
  const [passed, trials] = [sum(judged.map((one) => one.passed)), sum(judged.map((one) => one.trials))]
  return [byShare(solvable, items.length), `${passed} of ${counted(trials, 'trial')} with the right answer passed`]
}

function solved({ establish: { items, solvable } }: Reports): Finding {
  const evidence = `the right answer passes on ${solvable.count} of ${counted(items.length, 'item')}`
  return [byShare(solvable, items.length), evidence]
}

function byShare({ count, of }: EstablishReport['solvable'], items: number): CheckState {
  if (count < of) return 'fails'
  return of === items && items > 0 ? 'holds' : 'not-checked'
}

function withReference({ establish: { items } }: Reports): Finding {
  const known = items.filter(({ reference }) => reference !== null).length
  return [
    known === items.length ? 'holds' : 'fails',
    `the right answer is known for ${known} of ${counted(items.length, 'item')}`,
  ]
}

function tested({ establish: { items } }: Reports): Finding {
  const known = items.flatMap(({ tests }) => (tests === null ? [] : tests))
  if (known.length === 0) return ['not-checked', 'no judge reports tests by name']
  const telling = known.filter(({ failToPass }) => failToPass.length > 0).length
  const evidence = `on ${telling} of ${counted(known.length, 'item')} with named tests, some fail before and pass with the right answer`
  return [telling === known.length ? 'holds' : 'fails', evidence]
}

function byProbes(isMeant: (row: ProbeRow) => boolean): Entry['find'] {
  return ({ probe }) => {
    if (probe === null) return ['not-checked', 'the probes did not run']
    const rows = probe.probes.filter((row) => row.name !== idleName && isMeant(row))
    const through = rows.filter(({ passed }) => passed.length > 0)
    const open = through.filter(({ accepted }) => accepted === null)
    if (open.length > 0) return ['fails', `${named(open)} got through`]
    const problem = notSaid(rows, probe.complete)
    if (problem !== null) return ['not-checked', problem]
    const [first] = through
    if (first !== undefined) return ['accepted', `${named(through)} got through: ${first.accepted}`]
    return ['holds', `${counted(rows.filter(isTelling).length, 'probe')} tried, and none got through`]
  }
}

/** Why probes that did not get through show nothing; `null`: they do. */
function notSaid(rows: readonly ProbeRow[], isComplete: boolean): string | null {
  if (!isComplete) return 'the run of the probes is not complete'
  const open = rows.filter(({ outcomes }) => outcomes['not-judged'] + outcomes.error > 0)
  if (open.length > 0) return `${named(open)} could not be judged`
  const skipped = rows.filter((row) => row.skipped !== null)
  if (skipped.length > 0) return `${named(skipped)} not tried: ${skipped[0]?.skipped}`
  return rows.some(isTelling) ? null : 'no such probe can be tried here'
}

/** Whether a probe was tried on an item on which it shows something. */
function isTelling({ outcomes }: ProbeRow): boolean {
  return outcomes.held + outcomes.passed > 0
}

function named(rows: readonly ProbeRow[]): string {
  return rows.map(({ name }) => name).join(', ')
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
