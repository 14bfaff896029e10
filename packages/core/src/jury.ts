import { areMixed, marked, withCommandsBeside } from './beside.js'
import type { ContextInput, JudgmentContext } from './context.js'
import { contextFrom } from './context.js'
import type { Judge } from './judge.js'
import { answeredJudgment, commonKind, describeJudge, guard, infoOf, runApart, thrownJudgment } from './judge.js'
import type { Judgment } from './judgment.js'
import { isName } from './name.js'
import { checkOptions, option } from './options.js'
import type { JuryOutline } from './outline.js'
import { withOutline } from './outline.js'
import type { Jury, NamedSeat, Seat } from './seat.js'
import { isJury, refuseJudge, seatsOf } from './seat.js'
import { isThenable, type Soon, soon } from './soon.js'
import type { Verdict } from './verdict.js'
import { verdictFromJson, verdictOf } from './verdict.js'
import { consensus } from './votes/consensus.js'
import type { Vote } from './votes/vote.js'
import { voteInfoOf } from './votes/vote.js'

export interface JuryOptions<Name extends string = string> {
  /** By name: 1 to 64 characters, no bare whole number. */
  readonly judges: { readonly [name in Name]: Seat }
  /** Default `consensus()`: everything must pass. */
  readonly vote?: Vote
  /** How many seats run at once. Default `Infinity`; 1: one after another. */
  readonly concurrency?: number
  /** Milliseconds for each seat. Default: no limit. */
  readonly timeoutMs?: number
}

/**
 * A jury of named judges. Seats start in the order of their keys; one that throws is an ERROR judgment and stops no
 * other.
 *
 * @throws `judges-empty`, `judge-invalid`, `name-invalid`, `weight-invalid` or `option-invalid`
 *
 * @example
 * const rules = jury({ judges: { readme: fileExists('README.md'), tests: { judge: tests, weight: 3 } } })
 * const verdict = await rules.vote({ workspace })
 */
export function jury<Name extends string>(options: JuryOptions<Name>): Jury<Name> {
  const { judges, vote = consensus(), concurrency = unlimited, timeoutMs } = checkOptions('jury', options, juryRules)
  const seats = seatsOf(judges)
  return juryOfSeats(seats, vote, { concurrency, timeoutMs }) as Jury<Name>
}

const unlimited = Number.POSITIVE_INFINITY

const juryRules = {
  judges: option.anything,
  vote: option.function,
  concurrency: option.either(option.integer(1), {
    wants: 'Infinity',
    holds: (value: unknown) => value === unlimited,
  }),
  timeoutMs: option.positive,
}

/**
 * A jury of judges under their own names, each with weight 1; a taken name gets `-2`, `-3`, …
 *
 * @throws `judges-empty` without a judge, `judge-invalid`
 *
 * @example
 * juryOf(majority(), fileExists('a'), fileExists('b')) // seats fileExists and fileExists-2
 */
export function juryOf(vote: Vote, ...judges: readonly Judge[]): Jury {
  const taken: { [name: string]: Judge } = {}
  for (const judge of judges) {
    if (typeof judge !== 'function') refuseJudge('juryOf')
    taken[freeName(infoOf(judge).name, taken)] = judge
  }
  return jury({ judges: taken, vote })
}

/** Makes a jury function of its `vote`. */
export function juryFrom(
  name: string,
  judges: readonly Judge[],
  outline: JuryOutline,
  voteOfContext: (context: ContextInput) => Soon<Verdict>,
): Jury {
  const voteSoon = areMixed(judges)
    ? (context: ContextInput) => voteOfContext(withCommandsBeside(contextFrom(context)))
    : voteOfContext
  const vote: Voting = async (context) => voteSoon(context)
  vote[soonest] = voteSoon
  const judge = async (context: JudgmentContext): Promise<Judgment> => (await voteSoon(context)).aggregated
  const made = Object.assign(judge, { vote })
  return withOutline(describeJudge(marked(made, judges), { name, kind: commonKind(judges) }), outline)
}

// On the function itself: a jury whose vote was replaced has none.
const soonest = Symbol()

interface Voting {
  (context: ContextInput): Promise<Verdict>
  [soonest]?: (context: ContextInput) => Soon<Verdict>
}

/**
 * The verdict of a jury, at once when none of its judges takes time: for who asks juries by the thousand. Throws or rejects
 * where `vote` rejects.
 *
 * @example
 * const verdict = voteOn(rules, context)
 * const { aggregated } = isThenable(verdict) ? await verdict : verdict
 */
