import {
  error,
  type Judgment,
  type JudgmentContext,
  judgmentContext,
  named,
  runJudge,
  type Verdict,
  verdictFromJson,
} from '@jurist/core'
import { failureOf, isJury, totalCost, withJudging } from '@jurist/core/internal'
import type { DatasetItem } from '../dataset/item.js'
import type { JudgeScorerResult } from '../result/records.js'
import { type ItemFailure, type ItemResult, trialWith } from '../result/records.js'
import { sumUsage } from '../result/spending.js'
import { now } from '../run/events.js'
import type { CalibrateSettings } from './calibrate-options.js'
import { type KeptFacts, withFacts } from './report/scored-trial.js'
import { failed, type Scoring, scoringBy, unscored } from './scorer.js'

/** The label of an item, and the function that scores judgments against it. */
interface Yardstick {
  readonly label: string | null
  readonly score: (judgment: Judgment) => Scoring
}

/** Shows one item to the candidate and scores the answer. Never rejects: every step is isolated. */
export async function calibrationTrial(
  settings: CalibrateSettings,
  item: DatasetItem,
  repetition: number,
  signal: AbortSignal,
): Promise<ItemResult> {
  const { bucket, taskType, tags, task } = item
  const startedAt = now()
  const startedMs = performance.now()
  const answers = await askCandidate(settings, item, repetition, signal)
  const juryMs = performance.now() - startedMs
  const { answer, swapped } = answers
  const yardstick = yardstickOf(settings, item)
  const unasked = answer.failure?.origin === 'setup'
  const scoring = unasked
    ? { result: unscored('scorer-error', answer.failure?.message ?? ''), failure: answer.failure }
    : yardstick.score(answer.judgment)
  const facts = keptFacts(settings, item, answers, yardstick)
  const { result } = scoring
  const failure: ItemFailure | null = answer.failure ?? ownFailure(scoring) ?? ownFailure(facts)
  return trialWith({
    itemId: item.id,
    itemSlug: item.slug,
    itemHash: item.hash,
    ...{ bucket, taskType, tags, task, repetition },
    agent: unasked ? 'setup-error' : 'completed',
    judged: unasked ? 'not-judged' : answer.judgment.status,
    passed: matchIn(result),
    failure,
    startedAt,
    endedAt: now(),
    durationMs: performance.now() - startedMs,
    juryMs,
    judgeUsage: sumUsage([answer.verdict?.usage ?? answer.judgment.usage, swapped?.verdict?.usage]),
    // No agent was asked: nothing was spent on one.
    costUsd: 0,
    judgeCostUsd: totalCost([answer.verdict?.costUsd ?? answer.judgment.costUsd, swapped?.verdict?.costUsd]) ?? null,
    scores: result.scored ? { agreement: result.score } : {},
    verdict: answer.verdict,
    detail: {
      kind: 'judge',
      judgment: answer.judgment,
      expectedLabel: yardstick.label,
      scorer: result,
      swapped: swapped?.judgment ?? null,
    },
    metadata: withFacts(item.metadata, facts.value),
  })
}

/** Whether judgment and label agree; `null`: it was not scored. */
function matchIn(result: JudgeScorerResult): boolean | null {
  return result.scored ? result.match : null
}

/** The label of an item. An item without a readable label is not scored. */
function yardstickOf({ expected, scorer }: CalibrateSettings, item: DatasetItem): Yardstick {
  try {
    const label: unknown = expected(item)
    if (label !== null && typeof label !== 'string') throw new TypeError('"expected" must return a string or null.')
    return { label, score: (actual) => scoringBy(scorer, { item, actual, expectedLabel: label }) }
  } catch (thrown) {
    return { label: null, score: () => failed(thrown) }
  }
}

function ownFailure({ failure }: Pick<Scoring, 'failure'>): ItemFailure | null {
  return failure === null ? null : { ...failure, origin: 'hook', infrastructure: false }
}

/** The facts that the report needs in addition to the judgment. If a function of the caller throws, its part is left out. */
function keptFacts(
  { candidate, cluster, annotators }: CalibrateSettings,
  item: DatasetItem,
  { answer, swapped }: Answers,
  { score }: Yardstick,
): { readonly value: KeptFacts; readonly failure: Scoring['failure'] } {
  const members = isJury(candidate) && answer.verdict !== null ? membersOf(answer.verdict) : null
  const facts = {
    members:
      members === null
        ? null
        : Object.fromEntries(members.map(([name, judgment]) => [name, matchIn(score(judgment).result)])),
    swapped: swapped === null ? null : score(swapped.judgment).result,
  }
  try {
    const value = { ...facts, cluster: cluster?.(item) ?? null, annotators: ratedBy(annotators, item) }
    return { value, failure: null }
  } catch (thrown) {
    return { value: { ...facts, cluster: null, annotators: null }, failure: failed(thrown).failure }
  }
}

