import { areMixed, withCommandsBeside } from './commands-beside.js'
import { JuristError } from './errors.js'
import { flatten } from './explain.js'
import { commonKind, giveInfo, identityOf, type Judge, runApart, runJudge, runWithin } from './judge.js'
import { ownContextOf } from './judge-workspace.js'
import { abstain, concluded, fail, type Judgment, pass } from './judgment.js'
import { assemble } from './judgment-record.js'
import { isJury, type Jury, refuseJudge } from './jury-member.js'
import { isUnjudgeable } from './unjudgeable.js'
import { totalSpent } from './usage.js'
import { anyScore, withErrorBounds } from './votes/vote.js'

/**
 * Passes when every judge passes. The judges run one after another; the first that does not pass decides, and later
 * ones do not run. Checks of all judges that ran are kept.
 *
 * @throws `judges-empty` without a judge, `judge-invalid`
 *
 * @example
 * import { allOf, fileExists } from '@jurist/core'
 *
 * allOf(fileExists('package.json'), fileExists('README.md'))
 */
export function allOf(...judges: readonly Judge[]): Judge {
  return combined('allOf', judges, async (ran) => {
    for await (const judgment of ran) if (judgment.status !== 'pass') return judgment
    return pass(`${judges.length} of ${judges.length} passed`)
  })
}

/**
 * Passes when one judge passes. The judges run one after another; the first pass decides, and later ones do not run.
 * Without a pass: error if any judge errored, since it might have passed; otherwise fail if any failed; otherwise
 * abstain.
 *
 * @throws `judges-empty` without a judge, `judge-invalid`
 *
 * @example
 * import { anyOf, fileExists } from '@jurist/core'
 *
 * anyOf(fileExists('README.md'), fileExists('readme.md'))
 */
export function anyOf(...judges: readonly Judge[]): Judge {
  return combined('anyOf', judges, async (ran) => {
    const others: Judgment[] = []
    const first = (status: Judgment['status']) => others.find((judgment) => judgment.status === status)
    for await (const judgment of ran) {
      if (judgment.status === 'pass')
        return first('error') === undefined ? judgment : withErrorBounds(judgment, anyScore)
      others.push(judgment)
    }
    const broken = first('error')
    if (broken !== undefined) return broken
    if (first('fail') === undefined) return abstain(`none of ${judges.length} could decide`)
    const { metadata } = others.find(isUnjudgeable) ?? {}
    return fail(`0 of ${judges.length} passed`, metadata && { metadata: { unjudgeable: metadata.unjudgeable } })
  })
}

/**
 * Turns pass into fail and fail into pass. Abstentions and errors stay unchanged. So does a fail because of something
 * that cannot be judged (`unjudgeable` in its metadata), including one of a single judge of a jury.
 *
 * @throws `judge-invalid`
 *
 * @example
 * import { fileExists, not } from '@jurist/core'
 *
 * not(fileExists('TODO.md'))
 */
export function not(judge: Judge): Judge {
  if (typeof judge !== 'function') return refuseJudge('not', judge)
  const turned: Judge = async (context) => {
    let kept = false
    const inner = await runJudge(isJury(judge) ? watched(judge, (found) => (kept = found)) : judge, context)
    if (inner.status === 'abstain' || inner.status === 'error') return inner
    if (inner.status === 'fail' && (kept || isUnjudgeable(inner))) return inner
    const passed = inner.status === 'fail'
    const extras = { checks: [{ name: 'not', passed, message: inner.reasoning }], ...totalSpent([inner]) }
    return concluded(passed, `not: ${inner.reasoning}`, extras)
  }
  return giveInfo(turned, { name: 'not', kind: commonKind([judge]), judges: [judge] })
}

function watched(jury: Jury, tell: (found: boolean) => void): Judge {
  const judge: Judge = async (context) => {
    const verdict = await jury.vote(context)
    tell(flatten(verdict).some(({ judgment }) => isUnjudgeable(judgment)))
    return verdict.aggregated
  }
  return giveInfo(judge, identityOf(jury))
}

/**
 * Runs judges in one copy of the workspace, one after another, so that a later judge sees the files that an earlier one
 * built. Elsewhere each judge runs commands in its own copy. The first judge that does not pass decides, and later ones
 * do not run; when all pass, the judgment is that of the last one. Checks of all judges that ran are kept. Judges
 * inside a combination or a jury among the members get copies of their own, made from this one.
 *
 * @throws `judges-empty` without a judge, `judge-invalid`
 *
 * @example
 * import { fileExists, inOneCopy, type Judge, withInfo } from '@jurist/core'
 *
 * const make: Judge = async ({ workspace }) => (await workspace.run('make')).exitCode === 0
 * inOneCopy(withInfo(make, { runsCommands: true }), fileExists('dist/app.js'))
 */
export function inOneCopy(...judges: readonly Judge[]): Judge {
  const sequence = combined(
    'inOneCopy',
    judges,
    async (ran) => {
      let last: Judgment | undefined
      for await (const judgment of ran) {
        last = judgment
        if (judgment.status !== 'pass') break
      }
      return last ?? abstain('no judge ran')
    },
    runWithin,
  )
  const judge: Judge = async (context) => {
    const own = ownContextOf(context)
    return own.end(await runWithin(sequence, own.context, undefined))
  }
  return giveInfo(judge, { name: 'inOneCopy', kind: commonKind(judges), judges })
}

function combined(
  name: string,
  judges: readonly Judge[],
  decide: (ran: AsyncIterable<Judgment>) => Promise<Judgment>,
  run: typeof runWithin = runApart,
): Judge {
  if (judges.length === 0)
    throw new JuristError('judges-empty', `${name}: no judges. Pass at least one.`, { where: name })
  const wrong = judges.find((judge) => typeof judge !== 'function')
  if (judges.some((judge) => typeof judge !== 'function')) return refuseJudge(name, wrong)
  const isMixed = areMixed(judges)
  const judge: Judge = async (given) => {
    const context = isMixed ? withCommandsBeside(given) : given
    const ran: Judgment[] = []
    const asking = async function* () {
      for (const member of judges) {
        const judgment = await run(member, context, undefined)
        ran.push(judgment)
        yield judgment
      }
    }
    return withEvidence(await decide(asking()), ran)
  }
  return giveInfo(judge, { name, kind: commonKind(judges), judges })
}

function withEvidence(decision: Judgment, ran: readonly Judgment[]): Judgment {
  const { reasoning, metadata } = decision
  const checks = Object.freeze(ran.flatMap((judgment) => judgment.checks))
  return assemble(decision, { reasoning, checks, metadata, ...totalSpent(ran) })
}
