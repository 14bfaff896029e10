import { semaphore } from '@jurist/kit/semaphore'
import { areMixed, withCommandsBeside } from './commands-beside.js'
import { type ContextInput, contextFrom, type JudgmentContext } from './context.js'
import {
  answeredJudgment,
  commonKind,
  giveInfo,
  guard,
  identityOf,
  infoOf,
  type Judge,
  runApart,
  thrownJudgment,
} from './judge.js'
import type { Judgment } from './judgment.js'
import { assemble } from './judgment-record.js'
import {
  isJury,
  type Jury,
  type JuryMember,
  type JuryParts,
  membersOf,
  type NamedMember,
  refuseJudge,
} from './jury-member.js'
import { isName } from './name.js'
import { checkOptions, described, type OptionDescriptions, option, optionInvalid, printed } from './options.js'
import { type Verdict, verdictFromJson, verdictOf } from './verdict.js'
import { votes } from './votes/catalog.js'
import { consensus } from './votes/counting-votes.js'
import { type Vote, voteDescriptionOf, voteInfoOf } from './votes/vote.js'

/** Options of `jury`. */
export interface JuryOptions<Name extends string = string> {
  /** The members by name. A name has 1 to 64 characters and is not a whole number. */
  readonly judges: { readonly [name in Name]: JuryMember }
  /** The vote. Default `consensus()`: every member must pass. */
  readonly vote?: Vote
  /** The number of members that run at the same time. Default `Infinity`; 1: one after another. */
  readonly concurrency?: number
  /** The time limit of each member, in milliseconds. Default: no limit. */
  readonly timeoutMs?: number
}

/**
 * Creates a jury of named judges. Members start in the order of their keys. A member that throws counts as an ERROR
 * judgment and does not stop the others.
 *
 * @throws `judges-empty`, `judge-invalid`, `name-invalid`, `weight-invalid` or `option-invalid`
 *
 * @example
 * import { fileExists, jury, outputText } from '@jurist/core'
 *
 * const rules = jury({
 *   judges: { readme: fileExists('README.md'), greeting: { judge: outputText({ contains: 'Hello' }), weight: 3 } },
 * })
 * const { aggregated } = await rules.vote({ agentOutput: 'Hello!' })
 * console.log(aggregated.status) // 'fail': there is no README.md
 */
export function jury<Name extends string>(options: JuryOptions<Name>): Jury<Name> {
  checkVote('jury', options?.vote)
  const { judges, vote = consensus(), concurrency = unlimited, timeoutMs } = checkOptions('jury', options, juryRules)
  const members = membersOf(judges)
  return juryOfMembers(members, vote, { concurrency, timeoutMs }) as Jury<Name>
}

/** Catches a vote that is given by name, and one whose factory was not called. */
function checkVote(where: string, vote: unknown): void {
  const isMade = typeof vote === 'function' && voteDescriptionOf(vote) === undefined
  if (vote === undefined || isMade) return
  const said = typeof vote === 'function' ? vote.name : typeof vote === 'string' ? vote : ''
  const plain = (name: string) => name.replace(/[^a-z]/gi, '').toLowerCase()
  const [known] = Object.keys(votes).filter((name) => plain(name) === plain(said))
  const remedy = known ?? `one of ${Object.keys(votes).join('(), ')}`
  optionInvalid('vote', `${where}: "vote" must be a vote (got ${printed(vote)}). Write ${remedy}().`)
}

const unlimited = Number.POSITIVE_INFINITY

export const juryOptions: OptionDescriptions<Pick<JuryOptions, 'concurrency' | 'timeoutMs'>> = {
  concurrency: {
    ...option.either(option.integer(1), { wants: 'Infinity', holds: (value) => value === unlimited }),
    schema: { type: 'integer', minimum: 1 },
    description: 'How many members run together; 1: one after another. Default: all.',
  },
  timeoutMs: described(option.positive, 'Milliseconds for each member. Default: no limit.'),
}

const juryRules = { judges: option.anything, vote: option.function, ...juryOptions }

