import type { JudgmentContext } from './context.js'
import { infoOf } from './judge.js'
import type { Judgment } from './judgment.js'
import { juryFrom } from './jury.js'
import type { Jury, JuryParts } from './jury-member.js'
import { isName } from './name.js'
import { type Verdict, verdictOf } from './verdict.js'

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
