import { failureOf, JuristError } from './errors.js'
import { keepFault } from './fault.js'
import {
  type AbstainJudgment,
  buildJudgment,
  contradiction,
  type ErrorJudgment,
  type Extras,
  type FailJudgment,
  type Judgment,
  judgmentInvalid,
  type PassJudgment,
  type ScoredExtras,
} from './judgment-record.js'
import { checkOptions, option, optionInvalid } from './options.js'
import { besideThreshold, boolean, meets, normalize, numerical, readScore, type Score } from './score.js'

export type {
  AbstainJudgment,
  ErrorJudgment,
  Extras,
  FailJudgment,
  Judgment,
  PassJudgment,
  ScoredExtras,
} from './judgment-record.js'

const { anything } = option

/**
 * Creates a PASS: the subject is right.
 *
 * @param extras `score` defaults to `boolean(true)`
 * @throws `judgment-invalid` (a boolean score that contradicts, bad evidence), `score-invalid`, `metadata-invalid`
 *
 * @example
 * import { pass } from '@jurist/core'
 *
 * pass('all 12 tests passed', { metadata: { tests: 12 } })
 */
export function pass(reasoning: string, extras?: ScoredExtras): PassJudgment {
  return decided('pass', reasoning, extras)
}

/**
 * Creates a FAIL: the subject falls short. As `pass`, with `score` defaulting to `boolean(false)`.
 *
 * @example
 * import { fail } from '@jurist/core'
 *
 * fail('2 of 5 files match', { score: 0.4 })
 */
export function fail(reasoning: string, extras?: ScoredExtras): FailJudgment {
  return decided('fail', reasoning, extras)
}

/**
 * Creates an abstention: there is nothing to judge. The reasoning must not be blank.
 *
 * @example
 * import { abstain } from '@jurist/core'
 *
 * abstain('no reference to compare with')
 */
export function abstain(reasoning: string, extras?: Extras): AbstainJudgment {
  return buildJudgment({ status: 'abstain' }, said(reasoning), checkExtras('abstain', extras))
}

/**
 * Creates an ERROR: the judge itself is broken. The reasoning must not be blank. `runJudge` turns it into a FAIL when
 * the cause is an error from reading the judged workspace.
 *
 * @param cause the thrown value; becomes `failure`
 *
 * @example
 * import { error, type Judgment } from '@jurist/core'
 *
 * export const unanswered = (thrown: unknown): Judgment => error('the model did not answer', thrown)
 */
export function error(reasoning: string, cause?: unknown, extras?: Extras): ErrorJudgment {
  const failure = cause === undefined ? Object.freeze({ name: 'Error', message: reasoning }) : failureOf(cause)
  const judgment = buildJudgment({ status: 'error', failure }, said(reasoning), checkExtras('error', extras))
  keepFault(judgment, cause)
  return judgment
}

/**
 * Passes or fails by a score: passes when the normalised score reaches `passingAt` (inclusive).
 *
 * @param options `passingAt` within [0, 1]; `reasoning` defaults to a sentence with the score and `passingAt`
 * @throws `score-not-numeric` for a label without number, `option-invalid`, and as `pass`
 *
 * @example
 * import { numerical, scored } from '@jurist/core'
 *
 * scored(numerical(7, { max: 10 }), { passingAt: 0.6 })
 */
export function scored(
  score: Score | number,
  options: Extras & { readonly passingAt: number; readonly reasoning?: string },
): PassJudgment | FailJudgment {
  const { passingAt, reasoning, ...extras } = checkOptions('scored', options, {
    ...extrasRules,
    passingAt: option.rate,
    reasoning: option.string,
  })
  if (passingAt === undefined) return optionInvalid('passingAt', 'scored: give "passingAt", a number from 0 to 1.')
  const measured = scoreOf(score)
  const value = normalize(measured)
  if (value === undefined)
    throw new JuristError(
      'score-not-numeric',
      `The label ${JSON.stringify(measured.value)} has no number. Give it one in "scale".`,
      { value: String(measured.value) },
    )
  const passed = meets(value, passingAt)
  const [shown, needed] = besideThreshold(value, passingAt)
  const text = reasoning ?? `scored ${shown}, ${needed} needed`
  return decided(passed ? 'pass' : 'fail', text, { ...extras, score: measured })
}

/**
 * Returns the judgment as one number: its score on [0, 1], or 1 for pass and 0 for fail without a score; `undefined`
 * for abstain and error.
 *
 * @example
 * import { effectiveScore, fail, pass } from '@jurist/core'
 *
 * effectiveScore(pass('tidy', { score: 0.8 })) // 0.8
 * effectiveScore(fail('missing')) // 0
 */
export function effectiveScore(judgment: Judgment): number | undefined {
  switch (judgment.status) {
    case 'pass':
      return normalize(judgment.score) ?? 1
    case 'fail':
      return normalize(judgment.score) ?? 0
    case 'abstain':
    case 'error':
      return undefined
    default:
      return judgment satisfies never
  }
}

/** Only the names are checked here. The values are checked where the judgment is built. */
const extrasRules = {
  checks: anything,
  metadata: anything,
  elapsedMs: anything,
  usage: anything,
  costUsd: anything,
}
const scoredRules = { ...extrasRules, score: anything }

function checkExtras(where: string, extras: Extras | undefined): Extras | undefined {
  return extras && checkOptions(where, extras, extrasRules)
}

function decided<Status extends 'pass' | 'fail'>(
  status: Status,
  reasoning: string,
  given: ScoredExtras | undefined,
): Judgment & { readonly status: Status } {
  if (typeof reasoning !== 'string') return judgmentInvalid(['reasoning'], 'must be a string')
  const extras = given && checkOptions(status, given, scoredRules)
  const score = extras?.score === undefined ? boolean(status === 'pass') : scoreOf(extras.score)
  contradiction(status, score, ['score'], judgmentInvalid)
  return buildJudgment({ status, score }, reasoning, extras)
}

function scoreOf(score: Score | number): Score {
  return typeof score === 'number' ? numerical(score) : readScore(score)
}

function said(reasoning: string): string {
  return typeof reasoning === 'string' && reasoning.trim() !== ''
    ? reasoning
    : judgmentInvalid(['reasoning'], 'must be a non-blank string')
}

export function concluded(holds: boolean, reasoning: string, extras: ScoredExtras): Judgment {
  return (holds ? pass : fail)(reasoning, extras)
}