export function voteOn(jury: Jury, context: ContextInput): Soon<Verdict> {
  return (jury.vote as Voting)[soonest]?.(context) ?? jury.vote(context)
}

interface Voted {
  readonly judgment: Judgment
  readonly verdict?: Verdict
}

/** What became of a seat. */
interface SeatResult extends Voted, Pick<NamedSeat, 'name' | 'weight'> {}

interface Running {
  readonly concurrency: number
  readonly timeoutMs: number | undefined
}

function juryOfSeats(seats: readonly NamedSeat[], vote: Vote, running: Running): Jury {
  const judges = seats.map(({ judge }) => judge)
  const outline = { vote: voteInfoOf(vote), seats }
  return juryFrom('jury', judges, outline, (input) => {
    const startedAt = performance.now()
    return soon(runSeats(seats, contextFrom(input), running), (results) =>
      verdictOf({
        aggregated: aggregate(vote, results),
        individual: byName(results, ({ judgment }) => judgment),
        weights: byName(results, ({ weight }) => weight),
        subVerdicts: byName(results, ({ verdict }) => verdict),
        elapsedMs: performance.now() - startedAt,
      }),
    )
  })
}

/** The seats' results in seat order, whichever finished first. */
function runSeats(
  seats: readonly NamedSeat[],
  context: JudgmentContext,
  running: Running,
): Soon<readonly SeatResult[]> {
  if (running.concurrency < seats.length) return runSome(seats, context, running)
  const results = seats.map((seat) => runSeat(seat, context, running.timeoutMs))
  return results.some(isThenable) ? Promise.all(results) : (results as readonly SeatResult[])
}

/** As many seats at once as may run. */
async function runSome(
  seats: readonly NamedSeat[],
  context: JudgmentContext,
  { concurrency, timeoutMs }: Running,
): Promise<readonly SeatResult[]> {
  const results: SeatResult[] = []
  const waiting = seats.entries()
  const work = async () => {
    for (const [index, seat] of waiting) results[index] = await runSeat(seat, context, timeoutMs)
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return results
}

function runSeat(
  { judge, name, weight }: NamedSeat,
  context: JudgmentContext,
  timeoutMs: number | undefined,
): Soon<SeatResult> {
  return isJury(judge)
    ? soon(voteSafely(judge, name, context, timeoutMs), (voted) => ({ ...voted, name, weight }))
    : soon(runApart(judge, context, timeoutMs), (judgment) => ({ judgment, name, weight }))
}

/** The verdict of a jury, or the ERROR judgment of a vote that rejected, took too long or gave no verdict. */
export function voteSafely(
  judge: Jury,
  name: string,
  context: JudgmentContext,
  timeoutMs: number | undefined,
): Soon<Voted> {
  return guard(
    name,
    context,
    timeoutMs,
    (lent) => soon(voteOn(judge, lent), verdictFromJson),
    (voted): Voted => ('aggregated' in voted ? { judgment: voted.aggregated, verdict: voted } : { judgment: voted }),
  )
}

/** What the vote says; an ERROR where it throws or answers with anything but a judgment, a promise of one included. */
function aggregate(vote: Vote, results: readonly SeatResult[]): Judgment {
  try {
    const answer = vote(results.map(({ name, judgment, weight }) => ({ name, judgment, weight })))
    // Nobody waits for a promise: what it rejects with must not end the process.
    if (isThenable(answer)) answer.then(undefined, () => undefined)
    return answeredJudgment(answer)
  } catch (thrown) {
    return thrownJudgment(`the vote ${voteInfoOf(vote).name}`, thrown)
  }
}

function byName<Value>(
  results: readonly SeatResult[],
  pick: (result: SeatResult) => Value | undefined,
): { [name: string]: Value } {
  const record: { [name: string]: Value } = {}
  for (const result of results) {
    const value = pick(result)
    if (value !== undefined) record[result.name] = value
  }
  return record
}

function freeName(wanted: string, taken: { readonly [name: string]: Judge }): string {
  const base = isName(wanted) ? wanted : 'judge'
  if (!Object.hasOwn(taken, base)) return base
  for (let count = 2; ; count++) {
    const suffix = `-${count}`
    const name = `${[...base]
      .slice(0, 64 - suffix.length)
      .join('')
      .trimEnd()}${suffix}`
    if (!Object.hasOwn(taken, name)) return name
  }
}
