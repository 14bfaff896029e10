import { optionInvalid } from '@jurist/core/internal'
import { counted, grouped, percent, points } from '../result/amounts.js'
import { quarantinedItems } from '../result/quarantine.js'
import type { DecidedStop, SequentialPlan } from '../result/records.js'
import { baselineVariant } from '../result/run-kind.js'
import { thresholdShare } from '../result/statistics/finite-rate.js'
import { shuffled } from '../result/statistics/random.js'
import { firstLook, formOf, marginPower, sequentialPower } from '../result/statistics/sequential.js'
import { type RunOverview, trialsOf } from '../result/trial-figures.js'
import { resolveBaseline } from '../store/resolve-baseline.js'
import { plannedRepetitions } from '../store/run-head.js'
import type { ResultStore } from '../store/store.js'
import type { CheckedRun } from './check-run.js'
import {
  type Deciding,
  type DecidingRun,
  deciding,
  hashesIn,
  repetitionsIn,
  sideName,
  sideOf,
  storedSide,
} from './decide.js'
import type { UntilOptions } from './run-options.js'

/** The runs that a plan is about. */
interface PlanPlace {
  readonly options: UntilOptions
  readonly store: ResultStore
  /** The variants of the session, in their order; `null`: a single run. */
  readonly variants: readonly string[] | null
  /** Those that run here, and not earlier. */
  readonly here?: readonly string[]
}

/** A checked run with its plan. */
export interface PlannedRun {
  readonly checked: CheckedRun
  /** `undefined`: it runs to its end. */
  readonly deciding: Deciding | undefined
  /** The difference that the plan finds, and after how many items; `null` where another run of the session has printed it. */
  readonly startOrder: string | null
}

/**
 * Gives a run its plan to stop when it is decided: the stored one of a run that is resumed, that of its session, or a new one.
 *
 * @param shared the plan of another run of the session
 * @throws `option-invalid` where there is nothing to compare with
 */
export async function withSequentialPlan(
  checked: CheckedRun,
  place: PlanPlace,
  shared: Deciding | undefined,
): Promise<PlannedRun> {
  const { options, store } = place
  const known = (checked.stored ?? checked.queued)?.manifest.sequential ?? shared?.plan
  if (options.until === undefined && known === undefined) return { checked, deciding: undefined, startOrder: null }
  const plan = await wantedPlan(checked, place, known)
  const planned = { ...checked, manifest: { ...checked.manifest, sequential: plan } }
  if (shared !== undefined) return { checked: planned, deciding: shared, startOrder: null }
  const notices: string[] = []
  const begun = deciding(plan)
  const live = new Set((place.here ?? []).map((variant) => `variant:${variant}`)).add(sideName(checked.manifest))
  for (const name of new Set(plan.comparisons.flatMap(({ baseline, candidate }) => [baseline, candidate]))) {
    if (live.has(name)) continue
    const other = await resolveBaseline(store, checked.manifest, name)
    if (other !== undefined) notices.push(...joinStored(begun, name, other, checked))
  }
  if (plan.order.length < firstLook)
    notices.push(
      `Nothing can be decided before item ${firstLook}, and only ${plan.order.length} are planned: all of them run.`,
    )
  const notice = [...(checked.notice === null ? [] : [checked.notice]), ...notices].join(' ')
  return {
    checked: { ...planned, notice: notice === '' ? null : notice },
    deciding: begun,
    startOrder: planText(plan),
  }
}

/** Adds the stored trials of a run that does not run here. Returns what to say of it. */
function joinStored(
  begun: Deciding,
  name: string,
  run: RunOverview,
  { items, manifest }: Pick<CheckedRun, 'items' | 'manifest'>,
): readonly string[] {
  const isSibling = run.session !== null && run.session === manifest.session
  const side = storedSide(run, {
    session: manifest.session,
    hashes: new Map(items.map(({ id, hash }) => [id, hash])),
  })
  const notices: string[] = []
  const missing = isSibling ? [] : begun.plan.order.filter((id) => !side.seen.has(id))
  const left = begun.plan.order.length - missing.length
  if (missing.length > 0) {
    const names = `${missing.slice(0, 3).join(', ')}${missing.length > 3 ? ', …' : ''}`
    const lacking = `The baseline ${run.id} does not have ${counted(missing.length, 'item')} of the plan as they are now (${names})`
    if (left < firstLook && begun.plan.order.length >= firstLook)
      optionInvalid('baseline', `${lacking}: ${left} are left, and nothing can be decided before pair ${firstLook}.`)
    notices.push(`${lacking}: they form no pair.`)
  }
  begun.join(name, side)
  return notices
}

