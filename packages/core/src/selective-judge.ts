import type { JudgmentContext } from './context.js'
import { giveInfo, identityOf, infoOf, type Judge, runJudge } from './judge.js'
import type { Judgment } from './judgment.js'
import { assemble } from './judgment-record.js'
import { juryOfOne, verdictOfOne, voteSafely } from './jury.js'
import {
  type Confidence,
  type ConfidentAnswer,
  isJury,
  type Jury,
  refuseJudge,
  type SelectiveOptions,
  selectiveRules,
} from './jury-member.js'
import { checkRequired, option } from './options.js'
import { besideThreshold } from './score.js'
import { type Verdict, verdictOf } from './verdict.js'

/**
 * Returns a judge, or a jury, that decides only where its confidence is high enough. Below the threshold it abstains,
 * with the failed check `confident` and the metadata `confidence`, `threshold` and `withheld` (the judgment it would
 * have returned). Abstentions and errors stay unchanged.
 *
 * @throws `judge-invalid`, `option-invalid`
 *
 * @example
 * import { selectiveJudge } from '@jurist/core'
 * import { correctness } from '@jurist/core/llm'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const model = scriptedModel('Answer: YES')
 * selectiveJudge(correctness({ model, options: { topLogprobs: 5 } }), { threshold: 0.9 })
 */
export function selectiveJudge(judge: Jury, options: SelectiveOptions): Jury
export function selectiveJudge(judge: Judge, options: SelectiveOptions): Judge
export function selectiveJudge(judge: Judge, options: SelectiveOptions): Judge {
  if (typeof judge !== 'function') return refuseJudge('selectiveJudge', judge)
  const given = checkRequired('selectiveJudge', options, selectiveRules, ['threshold'])
  const { threshold, confidence = ownConfidence(judge) } = given
  const info = identityOf(judge)
  const version = [info.version, confidence.name, confidence.version, `>= ${threshold}`].filter(Boolean).join(' ')
  const decide = async (context: JudgmentContext) => decidedBy(await confidence(judge, context), threshold)
  const made = isJury(judge)
    ? selectiveJury(judge, { threshold, confidence })
    : giveInfo(decide as Judge, { judges: [judge] })
  return giveInfo(made, { ...info, version })
}

export function ownConfidence(judge: Judge): Confidence {
  return isJury(judge) ? agreement() : declared()
}

function selectiveJury(inner: Jury, { threshold, confidence }: Required<SelectiveOptions>): Jury {
  return juryOfOne(
    'selective',
    inner,
    async (context) => {
      const answer = await confidence(inner, context)
      return { ...answer, judgment: decidedBy(answer, threshold) }
    },
    { again: (other) => selectiveJudge(other, { threshold, confidence }) },
  )
}

/**
 * The members keep their judgments; the aggregate abstains where the confidence is too low. A jury of one member has
 * the confidence of that member.
 */
export async function confidentVerdict(
  jury: Jury,
  context: JudgmentContext,
  { threshold, confidence }: SelectiveOptions,
): Promise<Verdict> {
  const startedAt = performance.now()
  const { tiers, members = [] } = jury.parts ?? {}
  const only = tiers === undefined && members.length === 1 ? members[0] : undefined
  const judge = only?.judge ?? jury
  const answer = await (confidence ?? ownConfidence(judge))(judge, context)
  const aggregated = decidedBy(answer, threshold)
  if (only === undefined && answer.verdict !== undefined) return verdictOf({ ...answer.verdict, aggregated })
  return verdictOfOne(only?.name ?? infoOf(jury).name, aggregated, answer, startedAt)
}

function decidedBy({ judgment, confidence, samples }: ConfidentAnswer, threshold: number): Judgment {
  const { status, reasoning, checks, metadata } = judgment
  if (status !== 'pass' && status !== 'fail') return judgment
  const known = { ...metadata, confidence, ...(samples > 1 ? { samples } : {}) }
  if (confidence >= threshold) return assemble(judgment, { ...judgment, metadata: Object.freeze(known) })
  const [shown, needed] = besideThreshold(confidence, threshold)
  const message = `confidence ${shown}, ${needed} needed`
  return assemble(
    { status: 'abstain' },
    {
      ...judgment,
      reasoning: `not sure enough to ${status}: ${message}. ${reasoning}`,
      checks: Object.freeze([...checks, Object.freeze({ name: 'confident', passed: false, message })]),
      metadata: Object.freeze({ ...known, threshold, withheld: status }),
    },
  )
}

/**
 * Uses the confidence that the judgment itself declares in `metadata.confidence`, or 0 without one. Models overrate
 * their own confidence; the probability of the answer (`topLogprobs` in the options of the judge) is more reliable.
 *
 * @example
 * import { declared } from '@jurist/core/confidence'
 *
 * const confidence = declared()
 */
export function declared(): Confidence {
  return async function declared(judge, context) {
    const answer = await answerOf(judge, context)
    const { confidence } = answer.judgment.metadata
    return { ...answer, confidence: option.rate.holds(confidence) ? Number(confidence) : 0, samples: 1 }
  }
}

/**
 * Uses the weighted share of a jury's members that agree with the jury. Members that abstain or break count against it.
 * A judge that is not a jury has no votes: 0.
 *
 * @example
 * import { agreement } from '@jurist/core/confidence'
 *
 * const confidence = agreement()
 */
export function agreement(): Confidence {
  return async function agreement(judge, context) {
    const answer = await answerOf(judge, context)
    const { individual = {}, weights = {} } = answer.verdict ?? {}
    let [agreeing, total] = [0, 0]
    for (const [name, { status }] of Object.entries(individual)) {
      const weight = weights[name] ?? 0
      total += weight
      if (status === answer.judgment.status) agreeing += weight
    }
    return { ...answer, confidence: total === 0 ? 0 : agreeing / total, samples: 1 }
  }
}

export async function answerOf(
  judge: Judge,
  context: JudgmentContext,
): Promise<{ readonly judgment: Judgment; readonly verdict?: Verdict }> {
  return isJury(judge)
    ? voteSafely(judge, infoOf(judge).name, context, undefined)
    : { judgment: await runJudge(judge, context) }
}
