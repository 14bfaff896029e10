import { flatten, type JudgmentStatus, type Verdict } from '@jurist/core'
import type { Trial, TrialStage } from './trial-figures.js'

/**
 * The checks of all judges of a trial by `judge > check`: the check's score, else 1 for passed and 0 for failed. `null`: no
 * judge gave any.
 */
export function trialChecks(trial: Trial): Readonly<Record<string, number>> | null {
  if (!('verdict' in trial)) return trial.checks
  const { verdict } = trial
  if (verdict === null || !hasChecks(verdict)) return null
  const numbers: Record<string, number> = {}
  for (const { path, kind, judgment } of flatten(verdict)) {
    if (kind !== 'judge') continue
    for (const { name, passed, score } of judgment.checks)
      numbers[`${path.slice(1)} > ${name}`] = score ?? Number(passed)
  }
  return numbers
}

/** Whether any judge gave checks: most verdicts need not be taken apart. */
function hasChecks({ individual, subVerdicts }: Verdict): boolean {
  for (const name in individual) if ((individual[name]?.checks.length ?? 0) > 0) return true
  return Object.values(subVerdicts).some(hasChecks)
}

/**
 * The status of each tier (of a cascade) or seat (of any other jury) in a trial, in the order of the jury; `[]` without a
 * verdict.
 */
export function trialStages(trial: Trial): readonly TrialStage[] {
  if (!('verdict' in trial)) return trial.stages
  const { verdict } = trial
  if (verdict === null) return []
  const { tiers, subVerdicts, individual } = verdict
  return tiers === undefined
    ? Object.entries(individual).map(([name, { status }]) => ({ name, status }))
    : tiers.map(({ name }) => ({ name, status: subVerdicts[name]?.aggregated.status ?? null }))
}

/** Whether a trial failed by a judge whose command was out of time. */
export function judgeTimedOut(trial: Trial): boolean {
  if (!('verdict' in trial)) return trial.judgeTimedOut
  if (trial.verdict === null || trial.passed !== false) return false
  return flatten(trial.verdict).some(
    ({ kind, judgment }) =>
      kind === 'judge' && judgment.status === 'fail' && judgment.metadata['status'] === 'timed-out',
  )
}

/** The status of each judge in a trial, by its path, in the order of the jury; `{}` without a verdict. */
export function trialJudges(trial: Trial): Readonly<Record<string, JudgmentStatus>> {
  if (!('verdict' in trial)) return trial.judges
  if (trial.verdict === null) return {}
  const said: Record<string, JudgmentStatus> = {}
  for (const { kind, path, judgment } of flatten(trial.verdict))
    if (kind === 'judge') said[path.slice(1)] = judgment.status
  return said
}

/**
 * Whether a trial failed although no judge that took part in the decision failed it: a vote whose `onError` counts errors
 * as fails does this. In a cascade only the deciding tier counts.
 */
export function failedByError(trial: Trial): boolean {
  if (!('verdict' in trial)) return trial.failedByError
  return trial.verdict !== null && trial.passed === false && brokeToFail(trial.verdict)
}

function brokeToFail(verdict: Verdict): boolean {
  const { individual, subVerdicts, tiers } = verdict
  const last = tiers?.findLast(({ name }) => Object.hasOwn(subVerdicts, name))
  const decided = last === undefined ? undefined : subVerdicts[last.name]
  if (decided !== undefined) return brokeToFail(decided)
  const said = new Set(
    Object.entries(individual).map(([name, { status }]) => {
      const below = Object.hasOwn(subVerdicts, name) ? subVerdicts[name] : undefined
      return status === 'fail' && below !== undefined && brokeToFail(below) ? 'error' : status
    }),
  )
  return said.has('error') && !said.has('fail')
}

/**
 * The part of the machine that may have been missing when a trial failed, such as a tool or the network, according to the
 * output of a judge's command; `null` if no output mentions it. The code under test may have printed it: treat it as an
 * untrusted hint.
 */
export function trialEnvironmentProblem(trial: Trial): string | null {
  if (!('verdict' in trial)) return trial.environmentProblem
  if (trial.verdict === null || trial.passed !== false) return null
  for (const { kind, judgment } of flatten(trial.verdict)) {
    const problem = kind === 'judge' && judgment.status === 'fail' ? judgment.metadata['environmentProblem'] : undefined
    if (typeof problem === 'string' && problem !== '') return problem
  }
  return null
}
