import type { Judgment, Verdict } from '@jurist/core'
import { isJury, totalCost } from '@jurist/core/internal'
import type { DatasetItem } from '../dataset/item.js'
import type { ItemFailure, ItemResult } from '../result/records.js'
import { sumUsage } from '../result/summarize.js'
import { now } from '../run/event-log.js'
import { type Answers, askCandidate } from './ask-candidate.js'
import type { CalibrateSettings } from './calibrate-options.js'
import { type KeptFacts, withFacts } from './kept-facts.js'
import { failed, type Scoring, scoringBy, unscored } from './scorer.js'

/** What a judgment of one item is scored against. */
interface Yardstick {
  readonly label: string | null
  readonly score: (judgment: Judgment) => Scoring
}

/** Puts one item before the candidate and scores what it says. Never rejects: every step is isolated. */
export async function calibrationTrial(
  settings: CalibrateSettings,
  item: DatasetItem,
  repetition: number,
  signal: AbortSignal,
): Promise<ItemResult> {
  const startedAt = now()
  const startedMs = performance.now()
  const answers = await askCandidate(settings, item, repetition, signal)
  const juryMs = performance.now() - startedMs
  const { answer, swapped } = answers
  const yardstick = yardstickOf(settings, item)
  const unasked = answer.failure?.origin === 'setup'
  const scoring = unasked ? notAsked(answer.failure) : yardstick.score(answer.judgment)
  const facts = keptFacts(settings, item, answers, yardstick)
  const { result } = scoring
  const failure: ItemFailure | null = answer.failure ?? ownFailure(scoring) ?? ownFailure(facts)
  return {
    ...identityOf(item),
    repetition,
    agent: unasked ? 'setup-error' : 'completed',
    judged: unasked ? 'not-judged' : answer.judgment.status,
    passed: result.scored ? result.match : null,
    failure,
    attempts: [],
    startedAt,
    endedAt: now(),
    durationMs: performance.now() - startedMs,
    setupMs: 0,
    agentMs: 0,
    juryMs,
    usage: null,
    judgeUsage: sumUsage([answer.verdict?.usage ?? answer.judgment.usage, swapped?.verdict?.usage]),
    // No agent was asked: nothing was spent on one.
    costUsd: 0,
    judgeCostUsd: totalCost([answer.verdict?.costUsd ?? answer.judgment.costUsd, swapped?.verdict?.costUsd]) ?? null,
    scores: result.scored ? { agreement: result.score } : {},
    efficiency: null,
    verdict: answer.verdict,
    detail: {
      kind: 'judge',
      judgment: answer.judgment,
      expectedLabel: yardstick.label,
      scorer: result,
      swapped: swapped?.judgment ?? null,
    },
    ...nothingKept,
    metadata: withFacts(item.metadata, facts.value),
  }
}

/** The candidate could not be asked: `input` threw. */
function notAsked(failure: ItemFailure | null): Scoring {
  return { result: unscored('scorer-error', failure?.message ?? ''), failure }
}

const nothingKept = { workspacePath: null, referencePath: null, beforePath: null, journalPath: null } as const

function identityOf({ id, slug, hash, bucket, taskType, tags, task }: DatasetItem) {
  return { itemId: id, itemSlug: slug, itemHash: hash, bucket, taskType, tags, task }
}

/** The label of an item; without one that can be had, nothing of it is scored. */
function yardstickOf({ expected, scorer }: CalibrateSettings, item: DatasetItem): Yardstick {
  try {
    const label: unknown = expected(item)
    if (label !== null && typeof label !== 'string') throw new TypeError('"expected" must give a text or null.')
    return { label, score: (actual) => scoringBy(scorer, { item, actual, expectedLabel: label }) }
  } catch (thrown) {
    return { label: null, score: () => failed(thrown) }
  }
}

function ownFailure({ failure }: Pick<Scoring, 'failure'>): ItemFailure | null {
  return failure === null ? null : { ...failure, origin: 'hook', infrastructure: false }
}

/** What the report needs beside the judgment. A function of the caller's that throws leaves out what it should have given. */
function keptFacts(
  { candidate, cluster, annotators }: CalibrateSettings,
  item: DatasetItem,
  { answer, swapped }: Answers,
  { score }: Yardstick,
): { readonly value: KeptFacts; readonly failure: Scoring['failure'] } {
  const members = isJury(candidate) && answer.verdict !== null ? membersOf(answer.verdict) : null
  const facts = {
    members:
      members === null ? null : Object.fromEntries(members.map(([name, judgment]) => [name, matchOf(score(judgment))])),
    swapped: swapped === null ? null : score(swapped.judgment).result,
  }
  try {
    const value = { ...facts, cluster: cluster?.(item) ?? null, annotators: ratedBy(annotators, item) }
    return { value, failure: null }
  } catch (thrown) {
    return { value: { ...facts, cluster: null, annotators: null }, failure: failed(thrown).failure }
  }
}

/** What annotators said of an item; `null`: none did. */
function ratedBy(annotators: CalibrateSettings['annotators'], item: DatasetItem): KeptFacts['annotators'] {
  const given: ReturnType<typeof annotators> | null | undefined = annotators(item)
  return given === null || given === undefined || Object.keys(given).length === 0 ? null : given
}

/**
 * The judges below a verdict: the seats of a jury; of a cascade those of every tier that ran, whichever tier decided, each by
 * `tier/judge`.
 */
function membersOf({ individual, subVerdicts, tiers }: Verdict): readonly (readonly [name: string, said: Judgment])[] {
  if (tiers === undefined) return Object.entries(individual)
  return Object.entries(subVerdicts).flatMap(([tier, verdict]) =>
    membersOf(verdict).map(([name, judgment]) => [`${tier}/${name}`, judgment] as const),
  )
}

function matchOf({ result }: Scoring): boolean | null {
  return result.scored ? result.match : null
}
