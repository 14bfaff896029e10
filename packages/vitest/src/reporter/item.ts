import { createHash } from 'node:crypto'
import { abstain, fail, type Judgment, pass, type Verdict, verdictFromJson } from '@jurist/core'
import { totalCost, totalUsage } from '@jurist/core/internal'
import { trialWith } from '@jurist/experiment/internal/results'
import { type ItemResult, scoresOf } from '@jurist/experiment/result'
import type { JuristAssertion } from '../task-meta.js'

const maxLength = 120

/**
 * The item id of a test, from its file and full name. Characters that ids may not contain are replaced, and long names cut; then
 * eight digits of a hash make the id unique.
 */
function itemIdOf(whole: string): string {
  const plain = whole.replace(/[\u0000-\u001f\u007f-\u009f/\\]/g, '_')
  if (plain === whole && plain.length <= maxLength) return plain
  const digest = createHash('sha256').update(whole).digest('hex').slice(0, 8)
  return `${[...plain].slice(0, maxLength - 9).join('')}-${digest}`
}

/** The result of a test, as Vitest reports it. */
interface TestOutcome {
  readonly state: 'passed' | 'failed' | 'skipped' | 'pending'
  /** The messages of its errors. */
  readonly errors: readonly string[]
  readonly durationMs: number
}

/**
 * Converts a test to a verdict. The aggregated judgment is Vitest's result; the individual ones are `test` and, by
 * name, each judge and jury of the test.
 */
function verdictOfTest(outcome: TestOutcome, answers: readonly JuristAssertion[]): Verdict {
  const whole = judgmentOf(outcome)
  const individual: Record<string, Judgment> = { test: whole }
  const subVerdicts: Record<string, Verdict> = {}
  for (const { name, judgment, verdict } of answers) {
    const free = freeName(name.slice(0, 56) || 'judge', individual)
    individual[free] = judgment
    if (verdict !== undefined) subVerdicts[free] = verdict
  }
  const spenders = answers.map(({ judgment, verdict }) => verdict ?? judgment)
  const costUsd = totalCost(spenders.map((spender) => spender.costUsd))
  return verdictFromJson({
    aggregated: whole,
    individual,
    weights: Object.fromEntries(Object.keys(individual).map((name) => [name, 1])),
    subVerdicts,
    usage: totalUsage(spenders.map((spender) => spender.usage)),
    costUsd,
    elapsedMs: outcome.durationMs,
  })
}

function judgmentOf({ state, errors }: TestOutcome): Judgment {
  switch (state) {
    case 'passed':
      return pass('the test passed')
    case 'failed':
      return fail(errors.join('\n') || 'the test failed')
    case 'skipped':
      return abstain('the test was skipped')
    case 'pending':
      return abstain('the test did not run')
    default:
      return state satisfies never
  }
}

function freeName(wanted: string, taken: { readonly [name: string]: Judgment }): string {
  if (!Object.hasOwn(taken, wanted)) return wanted
  for (let count = 2; ; count++) if (!Object.hasOwn(taken, `${wanted}-${count}`)) return `${wanted}-${count}`
}

/** The data of a Vitest test that the reporter uses. */
export interface RunTest {
  /** Relative to the root of the project. */
  readonly file: string
  readonly fullName: string
  readonly project: string
  readonly outcome: TestOutcome
  /** The start of the test, in milliseconds since 1970. */
  readonly startedMs: number
  readonly answers: readonly JuristAssertion[]
  readonly retries: number
}

/** Converts a test to a trial. Its file is the bucket, its name the task. */
export function itemOfTest({ file, fullName, project, outcome, startedMs, answers, retries }: RunTest): ItemResult {
  const verdict = verdictOfTest(outcome, answers)
  const { state, durationMs } = outcome
  const name = `${project === '' ? file : `${project}: ${file}`} > ${fullName}`
  return trialWith({
    itemId: itemIdOf(name),
    itemSlug: name,
    itemHash: createHash('sha256').update(`${project}\n${file}\n${fullName}`).digest('hex'),
    repetition: 1,
    bucket: file,
    taskType: 'test',
    task: fullName,
    agent: 'completed',
    judged: state === 'passed' ? 'pass' : state === 'failed' ? 'fail' : 'abstain',
    passed: state === 'passed' ? true : state === 'failed' ? false : null,
    startedAt: new Date(startedMs).toISOString(),
    endedAt: new Date(startedMs + durationMs).toISOString(),
    durationMs,
    agentMs: durationMs,
    judgeUsage: verdict.usage,
    judgeCostUsd: verdict.costUsd ?? null,
    scores: scoresOf(verdict),
    verdict,
    detail: { kind: 'agent', invocation: { status: 'completed', elapsedMs: durationMs } },
    metadata: { project, retries },
  })
}
