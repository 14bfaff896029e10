import { countedTrials } from '../result/quarantine.js'
import type { DecidedStop, SequentialPlan } from '../result/records.js'
import { type ThresholdLooks, thresholdLooks } from '../result/statistics/finite-rate.js'
import { formOf, lineOf, type SequentialLooks, sequentialLooks } from '../result/statistics/sequential.js'
import { type RunResult, type Trial, trialsOf } from '../result/trial-figures.js'
import { plannedRepetitions } from '../store/run-head.js'
import type { RunManifest } from '../store/store.js'
import type { CheckedRun } from './check-run.js'

/** The parts of a trial that a decision rests on. */
export type DecidingTrial = Pick<Trial, 'itemId' | 'repetition' | 'agent' | 'passed'>

/** The trials of one side that have ended, by item and repetition. */
export interface Side {
  add(trial: DecidingTrial): void
  /** The outcomes of an item; `undefined`: some of its trials have not ended. */
  outcomesOf(itemId: string): readonly (boolean | null)[] | undefined
  /** Items of which a trial began, whether it ended or was cancelled. */
  readonly seen: ReadonlySet<string>
}

/**
 * @param repetitionsOf how many trials an item has. `null`: the run is over, and an item has those that are there
 */
export function sideOf(repetitionsOf: ((itemId: string) => number) | null, trials: Iterable<DecidingTrial> = []): Side {
  const items = new Map<string, Map<number, boolean | null>>()
  const seen = new Set<string>()
  const side: Side = {
    seen,
    add({ itemId, repetition, agent, passed }) {
      seen.add(itemId)
      if (agent === 'cancelled') return
      const outcomes = items.get(itemId) ?? new Map<number, boolean | null>()
      items.set(itemId, outcomes.set(repetition, passed))
    },
    outcomesOf(itemId) {
      const outcomes = items.get(itemId)
      if ((outcomes?.size ?? 0) < (repetitionsOf?.(itemId) ?? 0)) return undefined
      return [...(outcomes?.values() ?? [])]
    },
  }
  for (const trial of trials) side.add(trial)
  return side
}

/**
 * The side of a stored run. One that is not of the session has its trials, whatever it planned; another task under the name of an item
 * forms no pair.
 *
 * @param hashes of the items of the run that is decided
 */
export function storedSide(
  run: RunResult,
  { session, hashes }: { readonly session: string | null; readonly hashes: ReadonlyMap<string, string> },
): Side {
  const isSibling = run.session !== null && run.session === session
  const same = countedTrials(run).filter(({ itemId, itemHash }) => (hashes.get(itemId) ?? itemHash) === itemHash)
  return sideOf(isSibling ? (id) => plannedRepetitions(run, id) : null, same)
}

/** The hashes of the items that a run has trials of. */
export function hashesIn(run: RunResult): ReadonlyMap<string, string> {
  return new Map(trialsOf(run).map(({ itemId, itemHash }) => [itemId, itemHash]))
}

/** The evidence of the part of a plan that has ended on all sides. */
export interface Walk {
  /** Takes the items that have ended since, one after the other, until the plan is decided. */
  advance(): void
  /** Items of the order that are taken. */
  readonly taken: number
  /** Trials that decided nothing, among those that are taken. */
  readonly undecided: { readonly baseline: number; readonly candidate: number }
  /** `null` until a look decides. */
  readonly why: DecidedStop['why'] | null
  readonly looks:
    | { readonly rule: 'difference'; readonly of: SequentialLooks }
    | { readonly rule: 'threshold'; readonly of: ThresholdLooks }
}

/**
 * The decision of a plan, from the outcomes of its items alone: the smallest prefix of its order that decides, whatever ended first. The
 * same in the process that runs them, after a resume, and wherever the stored runs are read.
 *
 * @param baseline `null` with the rule `threshold`
 */
export function walkOf(plan: SequentialPlan, baseline: Side | null, candidate: Side): Walk {
  const { order, alpha, margin, threshold, repetitions, comparisons } = plan
  const looks: Walk['looks'] =
    threshold === null
      ? {
          rule: 'difference',
          of: sequentialLooks({ ...formOf('passed', repetitions), alpha, margin, comparisons: comparisons.length }),
        }
      : { rule: 'threshold', of: thresholdLooks({ planned: order.length, threshold, repetitions, alpha }) }
  const undecided = { baseline: 0, candidate: 0 }
  let taken = 0
  let why: DecidedStop['why'] | null = null
  return {
    looks,
    undecided,
    get taken() {
      return taken
    },
    get why() {
      return why
    },
    advance() {
      for (; why === null && taken < order.length; taken += 1) {
        const id = order[taken] ?? ''
        const [before, after] = [baseline === null ? [] : baseline.outcomesOf(id), candidate.outcomesOf(id)]
        if (before === undefined || after === undefined) return
        undecided.baseline += before.filter((passed) => passed === null).length
        undecided.candidate += after.filter((passed) => passed === null).length
        if (looks.rule === 'threshold') {
          const passes = after.filter((passed) => passed === true).length
          looks.of.take(after.length === 0 ? 0 : passes / after.length)
          const { why: found, met, missed } = looks.of.now
          why = found === null ? null : met === 'certain' || missed === 'certain' ? 'certain' : found
        } else {
          const [one, other] = [shareOf(before), shareOf(after)]
          looks.of.take(one === null || other === null ? null : other - one)
          why = looks.of.now.why
        }
      }
    },
  }
}