/** The ratings of annotators for an item; `null`: there are none. */
function ratedBy(annotators: CalibrateSettings['annotators'], item: DatasetItem): KeptFacts['annotators'] {
  const given: ReturnType<typeof annotators> | null | undefined = annotators(item)
  return given === null || given === undefined || Object.keys(given).length === 0 ? null : given
}

/** The candidate's answer to a context. */
interface Answer {
  readonly judgment: Judgment
  /** The judgment with its details; `null` when a jury did not finish. */
  readonly verdict: Verdict | null
  /** Set if there is no valid answer: the context could not be made, or the candidate failed. */
  readonly failure: ItemFailure | null
}

/** The candidate's answers to an item, and to the same with two places exchanged, mapped back. */
interface Answers {
  readonly answer: Answer
  readonly swapped: Answer | null
}

/** Shows the candidate an item, and the first time swapped too. Never rejects. */
async function askCandidate(
  settings: CalibrateSettings,
  item: DatasetItem,
  repetition: number,
  signal: AbortSignal,
): Promise<Answers> {
  let context: JudgmentContext
  try {
    const { askThrough } = settings
    context = withJudging(judgmentContext({ ...(await settings.input(item, signal)), signal }), {
      repetition,
      ...(askThrough && { askThrough }),
    })
  } catch (thrown) {
    return { answer: unasked(thrown, 'There is no context to judge', 'setup'), swapped: null }
  }
  const answer = await answerOf(settings, context)
  const { swap } = settings
  return { answer, swapped: swap === undefined || repetition > 1 ? null : await swappedAnswer(settings, swap, context) }
}

async function swappedAnswer(
  settings: CalibrateSettings,
  swap: NonNullable<CalibrateSettings['swap']>,
  context: JudgmentContext,
): Promise<Answer> {
  try {
    const answer = await answerOf(settings, swap(context))
    return { ...answer, judgment: settings.unswap(answer.judgment) }
  } catch (thrown) {
    return unasked(thrown, 'The context could not be swapped', 'hook')
  }
}

async function answerOf(
  { candidate, candidateName, judgeTimeoutMs }: CalibrateSettings,
  context: JudgmentContext,
): Promise<Answer> {
  let voted: Verdict | null = null
  const judge = isJury(candidate)
    ? async (given: JudgmentContext) => {
        voted = verdictFromJson(await candidate.vote(given))
        return voted.aggregated
      }
    : candidate
  const judgment = await runJudge(named(judge, candidateName), context, { timeoutMs: judgeTimeoutMs })
  const failure: ItemFailure | null =
    judgment.status === 'error' ? { ...judgment.failure, origin: 'jury', infrastructure: false } : null
  return { judgment, verdict: isJury(candidate) ? voted : verdictOf(judgment, candidateName), failure }
}

/** A lone judge as a jury of one. */
function verdictOf(judgment: Judgment, name: string): Verdict {
  return verdictFromJson({
    aggregated: judgment,
    individual: { [name]: judgment },
    weights: { [name]: 1 },
    subVerdicts: {},
    usage: judgment.usage ?? {},
    costUsd: judgment.costUsd,
    elapsedMs: judgment.elapsedMs ?? 0,
  })
}

function unasked(thrown: unknown, what: string, origin: ItemFailure['origin']): Answer {
  const failure = failureOf(thrown)
  return {
    judgment: error(`${what}: ${failure.message}`, thrown),
    verdict: null,
    failure: { ...failure, origin, infrastructure: false },
  }
}

/**
 * The judges below a verdict: the members of a jury; of a cascade those of every tier that ran, whichever tier decided, each by
 * `tier/judge`.
 */
export function membersOf({
  individual,
  subVerdicts,
  tiers,
}: Verdict): readonly (readonly [name: string, said: Judgment])[] {
  if (tiers === undefined) return Object.entries(individual)
  return Object.entries(subVerdicts).flatMap(([tier, verdict]) =>
    membersOf(verdict).map(([name, judgment]) => [`${tier}/${name}`, judgment] as const),
  )
}
