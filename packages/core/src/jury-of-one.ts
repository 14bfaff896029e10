import type { JudgmentContext } from './context.js'
import { infoOf } from './judge.js'
import type { Judgment } from './judgment.js'
import { juryFrom } from './jury.js'
import type { Jury, JuryParts } from './jury-member.js'
import { isName } from './name.js'
import { type Verdict, verdictOf } from './verdict.js'

/** What a judge says, with its verdict where it is a jury. */
interface Said {
  readonly judgment: Judgment
  readonly verdict?: Verdict | undefined
}

/**
 * A jury around a jury, which votes once more: its one member is that jury, so that gates, which look at members, see the decision too,
 * and the verdict is kept below it.
 *
 * @param decide what the member says; `member` is its name
 * @param again the same around another jury
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

/** The verdict of one judge, whose own verdict is kept where it is a jury. */
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
