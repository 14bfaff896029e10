import { randomUUID } from 'node:crypto'
import { JuristError } from '@jurist/core'
import { checkOptions, type OptionRule, option } from '@jurist/core/internal'
import type { Experiment, ExperimentOptions, Reporter } from '@jurist/experiment'
import { openedDataset } from '@jurist/experiment/internal'
import type { ExperimentResult } from '@jurist/experiment/result'
import { establish } from '../establish/establish.js'
import { countedCanaries, type EstablishReport, enoughCanaries } from '../establish/establish-report.js'
import { canaryLines } from '../establish/report-sections.js'
import type { RunMutantsOptions } from '../mutate/mutate-options.js'
import type { ItemMutants, MutationReport } from '../mutate/mutation-report.js'
import { runMutants } from '../mutate/run-mutants.js'
import { idleName } from '../probe/probe-plan.js'
import type { ProbeReport, ProbeRow } from '../probe/probe-report.js'
import { runProbes } from '../probe/run-probes.js'
import { partOfVetting, unfinishedVetting } from '../resumed-runs.js'
import type { BenchmarkCard, CardMutants, CardProbes } from './benchmark-card.js'
import { checklist } from './checklist.js'

/** Options of `vet`. */
export interface VetOptions {
  /**
   * `quick`: each item is tried once with its right answer, once without, and with 2 mutants. `full`: 5 times, 10 mutants, and
   * the probes that take long. Default `standard`: 3 times, 5 mutants.
   */
  readonly level?: 'quick' | 'standard' | 'full'
  /** Names of probes that may get through, beside `vet.accepted` of the experiment. Default: none. */
  readonly allow?: readonly string[]
  /** Whether members of the jury that cost money are left out. Default `false`. */
  readonly free?: boolean
  /** Whether probes that leave processes behind run without a sandbox. Default `false`: they are skipped. */
  readonly withoutSandbox?: boolean
  /** `latest`: continues the newest vetting that did not finish; its finished runs are not repeated. Else a new one. */
  readonly resume?: 'latest'
  readonly signal?: AbortSignal
  readonly onEvent?: Reporter
}

const rules: { readonly [name in keyof Required<VetOptions>]: OptionRule } = {
  level: option.oneOf('quick', 'standard', 'full'),
  allow: option.strings,
  free: option.boolean,
  withoutSandbox: option.boolean,
  resume: option.oneOf('latest'),
  signal: option.anything,
  onEvent: option.function,
}

const repeats = { quick: 1, standard: 3, full: 5 } as const
const mutantsPerItem = { quick: 2, standard: 5, full: 10 } as const

/** The work of `vet` of `vetting.ts`. */
export async function vet(experiment: ExperimentOptions | Experiment, options?: VetOptions): Promise<BenchmarkCard> {
  const given = checkOptions<VetOptions>('vet', options, rules)
  const { level = 'standard', allow, withoutSandbox, resume, ...shared } = given
  const resumed = resume === undefined ? undefined : await unfinishedVetting(experiment)
  const metadata = { ...experiment.metadata, ...partOfVetting(resumed?.vetting ?? randomUUID()) }
  const marked = { ...experiment, metadata }
  const resuming = (kind: 'establish' | 'probe' | 'mutate') =>
    resumed?.[kind] === undefined ? {} : { resume: resumed[kind] }
  const established = await establish(marked, { ...shared, ...resuming('establish'), repeat: repeats[level] })
  const isStopped = !established.complete || given.signal?.aborted === true
  const probed = isStopped
    ? null
    : await runProbes(
        marked,
        {
          ...shared,
          ...resuming('probe'),
          level: level === 'full' ? 'full' : 'standard',
          ...(allow === undefined ? {} : { allow }),
          ...(withoutSandbox === undefined ? {} : { withoutSandbox }),
        },
        (id) => established.items.find(({ itemId }) => itemId === id)?.tests ?? undefined,
      )
  const isInterrupted = probed === null || !probed.complete || given.signal?.aborted === true
  const mutation = isInterrupted
    ? null
    : await mutated(marked, { ...shared, ...resuming('mutate'), perItem: mutantsPerItem[level] })
  const dataset = await openedDataset(experiment)
  return cardOf({
    dataset: await dataset.describe(experiment.filter),
    establish: established,
    probe: probed,
    mutation,
    madeAt: new Date().toISOString(),
  })
}

/** The mutants of the items; `null` where no item has a source that can be mutated. */
async function mutated(
  experiment: ExperimentOptions | Experiment,
  { free, ...options }: RunMutantsOptions & { readonly free?: boolean },
): Promise<MutationReport | null> {
  try {
    return await runMutants(experiment, options)
  } catch (thrown) {
    if (JuristError.is(thrown, 'option-invalid') && thrown.details.option === 'dataset') return null
    throw thrown
  }
}

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
    canaries: canariesOf(establish),
    probes: probe === null ? null : probesOf(probe),
    mutants: mutation === null ? null : mutantsOf(mutation),
    checks: checklist({ establish, probe }),
    conclusion: conclusionOf(establish, probe, mutation),
  })
}

function canariesOf(establish: EstablishReport): BenchmarkCard['canaries'] {
  const counts = establish.items.flatMap((item) => countedCanaries(item) ?? [])
  if (counts.length === 0) return null
  const enough = counts.filter((count) => count >= enoughCanaries).length
  return { enough: { count: enough, of: counts.length }, notices: canaryLines(establish) }
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
    survivors: items.flatMap(survivorsOf),
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

function survivorsOf({ itemId, referencePasses, mutants }: ItemMutants): CardMutants['survivors'] {
  // Where the reference does not pass, the mutants of the item count nowhere.
  const survived = referencePasses ? mutants.filter(({ outcome }) => outcome === 'survived') : []
  return survived.map(({ repetition, path, line, operator }) => ({ itemId, repetition, path, line, operator }))
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