/**
 * Creates a jury of judges under their own names, each with weight 1. A name that is taken gets the suffix `-2`, `-3`,
 * …
 *
 * @throws `judges-empty` without a judge, `judge-invalid`
 *
 * @example
 * import { fileExists, juryOf, majority } from '@jurist/core'
 *
 * juryOf(majority(), fileExists('a'), fileExists('b')) // members fileExists and fileExists-2
 */
export function juryOf(vote: Vote, ...judges: readonly Judge[]): Jury {
  checkVote('juryOf', vote)
  const taken: { [name: string]: Judge } = {}
  for (const judge of judges) {
    if (typeof judge !== 'function') refuseJudge('juryOf', judge)
    taken[freeName(infoOf(judge).name, taken)] = judge
  }
  return jury({ judges: taken, vote })
}

/** `vote` gets a complete context. */
export function juryFrom(
  name: string,
  judges: readonly Judge[],
  parts: JuryParts,
  voteOn: (context: JudgmentContext) => Promise<Verdict>,
): Jury {
  const isMixed = areMixed(judges)
  const vote = async (input: ContextInput): Promise<Verdict> => {
    const context = contextFrom(input)
    return await voteOn(isMixed ? withCommandsBeside(context) : context)
  }
  const judge = async (context: JudgmentContext): Promise<Judgment> => (await vote(context)).aggregated
  const made = Object.assign(judge, { vote, parts: Object.freeze(parts) })
  return giveInfo(made, { name, kind: commonKind(judges), judges })
}

interface Voted {
  readonly judgment: Judgment
  readonly verdict?: Verdict
}

interface MemberResult extends Voted, Pick<NamedMember, 'name' | 'weight'> {}

interface Limits {
  readonly concurrency: number
  readonly timeoutMs: number | undefined
}

function juryOfMembers(members: readonly NamedMember[], vote: Vote, { concurrency, timeoutMs }: Limits): Jury {
  const judges = members.map(({ judge }) => judge)
  const rebuilt = (change: (judge: Judge) => Judge) =>
    juryOfMembers(
      members.map((member) => ({ ...member, judge: change(member.judge) })),
      vote,
      { concurrency, timeoutMs },
    )
  const parts = { vote: voteInfoOf(vote), members, rebuilt }
  return juryFrom('jury', judges, parts, async (context) => {
    const startedAt = performance.now()
    const run = (member: NamedMember) => runMember(member, context, timeoutMs)
    const places = concurrency < members.length ? semaphore(concurrency) : undefined
    const results = await Promise.all(members.map((member) => places?.run(() => run(member)) ?? run(member)))
    return verdictOf({
      aggregated: aggregate(vote, results),
      individual: byName(results, ({ judgment }) => judgment),
      weights: byName(results, ({ weight }) => weight),
      subVerdicts: byName(results, ({ verdict }) => verdict),
      elapsedMs: performance.now() - startedAt,
    })
  })
}

async function runMember(
  { judge, name, weight }: NamedMember,
  context: JudgmentContext,
  timeoutMs: number | undefined,
): Promise<MemberResult> {
  if (isJury(judge)) return { ...(await voteSafely(judge, name, context, timeoutMs)), name, weight }
  return { judgment: await runApart(judge, context, timeoutMs), name, weight }
}

/** An ERROR judgment if the vote rejects, takes too long or does not return a verdict. */
export async function voteSafely(
  judge: Pick<Jury, 'vote'>,
  name: string,
  context: JudgmentContext,
  timeoutMs: number | undefined,
): Promise<Voted> {
  const voted = await guard(name, context, timeoutMs, async (limited) => verdictFromJson(await judge.vote(limited)))
  return 'aggregated' in voted ? { judgment: voted.aggregated, verdict: voted } : { judgment: voted }
}

/** An ERROR if the vote throws or returns anything but a judgment, a promise included. */
function aggregate(vote: Vote, results: readonly MemberResult[]): Judgment {
  try {
    const answer = vote(results.map(({ name, judgment, weight }) => ({ name, judgment, weight })))
    // Votes are synchronous. A rejected promise of an asynchronous one must not end the process.
    if (answer instanceof Promise) answer.catch(() => undefined)
    return inOwnWords(answeredJudgment(answer), results)
  } catch (thrown) {
    return thrownJudgment(`the vote ${voteInfoOf(vote).name}`, thrown)
  }
}

