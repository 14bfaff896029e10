import {
  abstain,
  cascade,
  error,
  fail,
  type Judgment,
  type Jury,
  jury,
  pass,
  type Tiers,
  type Vote,
} from '@jurist/core'
import { joinedJudgment, votes } from '@jurist/core/internal'
import type { BallotJudgment, BallotsDocument, BallotVerdict } from '../answers/ballots.js'
import {
  completeOptions,
  isConfident,
  isRepeatable,
  isVoteError,
  type JurySettings,
  juriesOf,
  type Settings,
  type StoredJury,
  verdictOf,
  voteDescription,
} from './settings.js'

/** The outcome of a trial with other settings; `unknown` if it depends on something that the stored verdict lacks. */
type Revoted = 'pass' | 'fail' | 'undecided' | 'unknown'

interface ChangedTrial {
  readonly itemId: string
  readonly repetition: number
  readonly from: boolean | null
  readonly to: Revoted
}

export interface WhatIf {
  readonly changed: readonly ChangedTrial[]
  readonly passes: number
  readonly decided: number
  /** Trials that depend on a tier that did not run, or on a vote whose options are not stored. */
  readonly unknown: number
}

/**
 * Finds the trials whose outcome changes with other settings. Trials without a verdict keep their outcome.
 *
 * @param signal stops between two verdicts; the promise is rejected then
 */
export async function changedTrials(
  ballots: BallotsDocument,
  settings: Settings,
  signal?: AbortSignal,
): Promise<WhatIf> {
  const juries = juriesOf(ballots)
  const [revote, repeat] = [revoteWith(juries, settings), revoteWith(juries, new Map())]
  const outcomes: { readonly now: Revoted; readonly before: Revoted }[] = []
  for (const verdict of ballots.verdicts) {
    signal?.throwIfAborted()
    outcomes.push({ now: await revote(verdict), before: await repeat(verdict) })
  }
  const changed: ChangedTrial[] = []
  const count = { pass: 0, fail: 0, undecided: 0, unknown: 0 }
  for (const { itemId, repetition, passed, verdict } of ballots.trials) {
    const stored = passed === null ? 'undecided' : passed ? 'pass' : 'fail'
    const { now, before } = outcomes[verdict] ?? { now: stored, before: stored }
    // A stored outcome that does not follow from its own ballots is kept.
    const isSame = now === before
    count[isSame ? stored : now]++
    if (!isSame) changed.push({ itemId, repetition, from: passed, to: now })
  }
  return { changed, passes: count.pass, decided: count.pass + count.fail, unknown: count.unknown }
}

/** The verdict that the juries vote on, and whether one of them cannot vote on it. */
interface Current {
  verdict: BallotVerdict | undefined
  isUnknown: boolean
}

/** Votes again with the votes and the cascade of core. Each judge repeats its stored judgment. */
function revoteWith(juries: readonly StoredJury[], settings: Settings): (verdict: BallotVerdict) => Promise<Revoted> {
  const current: Current = { verdict: undefined, isUnknown: false }
  const repeated = juries.map((one) => repeatedJury(one, settings.get(one.name) ?? {}, current))
  const whole = juries.some(({ policy }) => policy !== undefined) ? cascadeOf(juries, repeated, settings) : repeated[0]
  return async function revote(verdict) {
    if (whole === undefined) return 'unknown'
    current.verdict = verdict
    current.isUnknown = false
    const { aggregated } = await whole.vote({ workspace: emptyWorkspace })
    if (current.isUnknown) return 'unknown'
    return aggregated.status === 'pass' || aggregated.status === 'fail' ? aggregated.status : 'undecided'
  }
}

/** Juries that never ran have no known members, but a jury needs one. */
const placeholder: ReadonlyMap<string, number> = new Map([['placeholder', 1]])

/** The repeated judgments do not depend on the workspace. */
const emptyWorkspace = { exists: async () => false, read: async () => '', list: async () => [] } as never

function repeatedJury(stored: StoredJury, settings: JurySettings, current: Current): Jury {
  const { name, members } = stored
  const part = () => (current.verdict === undefined ? undefined : verdictOf(current.verdict, name))
  const judgeOf = (member: string) => async () => {
    const found = part()
    if (found === undefined) current.isUnknown = true
    const said = found !== undefined && Object.hasOwn(found.individual, member) ? found.individual[member] : undefined
    return said === undefined ? abstain('there is no stored judgment') : repeatedJudgment(said)
  }
  const voteOf = cachedVotes(settings)
  const isSure = isConfident(stored, settings)
  const vote: Vote = (ballots) => {
    const found = part()
    if (found === undefined) return abstain('the tier did not run')
    const said = repeatedJudgment(resultAtThreshold(isSure ? settings.confidence : 0, found))
    if (isUnchanged(settings) || (settings.vote === undefined && isVoteError(found))) return said
    const again = isSure ? undefined : voteOf(found)
    if (again === undefined) current.isUnknown = true
    return again === undefined ? said : joinedVote(again, found.joined)(ballots)
  }
  const judges = Object.fromEntries(
    [...(members.size === 0 ? placeholder : members)].map(([member, weight]) => [
      member,
      { judge: judgeOf(member), weight: settings.weights?.[member] ?? weight },
    ]),
  )
  return jury({ judges, vote })
}

