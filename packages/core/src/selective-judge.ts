import { marked } from './beside.js'
import { freeze } from './brand.js'
import { type Confidence, type ConfidentAnswer, type SelectiveOptions, selectiveRules } from './confident-answer.js'
import type { JudgmentContext } from './context.js'
import { giveInfo, infoOf, type Judge, type JudgeInfo, runJudge } from './judge.js'
import { abstain, type Judgment } from './judgment.js'
import { assemble } from './judgment-record.js'
import { juryFrom, voteSafely } from './jury.js'
import { isJury, type Jury, refuseJudge } from './jury-member.js'
import { juryPartsOf } from './jury-parts.js'
import { isName } from './name.js'
import { checkRequired } from './options.js'
import { type Verdict, verdictOf } from './verdict.js'

/**
 * A judge, or a jury, that decides only where it is sure. Below the threshold it abstains, with the failed check `confident`
 * and the metadata `confidence`, `threshold` and `withheld`: what it would have said. Abstentions and errors stay what they are.
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
  if (typeof judge !== 'function') return refuseJudge('selectiveJudge')
  const given = checkRequired('selectiveJudge', options, selectiveRules, ['threshold'])
  const { threshold, confidence = ownConfidence(judge) } = given
  const info = infoOf(judge)
  const source = confidence.version === undefined ? confidence.name : `${confidence.name} ${confidence.version}`
  const version = [info.version, `confidence: ${source} >= ${threshold}`]
    .filter((part) => part !== undefined)
    .join(', ')
  const selective = { threshold, confidence }
  const made = isJury(judge)
    ? selectiveJury(judge, info, selective)
    : marked(async (context: JudgmentContext) => decidedBy(await confidence(judge, context), threshold), [judge])
  return giveInfo(made, { ...info, version })
}

/** The confidence of a judge that says its own: the share of the votes of a jury, else what the judgment declares. */
export function ownConfidence(judge: Judge): Confidence {
  return isJury(judge) ? agreement() : declared()
}

/** A jury of one member, so that the verdict of the jury is kept below it. */
function selectiveJury(inner: Jury, { name }: JudgeInfo, { threshold, confidence }: Required<SelectiveOptions>): Jury {
  const member = isName(name) ? name : 'jury'
  const rebuilt = (change: (judge: Judge) => Judge) => selectiveJudge(change(inner) as Jury, { threshold, confidence })
  const vote = { name: 'selective', options: { threshold, confidence: confidence.name } }
  const parts = { vote, members: [{ name: member, judge: inner, weight: 1 }], rebuilt }
  return juryFrom('selective', [inner], parts, async (context) => {
    const startedAt = performance.now()
    const answer = await confidence(inner, context)
    const aggregated = decidedBy(answer, threshold)
    return verdictOf({
      aggregated,
      individual: { [member]: aggregated },
      weights: { [member]: 1 },
      subVerdicts: answer.verdict === undefined ? {} : { [member]: answer.verdict },
      elapsedMs: performance.now() - startedAt,
    })
  })
}

/**
 * The verdict of a jury that decides only where it is sure: its members keep what they said, and the aggregate abstains where the
 * confidence is too low. A jury of one member is that member.
 */
export async function confidentVerdict(
  jury: Jury,
  context: JudgmentContext,
  { threshold, confidence }: SelectiveOptions,
): Promise<Verdict> {
  const startedAt = performance.now()
  const parts = juryPartsOf(jury)
  const only = parts?.tiers === undefined && parts?.members.length === 1 ? parts.members[0] : undefined
  const judge = only?.judge ?? jury
  const answer = await (confidence ?? ownConfidence(judge))(judge, context)
  const aggregated = decidedBy(answer, threshold)
  const elapsedMs = performance.now() - startedAt
  if (only === undefined && answer.verdict !== undefined) {
    const { individual, weights, subVerdicts, tiers } = answer.verdict
    return verdictOf({ aggregated, individual, weights, subVerdicts, elapsedMs, ...(tiers && { tiers }) })
  }
  const name = only?.name ?? infoOf(jury).name
  return verdictOf({
    aggregated,
    individual: { [name]: answer.judgment },
    weights: { [name]: 1 },
    subVerdicts: answer.verdict === undefined ? {} : { [name]: answer.verdict },
    elapsedMs,
  })
}

/** The judgment with its confidence, where that reaches the threshold; else an abstention that keeps what was withheld. */
function decidedBy(answer: ConfidentAnswer, threshold: number): Judgment {
  const { judgment, confidence, samples } = answer
  const { status, reasoning, checks, metadata, usage, costUsd } = judgment
  if (status !== 'pass' && status !== 'fail') return judgment
  const known = { ...metadata, confidence, ...(samples > 1 ? { samples } : {}) }
  const spent = { ...(usage && { usage }), ...(costUsd !== undefined && { costUsd }) }
  if (confidence >= threshold) return assemble(judgment, { ...judgment, metadata: freeze(known) })
  const message = `confidence ${shown(confidence)}, ${shown(threshold)} needed`
  return abstain(`not sure enough to ${status}: ${message}. ${reasoning}`, {
    checks: [...checks, { name: 'confident', passed: false, message }],
    metadata: { ...known, threshold, withheld: status },
    ...spent,
  })
}

function shown(confidence: number): string {
  return String(Number(confidence.toFixed(3)))
}

/**
 * What the judgment itself declares in `metadata.confidence`: 0 where it declares none. A model's own word is overconfident;
 * the probability of its answer (`topLogprobs` in the options of the judge) is better.
 *
 * @example
 * import { declared } from '@jurist/core/confidence'
 *
 * const confidence = declared()
 */
export function declared(): Confidence {
  return async function declared(judge, context) {
    const { judgment, verdict } = await answerOf(judge, context)
    const { confidence } = judgment.metadata
    const isRate = typeof confidence === 'number' && confidence >= 0 && confidence <= 1
    return { judgment, confidence: isRate ? confidence : 0, samples: 1, ...(verdict && { verdict }) }
  }
}

/**
 * The weighted share of a jury's members that say what the jury says. Members that abstain or break count against it. A judge
 * that is no jury declares its own confidence.
 *
 * @example
 * import { agreement } from '@jurist/core/confidence'
 *
 * const confidence = agreement()
 */
export function agreement(): Confidence {
  return async function agreement(judge, context) {
    const { judgment, verdict } = await answerOf(judge, context)
    if (verdict === undefined) return { judgment, confidence: 0, samples: 1 }
    const names = Object.keys(verdict.individual)
    const weightOf = (counted: readonly string[]) =>
      counted.reduce((sum, name) => sum + (verdict.weights[name] ?? 0), 0)
    const agreeing = names.filter((name) => verdict.individual[name]?.status === judgment.status)
    const total = weightOf(names)
    return { judgment, confidence: total === 0 ? 0 : weightOf(agreeing) / total, samples: 1, verdict }
  }
}

/** The judgment of a judge, with its verdict where it is a jury. */
export async function answerOf(
  judge: Judge,
  context: JudgmentContext,
): Promise<{ readonly judgment: Judgment; readonly verdict?: Verdict }> {
  return isJury(judge)
    ? voteSafely(judge, infoOf(judge).name, context, undefined)
    : { judgment: await runJudge(judge, context) }
}
