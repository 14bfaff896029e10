import type { ExperimentResult } from '@jurist/experiment/result'
import type { EstablishReport } from '../establish/establish-report.js'
import { idleName } from '../probe/probe-plan.js'
import type { ProbeReport, ProbeRow } from '../probe/probe-report.js'
import type { BenchmarkCard, CardProbes } from './benchmark-card.js'
import { checklist } from './checklist.js'

/** What a card is made of. */
export interface CardParts {
  readonly dataset: ExperimentResult['dataset']
  readonly establish: EstablishReport
  /** `null`: the probes did not run. */
  readonly probe: ProbeReport | null
  readonly madeAt: string
}

/** The card of a benchmark. */
export function cardOf({ dataset, establish, probe, madeAt }: CardParts): BenchmarkCard {
  const { experiment, isolation, runId, repeat, solvable, trivial, flaky } = establish
  return Object.freeze({
    schemaVersion: 1,
    kind: 'card',
    experiment,
    dataset,
    madeAt,
    isolation,
    skippedMembers: [...new Set([...establish.skippedMembers, ...(probe?.skippedMembers ?? [])])],
    establish: { runId, repeat },
    solvable,
    trivial,
    flaky: repeat === 1 ? null : flaky,
    probes: probe === null ? null : probesOf(probe),
    checks: checklist({ establish, probe }),
    conclusion: conclusionOf(establish, probe),
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

function conclusionOf(establish: EstablishReport, probe: ProbeReport | null): BenchmarkCard['conclusion'] {
  if (establish.conclusion === 'problems' || probe?.conclusion === 'holes') return 'problems'
  return establish.conclusion === 'sound' && probe?.conclusion === 'held' ? 'sound' : 'nothing-said'
}
