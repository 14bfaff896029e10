import type { ExperimentResult } from '@jurist/experiment/result'
import type { EstablishReport } from '../establish/establish-report.js'
import type { MutationReport } from '../mutate/mutation-report.js'
import { idleName } from '../probe/probe-plan.js'
import type { ProbeReport, ProbeRow } from '../probe/probe-report.js'
import type { BenchmarkCard, CardMutants, CardProbes } from './benchmark-card.js'
import { checklist } from './checklist.js'

/** What a card is made of. */
export interface CardParts {
  readonly dataset: ExperimentResult['dataset']
  readonly establish: EstablishReport
  /** `null`: the probes did not run. */
  readonly probe: ProbeReport | null
  /** `null`: no item can be mutated, or the mutants did not run. */
  readonly mutation: MutationReport | null
  readonly madeAt: string
}

/** The card of a benchmark. */
export function cardOf({ dataset, establish, probe, mutation, madeAt }: CardParts): BenchmarkCard {
  const { experiment, isolation, runId, repeat, solvable, trivial, flaky } = establish
  return Object.freeze({
    schemaVersion: 1,
    kind: 'card',
    experiment,
    dataset,
    madeAt,
    isolation,
    skippedMembers: [...new Set([establish, probe].flatMap((report) => report?.skippedMembers ?? []))],
    establish: { runId, repeat },
    solvable,
    trivial,
    flaky: repeat === 1 ? null : flaky,
    probes: probe === null ? null : probesOf(probe),
    mutants: mutation === null ? null : mutantsOf(mutation),
    checks: checklist({ establish, probe }),
    conclusion: conclusionOf(establish, probe, mutation),
  })
}

function probesOf(report: ProbeReport): CardProbes {
  const rows = report.probes.filter(({ name }) => name !== idleName)
  const tried = rows.filter(({ applicable }) => applicable > 0)
  const leaks = tried.filter(({ pattern }) => pattern === 'leak')
  return {
    runId: report.runId,
    gameable: { count: openItems(rows).size, of: report.items },
    leaks: leaks.length === 0 ? null : { count: openItems(leaks).size, of: report.items },
    tried: tried.length,
    notApplicable: rows.filter(({ applicable, skipped }) => applicable === 0 && skipped === null).length,
    skipped: rows.filter(({ skipped }) => skipped !== null).length,
    notJudged: rows.reduce((sum, { outcomes }) => sum + outcomes['not-judged'] + outcomes.error, 0),
    holes: report.probes
      .filter(({ passed }) => passed.length > 0)
      .map(({ name, what, remedy, passed, accepted }) => ({
        probe: name,
        what,
        items: passed.map(({ itemId }) => itemId),
        members: [...new Set(passed.flatMap(({ members }) => members))],
        remedy,
        accepted,
      })),
  }
}

function openItems(rows: readonly ProbeRow[]): ReadonlySet<string> {
  const open = rows.filter(({ accepted }) => accepted === null)
  return new Set(open.flatMap(({ passed }) => passed.map(({ itemId }) => itemId)))
}

function mutantsOf({ runId, counts, survival, threshold, items, skippedMembers }: MutationReport): CardMutants {
  const solutions = items.flatMap((item) => item.solutions)
  return {
    runId,
    survived: { count: counts.survived, of: counts.judged },
    notJudged: counts.notJudged,
    skippedMembers,
    mean: survival.byItem.mean,
    interval: survival.byItem.interval,
    threshold,
    wrongSolutions: {
      count: solutions.filter(({ outcome }) => outcome === 'survived').length,
      of: solutions.length,
    },
  }
}

function conclusionOf(
  establish: EstablishReport,
  probe: ProbeReport | null,
  mutation: MutationReport | null,
): BenchmarkCard['conclusion'] {
  const hasHoles = probe?.conclusion === 'holes' || mutation?.conclusion === 'holes'
  if (establish.conclusion === 'problems' || hasHoles) return 'problems'
  const isSaid = probe?.conclusion === 'held' && (mutation?.conclusion !== 'nothing-said' || awaitsMembers(mutation))
  return establish.conclusion === 'sound' && isSaid ? 'sound' : 'nothing-said'
}

/**
 * Whether nothing is demanded of mutants, and members that cost money did not judge them: the right answers and the probes
 * were judged by the whole jury.
 */
function awaitsMembers({ complete, skippedMembers, threshold, items }: MutationReport): boolean {
  const isDemanded = threshold !== null || items.some(({ solutions }) => solutions.length > 0)
  return complete && skippedMembers.length > 0 && !isDemanded
}
