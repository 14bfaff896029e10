import { giveInfo, identityOf, type Judge, runJudge } from './judge.js'
import type { Judgment } from './judgment.js'
import { assemble } from './judgment-record.js'
import { juryOfOne, voteSafely } from './jury.js'
import { isJury, type Jury, refuseJudge } from './jury-member.js'
import { checkOptions, described, type OptionDescription, option } from './options.js'
import { boolean } from './score.js'

export const mustDecideOption: OptionDescription = described(
  option.oneOf('fail', 'error'),
  'What an abstention becomes. Default: it stays one.',
)

/** Options of `mustDecide`. */
export interface MustDecideOptions {
  /**
   * The status that replaces an abstention. Default `'fail'`: the agent must give the judge something to judge.
   * `'error'`: the judge itself has no answer, for example because the model's answer cannot be read, and the trial is
   * not decided.
   */
  readonly as?: 'fail' | 'error'
}

/**
 * Returns a judge, or a jury, that may not abstain. A vote ignores abstentions and a reject gate lets them pass. Where
 * that is not acceptable, this turns an abstention into a fail or an error, with the judge's own reasoning and a failed
 * check `mustDecide`. Other judgments stay unchanged. The verdict of a jury is kept below the member of its name.
 *
 * @throws `judge-invalid`, `option-invalid`
 *
 * @example
 * import { cascade, mustDecide, supersetOf } from '@jurist/core'
 * import { correctness } from '@jurist/core/llm'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const model = scriptedModel('Answer: YES')
 * cascade([
 *   { name: 'complete', jury: mustDecide(supersetOf()), policy: 'reject-on-any-fail' },
 *   { name: 'meaning', jury: mustDecide(correctness({ model }), { as: 'error' }), policy: 'final' },
 * ])
 */
export function mustDecide(judge: Jury, options?: MustDecideOptions): Jury
export function mustDecide(judge: Judge, options?: MustDecideOptions): Judge
export function mustDecide(judge: Judge, options?: MustDecideOptions): Judge {
  if (typeof judge !== 'function') return refuseJudge('mustDecide', judge)
  const { as = 'fail' } = checkOptions('mustDecide', options, { as: mustDecideOption })
  const info = identityOf(judge)
  const version = [info.version, `mustDecide: ${as}`].filter((part) => part !== undefined).join(', ')
  const made = isJury(judge) ? decidingJury(judge, as) : giveInfo(decidingJudge(judge, as), { judges: [judge] })
  return giveInfo(made, { ...info, version })
}

function decidingJudge(judge: Judge, as: 'fail' | 'error'): Judge {
  return async (context) => decided(await runJudge(judge, context), as)
}

function decidingJury(inner: Jury, as: 'fail' | 'error'): Jury {
  return juryOfOne(
    'mustDecide',
    inner,
    async (context, member) => {
      const { judgment, verdict } = await voteSafely(inner, member, context, undefined)
      return { judgment: decided(judgment, as), verdict }
    },
    { vote: { name: 'mustDecide', options: { as } }, again: (other) => mustDecide(other, { as }) },
  )
}

function decided(judgment: Judgment, as: 'fail' | 'error'): Judgment {
  if (judgment.status !== 'abstain') return judgment
  const { reasoning } = judgment
  const check = Object.freeze({ name: 'mustDecide', passed: false, message: `abstained, which counts as ${as}` })
  const head =
    as === 'fail'
      ? ({ status: 'fail', score: boolean(false) } as const)
      : ({ status: 'error', failure: Object.freeze({ name: 'Error', message: reasoning, code: 'abstained' }) } as const)
  return assemble(head, { ...judgment, checks: Object.freeze([...judgment.checks, check]) })
}
