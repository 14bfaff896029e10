import { createHash } from 'node:crypto'
import { type ItemResult, scoresOf } from '@jurist/experiment/result'
import type { NotedAnswer } from '../noted.js'
import { itemIdOf } from './item-id.js'
import { type TestOutcome, verdictOfTest } from './verdict.js'

/** What is read of a test of Vitest. */
export interface RunTest {
  /** Relative to the root of the project. */
  readonly file: string
  readonly fullName: string
  readonly project: string
  readonly outcome: TestOutcome
  /** Milliseconds since 1970; when the test began. */
  readonly startedMs: number
  readonly answers: readonly NotedAnswer[]
  readonly retries: number
}

/** A test as a trial: its file is the bucket, its name the task. */
export function itemOfTest({ file, fullName, project, outcome, startedMs, answers, retries }: RunTest): ItemResult {
  const verdict = verdictOfTest(outcome, answers)
  const { state, durationMs } = outcome
  const itemId = itemIdOf(project === '' ? file : `${project}: ${file}`, fullName)
  return {
    itemId,
    itemSlug: itemId,
    itemHash: createHash('sha256').update(`${project}\n${file}\n${fullName}`).digest('hex'),
    repetition: 1,
    bucket: file,
    taskType: 'test',
    tags: [],
    task: fullName,
    agent: 'completed',
    judged: state === 'passed' ? 'pass' : state === 'failed' ? 'fail' : 'abstain',
    passed: state === 'passed' ? true : state === 'failed' ? false : null,
    failure: null,
    attempts: [],
    startedAt: new Date(startedMs).toISOString(),
    endedAt: new Date(startedMs + durationMs).toISOString(),
    durationMs,
    setupMs: 0,
    agentMs: durationMs,
    juryMs: 0,
    usage: null,
    judgeUsage: verdict.usage,
    costUsd: null,
    judgeCostUsd: verdict.costUsd ?? null,
    scores: scoresOf(verdict),
    efficiency: null,
    verdict,
    detail: { kind: 'agent', invocation: { status: 'completed', elapsedMs: durationMs } },
    workspacePath: null,
    referencePath: null,
    beforePath: null,
    journalPath: null,
    metadata: { project, retries },
  }
}