async function wantedPlan(
  checked: CheckedRun,
  place: PlanPlace,
  known: SequentialPlan | undefined,
): Promise<SequentialPlan> {
  const { options } = place
  // A run that is resumed without options keeps its plan.
  if (known !== undefined && options.until === undefined) return known
  const { seed = 1, margin = null, threshold = null } = options
  const comparisons = threshold === null ? (known?.comparisons ?? (await comparisonsOf(checked, place))) : []
  const baselines = await Promise.all(
    comparisons.map(({ baseline }) => resolveBaseline(place.store, checked.manifest, baseline)),
  )
  const own = repetitionsIn(checked)
  const order =
    known?.order ??
    shuffled(
      checked.items.flatMap(({ id }) => (quarantinedItems(checked.manifest).has(id) ? [] : [id])),
      seed,
    )
  const theirs = baselines.flatMap((run) => (run === undefined ? [] : order.map((id) => plannedRepetitions(run, id))))
  const repetitions = Math.max(1, ...order.map(own), ...theirs)
  const rule = threshold === null ? 'difference' : 'threshold'
  return { rule, seed, order, repetitions, alpha: 0.05, margin, threshold, comparisons }
}

async function comparisonsOf(
  { manifest, settings: { baseline } }: CheckedRun,
  { store, variants }: PlanPlace,
): Promise<SequentialPlan['comparisons']> {
  const named = baselineVariant(baseline)
  if (variants !== null && (baseline === null || named !== undefined)) {
    const first = named ?? variants[0]
    const others = variants.filter((variant) => variant !== first)
    if (others.length > 0)
      return others.map((variant) => ({ baseline: `variant:${first}`, candidate: `variant:${variant}` }))
  }
  const candidates = variants === null ? [manifest] : variants.map((variant) => ({ ...manifest, variant }))
  const found = await Promise.all(
    candidates.map(async (candidate) => {
      const run = baseline === null ? undefined : await resolveBaseline(store, { ...candidate, baseline })
      return run === undefined ? [] : [{ baseline: run.id, candidate: sideName(candidate) }]
    }),
  )
  const comparisons = found.flat()
  if (comparisons.length === candidates.length) return comparisons
  return optionInvalid(
    'until',
    baseline === null
      ? 'until: "decided" needs something to decide: a baseline, two variants, or a threshold of the pass rate, such as threshold: 0.8.'
      : `until: "decided" needs a run to compare with, and the baseline ${baseline} has no run. Run it first, or give a threshold.`,
  )
}

/**
 * The stops of the stored runs that a run decides with others, by id: its own, and those of the runs that it is compared with. So any
 * process may stop them, whichever runs their trials.
 */
export async function storedStops(store: ResultStore, id: string): Promise<ReadonlyMap<string, DecidedStop>> {
  const run = await store.overview(id)
  if (run?.sequential === undefined) return new Map()
  const { comparisons } = run.sequential
  const begun = deciding(run.sequential)
  const joined = new Map<string, DecidingRun>()
  const sides = { session: run.session, hashes: hashesIn(run) }
  for (const name of new Set([
    sideName(run),
    ...comparisons.flatMap(({ baseline, candidate }) => [baseline, candidate]),
  ])) {
    const one = name === sideName(run) ? run : await resolveBaseline(store, run, name)
    const side = one === run ? sideOf((item) => plannedRepetitions(run, item), trialsOf(run)) : undefined
    if (one !== undefined) joined.set(one.id, begun.join(name, side ?? storedSide(one, sides)))
  }
  return new Map([...joined].flatMap(([one, { stop }]) => (stop === undefined ? [] : [[one, stop]])))
}

/** How many items are planned in which order, what is found, and after how many items. */
function planText({ order, seed, threshold, comparisons, margin, alpha, repetitions }: SequentialPlan): string {
  const planned = `${counted(order.length, 'item')} planned in seeded order (seed ${seed}), the longest not first.`
  if (threshold !== null) {
    const shares = [-0.1, -0.05, 0.05, 0.1].flatMap((off) => {
      const rate = threshold + off
      if (rate < 0 || rate > 1 || order.length > mostExact) return []
      return [
        `${percent(thresholdShare({ planned: order.length, threshold, alpha }, rate))} of them at ${percent(rate)}`,
      ]
    })
    return shares.length === 0
      ? planned
      : `${planned} Until the threshold of ${percent(threshold)} is decided run on average: ${shares.join(', ')}.`
  }
  const { decided, share } = sequentialPower({
    ...{ items: Math.min(order.length, 10_000), better: 0.25, worse: 0.05, alpha },
    comparisons: Math.max(1, comparisons.length),
  })
  const found = `A difference of 20 points (25 % better, 5 % worse) is found in ${percent(decided)}, after ${grouped(Math.round(share * order.length))} items on average.`
  if (margin === null) return `${planned} ${found}`
  const least = points(margin).replace('+', '')
  const also = `Also stops where the candidate is not worse by more than ${least} points`
  if (repetitions > 1 || order.length > mostExact) return `${planned} ${found} ${also}.`
  const rule = { ...formOf('passed', 1), alpha, margin, comparisons: Math.max(1, comparisons.length) }
  const { shown, share: run } = marginPower({ ...rule, items: order.length }, 0.1)
  return `${planned} ${found} ${also}: with 10 % better and 10 % worse that is shown in about ${Math.round(100 * shown)} % of 200 simulated runs, after ${grouped(Math.round(run * order.length))} items on average.`
}

/** More items than the exact law of a threshold is computed for before a run. */
const mostExact = 1_000
