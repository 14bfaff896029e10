import { type Fault, faultIn } from './fault.js'
import { type AbstainJudgment, abstain, type Extras, type FailJudgment, fail, type Judgment } from './judgment.js'
import type { Check } from './judgment-record.js'
import { checkOptions, option } from './options.js'

const { anything } = option

/**
 * Creates a FAIL for something that cannot be judged because of what the agent left. It is not an ERROR, because an
 * agent must not be able to choose to be undecided. `not` leaves it a FAIL. `runJudge` creates one when a judge throws
 * because of the files of the judged workspace.
 *
 * @param fault `code`: the problem, the name of the check and `unjudgeable` in the metadata; `path`: where; the rest is
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

export function isUnjudgeable({ status, metadata }: Judgment): boolean {
  return status === 'fail' && typeof metadata.unjudgeable === 'string'
}

/** An ERROR becomes a FAIL if the agent is to blame for its cause. */
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

export function withoutReference(): AbstainJudgment {
  return abstain(
    'there is no reference to compare with: give the context a "reference" (a directory), or the item the directory "reference"',
  )
}

export function withoutExpectedOutput(): AbstainJudgment {
  return abstain(
    'there is no expected output to compare with: give the context an "expectedOutput", or the item one in "expectedOutput"',
  )
}