/** A vote on one member repeats the member's reasoning instead of stating that 1 of 1 passed. */
function inOwnWords(judgment: Judgment, results: readonly MemberResult[]): Judgment {
  const [only, another] = results
  if (only === undefined || another !== undefined || judgment.status === 'error') return judgment
  const { status, reasoning } = only.judgment
  return status === judgment.status ? assemble(judgment, { ...judgment, reasoning }) : judgment
}

function byName<Value>(
  results: readonly MemberResult[],
  pick: (result: MemberResult) => Value | undefined,
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

/**
 * Keeps the name, the votes and the limits of the jury. A custom jury, whose parts are not known, counts as one judge.
 *
 * @param change gets each judge that has no members
 */
export function withJudges(judge: Judge, change: (judge: Judge) => Judge): Judge {
  const rebuilt = isJury(judge) ? judge.parts?.rebuilt : undefined
  if (rebuilt === undefined) return change(judge)
  return giveInfo(
    rebuilt((inner) => withJudges(inner, change)),
    identityOf(judge),
  )
}

/**
 * Changes the judges at one place of a jury, as `flatten` names it: the names of its tiers and members. `undefined`: no judge is there.
 *
 * @param place such as `['rules', 'tests']`
 */
export function withJudgeAt(
  judge: Judge,
  place: readonly string[],
  change: (judge: Judge) => Judge,
): Judge | undefined {
  const [name, ...rest] = place
  if (name === undefined) return withJudges(judge, change)
  const { rebuilt, members = [], tiers = [] } = (isJury(judge) && judge.parts) || {}
  if (!isJury(judge) || rebuilt === undefined) return undefined
  const left = [...members, ...tiers.map((tier) => ({ name: tier.name, judge: tier.jury }))]
  let isFound = false
  const made = rebuilt((inner) => {
    const at = left.findIndex((one) => one.judge === inner)
    const [member] = at < 0 ? [] : left.splice(at, 1)
    // A jury that another one joins is rebuilt as a whole, and its members keep their places.
    const changed =
      member === undefined
        ? withJudgeAt(inner, place, change)
        : member.name === name
          ? withJudgeAt(inner, rest, change)
          : undefined
    isFound ||= changed !== undefined
    return changed ?? inner
  })
  return isFound ? giveInfo(made, identityOf(judge)) : undefined
}

interface Said {
  readonly judgment: Judgment
  readonly verdict?: Verdict | undefined
}

/**
 * Wraps a jury as the only member of another one. Gates look at members, so they see its decision too, and its verdict
 * is kept below it.
 *
 * @param decide returns the member's judgment; `member` is its name
 * @param again wraps another jury in the same way
 */
export function juryOfOne(
  kind: string,
  inner: Jury,
  decide: (context: JudgmentContext, member: string) => Promise<Said>,
  { vote, again }: Pick<JuryParts, 'vote'> & { readonly again: (inner: Jury) => Jury },
): Jury {
  const { name } = infoOf(inner)
  const member = isName(name) ? name : 'jury'
  const rebuilt: JuryParts['rebuilt'] = (change) => again(change(inner) as Jury)
  const members = [{ name: member, judge: inner, weight: 1 }]
  return juryFrom(kind, [inner], { ...(vote && { vote }), members, rebuilt }, async (context) => {
    const startedAt = performance.now()
    const said = await decide(context, member)
    return verdictOfOne(member, said.judgment, said, startedAt)
  })
}

export function verdictOfOne(
  name: string,
  aggregated: Judgment,
  { judgment, verdict }: Said,
  startedAt: number,
): Verdict {
  return verdictOf({
    aggregated,
    individual: { [name]: judgment },
    weights: { [name]: 1 },
    subVerdicts: verdict === undefined ? {} : { [name]: verdict },
    elapsedMs: performance.now() - startedAt,
  })
}