/** The share of passes among the decided trials of an item. */
function shareOf(outcomes: readonly (boolean | null)[]): number | null {
  const decided = outcomes.filter((passed) => passed !== null)
  return decided.length === 0 ? null : decided.filter(Boolean).length / decided.length
}

/** The evidence of a walk against the line where it stops; of a threshold that of the side that leads. */
export function evidenceOf(walk: Walk, plan: SequentialPlan): GrowingEvidence {
  const place = { items: walk.taken, planned: plan.order.length }
  if (walk.looks.rule === 'difference')
    return {
      ...place,
      evidence: Math.exp(walk.looks.of.now.evidence),
      line: Math.exp(lineOf({ alpha: plan.alpha, comparisons: plan.comparisons.length })),
    }
  const { met, missed } = walk.looks.of.now
  const logs = [met, missed].map((one) => (one === 'certain' ? Infinity : one === 'impossible' ? -Infinity : one))
  return { ...place, evidence: Math.exp(Math.max(...logs)), line: 1 / plan.alpha }
}

/** Why a run stops. */
export function stopText({ after, planned }: DecidedStop): string {
  return `decided after ${after} of ${planned} items`
}

/** Evidence, the line where it stops a run, and the items that it is of. */
export interface GrowingEvidence {
  readonly items: number
  readonly planned: number
  readonly evidence: number
  readonly line: number
}

/** The name of a run in the comparisons of a plan. */
export function sideName({ id, variant }: Pick<RunManifest, 'id' | 'variant'>): string {
  return variant === null ? id : `variant:${variant}`
}

/** How many trials each item of a run has. */
export function repetitionsIn({ items, settings }: Pick<CheckedRun, 'items' | 'settings'>): (itemId: string) => number {
  const own = new Map(items.map(({ id, repetitions }) => [id, repetitions ?? settings.repetitions]))
  return (itemId) => own.get(itemId) ?? settings.repetitions
}

/** A run that takes part in a plan. */
export interface DecidingRun {
  /** Adds a trial that ended; runs that are decided by it stop. */
  add(trial: DecidingTrial): void
  /** The stop of this run; `undefined`: no look decided all that it is needed for, before its last item. */
  readonly stop: DecidedStop | undefined
  /** The evidence against the line where the run stops; of several comparisons that which is furthest from it. */
  readonly evidence: GrowingEvidence | undefined
}

/** The runs of a plan in one process. */
export interface Deciding {
  readonly plan: SequentialPlan
  /**
   * @param name as in the comparisons of the plan
   * @param stop called when the run is decided; default: it is over
   */
  join(name: string, side: Side, stop?: (message: string) => void): DecidingRun
}

/** Stops the runs of a plan when they are decided. Every side joins before the first trial starts. */
export function deciding(plan: SequentialPlan): Deciding {
  const sides = new Map<string, { readonly side: Side; readonly stop: (message: string) => void; isStopped: boolean }>()
  const walks = new Map<string, Walk>()
  const pairs = () =>
    plan.rule === 'threshold' ? [...sides.keys()].map((candidate) => ({ baseline: null, candidate })) : plan.comparisons

  function walksOf(name: string): readonly (Walk | undefined)[] {
    return pairs()
      .filter(({ baseline, candidate }) => baseline === name || candidate === name)
      .map(({ baseline, candidate }) => {
        const key = JSON.stringify([baseline, candidate])
        const [before, after] = [baseline === null ? null : sides.get(baseline), sides.get(candidate)]
        if (before === undefined || after === undefined) return undefined
        const walk = walks.get(key) ?? walkOf(plan, before?.side ?? null, after.side)
        walks.set(key, walk)
        walk.advance()
        return walk
      })
  }
  function stopOf(name: string): DecidedStop | undefined {
    const all = walksOf(name)
    const found = all.flatMap((walk) =>
      walk === undefined || walk.why === null ? [] : [{ ...walk, why: walk.why, after: walk.taken }],
    )
    const last = found.reduce(
      (one, other) => (other.after > one.after ? other : one),
      found[0] ?? { after: 0, why: 'met' as const },
    )
    if (found.length < all.length || found.length === 0 || last.after >= plan.order.length) return undefined
    const counted = new Set(plan.order.slice(0, last.after))
    const ahead = [...(sides.get(name)?.side.seen ?? [])].filter((id) => !counted.has(id))
    const places = new Map(plan.order.map((id, place) => [id, place]))
    ahead.sort((one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0))
    return { after: last.after, planned: plan.order.length, why: last.why, ahead }
  }
  function settle(): void {
    for (const [name, side] of sides) {
      const stop = side.isStopped ? undefined : stopOf(name)
      if (stop === undefined) continue
      side.isStopped = true
      side.stop(stopText(stop))
    }
  }
  return {
    plan,
    join(name, side, stop = () => undefined) {
      sides.set(name, { side, stop, isStopped: false })
      settle()
      return {
        add(trial) {
          side.add(trial)
          settle()
        },
        get stop() {
          return stopOf(name)
        },
        get evidence() {
          const open = walksOf(name).flatMap((walk) => (walk === undefined ? [] : [evidenceOf(walk, plan)]))
          return open.toSorted((one, other) => one.evidence - other.evidence)[0]
        },
      }
    },
  }
}
