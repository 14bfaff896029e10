import { cascade } from './cascade.js'
import { infoOf, type Judge } from './judge.js'
import type { Judgment } from './judgment.js'
import { assemble } from './judgment-record.js'
import { juryFrom, juryOf, voteSafely } from './jury.js'
import { isJury, type Jury, type Tiers } from './jury-member.js'
import { type Verdict, verdictOf } from './verdict.js'
import { consensus } from './votes/counting-votes.js'

// A jury that a second one joins under its own name. Both must pass: the joining jury can make the first one fail and
// can never make it pass.

export interface Joining {
  readonly name: string
  readonly jury: Jury
  /** Whether the joining jury judges first, and the other one only where it does not fail. Default `false`: both judge together. */
  readonly first?: boolean
}

/**
 * An abstention leaves the decision to the other jury. The joining jury becomes one more member of the verdict, and the
 * vote does not count it. In a cascade it becomes the first tier, which can end the cascade with a fail or an error, so
 * that expensive tiers run only where it passes or abstains.
 */
export function joinedJury(jury: Jury, { name, jury: joining, first: goesFirst = false }: Joining): Jury {
  const { tiers, members, timeoutMs, vote } = jury.parts ?? {}
  if (tiers !== undefined) {
    const first = { name, jury: joining, policy: 'reject-on-any-fail' }
    return cascade([first, ...tiers] as unknown as Tiers, { timeoutMs })
  }
  const info = infoOf(jury)
  const own = members ?? [{ name: info.name, judge: jury, weight: 1 }]
  const rebuilt = (change: (judge: Judge) => Judge) =>
    joinedJury(asJury(change(jury)), { name, jury: asJury(change(joining)), first: goesFirst })
  const parts = { ...(vote && { vote }), members: [...own, { name, judge: joining, weight: 1 }], rebuilt }
  return juryFrom(info.name, [jury, joining], parts, async (context) => {
    const startedAt = performance.now()
    const theirs = voteSafely(joining, name, context, undefined)
    if (goesFirst && (await theirs).judgment.status === 'fail') {
      const { judgment, verdict } = await theirs
      return verdictOf({
        aggregated: assemble(judgment, {
          ...judgment,
          reasoning: `${name}: ${judgment.reasoning}`,
          metadata: Object.freeze({ ...judgment.metadata, joined: name }),
        }),
        individual: { [name]: judgment },
        weights: { [name]: 1 },
        subVerdicts: verdict === undefined ? {} : { [name]: verdict },
        elapsedMs: performance.now() - startedAt,
      })
    }
    const [first, second] = await Promise.all([voteSafely(jury, info.name, context, undefined), theirs])
    const { individual = {}, weights = {}, subVerdicts = {} } = flatVerdict(first, info.name, name)
    return verdictOf({
      aggregated: joinedJudgment(first.judgment, { name, judgment: second.judgment }),
      individual: { ...individual, [name]: second.judgment },
      weights: { ...weights, [name]: 1 },
      subVerdicts: { ...subVerdicts, ...(second.verdict && { [name]: second.verdict }) },
      elapsedMs: performance.now() - startedAt,
    })
  })
}

function asJury(judge: Judge): Jury {
  return isJury(judge) ? judge : juryOf(consensus(), judge)
}

/** A verdict with tiers, or with a member of the same name, becomes a member itself. */
function flatVerdict(
  { judgment, verdict }: Awaited<ReturnType<typeof voteSafely>>,
  name: string,
  taken: string,
): Partial<Pick<Verdict, 'individual' | 'weights' | 'subVerdicts'>> {
  if (verdict === undefined) return { individual: { [name]: judgment }, weights: { [name]: 1 } }
  if (verdict.tiers === undefined && !Object.hasOwn(verdict.individual, taken)) return verdict
  return { individual: { [name]: judgment }, weights: { [name]: 1 }, subVerdicts: { [name]: verdict } }
}

/**
 * PASS if both pass, or if one passes and the other abstains. If the vote decides, its score is kept. `metadata.joined`
 * is the name of the joining jury.
 */
export function joinedJudgment(
  own: Judgment,
  { name, judgment }: { readonly name: string; readonly judgment: Judgment },
): Judgment {
  const both = [
    { name: 'jury', judgment: own, weight: 1 },
    { name, judgment, weight: 1 },
  ]
  const whole = consensus()(both)
  const metadata = Object.freeze({ ...own.metadata, joined: name })
  const said = `${name}: ${judgment.reasoning}`
  if (whole.status === own.status) {
    const isBoth = own.status === 'fail' && judgment.status === 'fail'
    return assemble(own, { ...own, metadata, reasoning: isBoth ? `${own.reasoning}; ${said}` : own.reasoning })
  }
  const { errorBounds } = whole.metadata
  return assemble(whole, {
    ...own,
    metadata: errorBounds === undefined ? metadata : Object.freeze({ ...metadata, errorBounds }),
    reasoning: said,
  })
}