/**
 * Returns the result of a tier that decides from this confidence on: from 0 on, it withholds nothing. Without a
 * threshold, the stored result.
 */
function resultAtThreshold(threshold: number | undefined, { aggregated, sureness }: BallotVerdict): BallotJudgment {
  if (threshold === undefined || sureness === undefined) return aggregated
  if (sureness.confidence < threshold) return { status: 'abstain' }
  return sureness.withheld === undefined ? aggregated : { status: sureness.withheld }
}

/** Votes on all members but the one that was added to the jury, which must pass as well. */
function joinedVote(vote: Vote, joined: string | undefined): Vote {
  if (joined === undefined) return vote
  return (ballots) => {
    const joining = ballots.find(({ name }) => name === joined)
    const own = vote(ballots.filter((ballot) => ballot !== joining))
    return joining === undefined ? own : joinedJudgment(own, joining)
  }
}

function isUnchanged({ vote, options, weights }: JurySettings): boolean {
  return vote === undefined && options === undefined && weights === undefined
}

/** Creates the votes of stored verdicts with the settings applied, once for each different vote. */
function cachedVotes(settings: JurySettings): (verdict: BallotVerdict) => Vote | undefined {
  const known = new Map<string, Vote | undefined>()
  return (verdict) => {
    const key = JSON.stringify([verdict.strategy, verdict.options])
    if (!known.has(key)) known.set(key, voteAgain(verdict, settings))
    return known.get(key)
  }
}

/**
 * Creates the vote of a stored verdict with the settings applied and all other options kept; `undefined` if the verdict
 * does not store them and no other vote is chosen.
 */
function voteAgain(verdict: BallotVerdict, { vote, options }: JurySettings): Vote | undefined {
  if (vote === undefined && !isRepeatable(verdict)) return undefined
  const name = vote ?? verdict.strategy
  const description = voteDescription(name)
  if (name === undefined || description === undefined) return undefined
  return votes[name]?.(completeOptions(description, { ...verdict.options, ...options }))
}

function repeatedJudgment({ status, score, errorBounds }: BallotJudgment): Judgment {
  const extras = { ...(score && { score }), ...(errorBounds !== undefined && { metadata: { errorBounds } }) }
  switch (status) {
    case 'pass':
      return pass('repeated', extras)
    case 'fail':
      return fail('repeated', extras)
    case 'abstain':
      return abstain('repeated')
    case 'error':
      return error('repeated')
    default:
      return status satisfies never
  }
}

function cascadeOf(juries: readonly StoredJury[], repeated: readonly Jury[], settings: Settings): Jury {
  const tiers = juries.map(({ name, policy: stored, escalates }, index) => {
    const wanted = stored === 'final' ? stored : (settings.get(name)?.policy ?? stored)
    // The vote of a tier abstains already below the threshold.
    const policy = wanted === 'decide-when-confident' ? 'accept-when-decided' : wanted
    const canEscalate = policy === 'reject-on-any-fail' || policy === 'accept-when-decided'
    return { name, jury: repeated[index], policy, ...(escalates && canEscalate ? { onError: 'escalate' } : {}) }
  })
  return cascade(tiers as unknown as Tiers)
}

export interface CurvePoint {
  readonly threshold: number
  readonly passes: number
  readonly decided: number
}

/** Thresholds from 0 to 1. */
const steps = 20

/** With more different verdicts than this, a curve takes too long to draw while someone types. */
export const mostVerdicts = 5_000

/** Returns the juries whose vote has a threshold after the settings are applied. */
export function thresholdJuries(ballots: BallotsDocument, settings: Settings): readonly string[] {
  return juriesOf(ballots)
    .filter(({ name, strategy, isRepeatable, ...jury }) => {
      const changed = settings.get(name)
      if (isConfident(jury, changed)) return false
      const { vote } = changed ?? {}
      const description = voteDescription(vote ?? strategy)
      return (isRepeatable || vote !== undefined) && description !== undefined && 'threshold' in description.options
    })
    .map(({ name }) => name)
}

/**
 * Computes the pass rate over the threshold of one jury, with all other settings unchanged: from 0 to 1 in steps of
 * 0.05.
 *
 * @param signal stops between two points; the promise is rejected then
 */
export async function thresholdCurve(
  ballots: BallotsDocument,
  settings: Settings,
  jury: string,
  signal?: AbortSignal,
): Promise<readonly CurvePoint[]> {
  const points: CurvePoint[] = []
  for (let step = 0; step <= steps; step++) {
    const threshold = step / steps
    const { options, ...rest } = settings.get(jury) ?? {}
    const tried = new Map(settings).set(jury, { ...rest, options: { ...options, threshold } })
    const { passes, decided } = await changedTrials(ballots, tried, signal)
    points.push({ threshold, passes, decided })
    // A pause lets the browser draw and handle keys.
    await new Promise((resolve) => setTimeout(resolve))
  }
  return points
}
