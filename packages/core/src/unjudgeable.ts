import { type Fault, faultIn } from './fault.js'
import { type Extras, type FailJudgment, fail, type Judgment } from './judgment.js'
import type { Check } from './judgment-record.js'
import { checkOptions, option } from './options.js'

const { anything } = option

/**
 * The agent left something that cannot be judged: a FAIL, and not an ERROR, for an agent may not choose to be undecided.
 * `not` keeps it a FAIL. `runJudge` makes one of whatever a judge throws because of the files of the judged workspace.
 *
 * @param fault `code`: what is wrong, the name of the check and `unjudgeable` in the metadata; `path`: where; the rest is
 * as in `fail`, and `checks` replaces the one check
 * @throws as `fail`
 *
 * @example
 * import { unjudgeable } from '@jurist/core'
 *
 * unjudgeable('answer.json is not JSON', { code: 'json-invalid', path: 'answer.json' })
 */
export function unjudgeable(reasoning: string, fault: Fault & Extras): FailJudgment {
  const { code, path, ...extras } = checkOptions('unjudgeable', fault, {
    code: option.string,
    path: option.string,
    checks: anything,
    metadata: anything,
    elapsedMs: anything,
    usage: anything,
    costUsd: anything,
  })
  const checks = extras.checks ?? [faultCheck(reasoning, path === undefined ? { code } : { code, path })]
  return fail(reasoning, { ...extras, checks, metadata: { ...extras.metadata, unjudgeable: code } })
}

/** Whether a judgment is a FAIL for what cannot be judged. */
export function isUnjudgeable({ status, metadata }: Judgment): boolean {
  return status === 'fail' && typeof metadata.unjudgeable === 'string'
}

/** The judgment; FAIL where it is an ERROR made of something that the agent is to blame for. */
export function withBlame(judgment: Judgment): Judgment {
  const fault = judgment.status === 'error' ? faultIn(judgment) : undefined
  if (fault === undefined || judgment.status !== 'error') return judgment
  const { status: _, failure: __, reasoning, checks, ...evidence } = judgment
  const isFound = checks.some(({ passed }) => !passed)
  return unjudgeable(reasoning, {
    ...evidence,
    ...fault,
    checks: isFound ? checks : [...checks, faultCheck(reasoning, fault)],
  })
}

function faultCheck(message: string, { code, path }: Fault): Check {
  const location = path === undefined || path.trim() === '' || path.startsWith('/') ? {} : { location: { path } }
  return { name: code, passed: false, message, ...location }
}
