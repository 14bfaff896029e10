import {
  type Agent,
  type Confidence,
  cascade,
  type Judge,
  jury,
  outputText,
  runJudge,
  scored,
  selectiveJudge,
} from '@jurist/core'
import { type Cassette, correctness, replay, semanticDiff, wrapModel } from '@jurist/core/llm'
import { aContext, memoryWorkspace, scriptedModel } from '@jurist/core/testing'
import { completed, runExperiment } from '@jurist/experiment'
import {
  type CalibrationResult,
  calibrate,
  calibrationOf,
  exactCategoryMatch,
  exactVerdictMatch,
  type JudgeDisagreement,
  type JudgeExecutionDetail,
  type JudgeScorer,
  type JudgeScorerResult,
  type JudgeScoringInput,
  numericalTolerance,
  recorded,
} from '@jurist/experiment/calibrate'
import { calibrateCascade, certifiedCascade } from '@jurist/experiment/certify'
import { dataset } from '@jurist/experiment/dataset'
import { humanQueue, readLabels } from '@jurist/experiment/label'
import { type RejudgeContext, rejudge, type SkipReason, storedContext } from '@jurist/experiment/rejudge'
import { memoryStore } from '@jurist/experiment/store'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import { expect } from 'vitest'
import { row } from './row.js'

const labelledAs = (id: string, output: string, label: string) => ({ id, task: id, metadata: { output, label } })
const labelled = dataset({
  name: 'sums',
  items: [labelledAs('a', '4', 'pass'), labelledAs('b', '4', 'fail'), labelledAs('c', '5', 'fail')],
})
const four = outputText({ equals: '4' })
const calibrated = (options: { readonly scorer?: JudgeScorer } = {}): Promise<CalibrationResult> =>
  calibrate({ name: 'sums', candidate: four, items: labelled, resamples: 50, ...options })
const items = [{ id: 'two', task: 'What is 2 + 2?', expectedOutput: '4' }]
const agent: Agent = async () => completed({ output: '4', costUsd: 0.5 })
const run = () => runExperiment({ name: 'sums', dataset: items, agent, jury: outputText({ equals: '5' }) }).result

row('`ReEvaluationContextFactory`, `create` → `Optional`', async () => {
  const skip: SkipReason = { skip: 'other', message: 'not this one' }
  const context: RejudgeContext = () => skip
  const again = await rejudge(await run(), four, { context }).result
  expect(again.items[0]?.metadata['rejudge']).toMatchObject({ rejudged: false })
})
row('`AgentReEvaluationContextFactory.defaults()`', async () => {
  const context: RejudgeContext = storedContext()
  expect((await rejudge(await run(), four, { context }).result).passCount).toBe(1)
})
row(
  '`ReEvaluator`, `.builder().contextFactory().resultStore()`, `reEvaluate(result | id, jury)`, `agentDefaults(store)`',
  async () => {
    const store = memoryStore()
    const { id } = await runExperiment({ name: 'sums', dataset: items, agent, jury: four, store }).result
    const other = jury({ judges: { right: outputText({ contains: '4' }) } })
    expect((await rejudge(id, other, { store, context: storedContext() }).result).kind).toBe('rejudge')
  },
)
row(
  '`reEvaluated` `systemReinvoked` `originalCostUsd` `reEvaluationJury` `originalTimestamp` `reEvaluationSkipped`',
  async () => {
    const original = await run()
    const again = await rejudge(original, four).result
    expect(again.lineage).toMatchObject({ systemReinvoked: false, originalStartedAt: original.startedAt })
    expect(again.lineage).toHaveProperty('jury')
    expect(again.items[0]).toMatchObject({ costUsd: 0.5, metadata: { rejudge: { rejudged: true } } })
    const context: RejudgeContext = () => ({ skip: 'other', message: 'why' })
    const skipped = await rejudge(original, four, { context }).result
    expect(skipped.items[0]?.metadata['rejudge']).toHaveProperty('reason')
  },
)
row('`ExecutionStatus` SUCCESS, TIMEOUT, FAILED; `errorMessage`', () => {
  for (const status of ['success', 'timeout', 'failed'] as const) expect(aContext({ status }).status).toBe(status)
  const failure = { name: 'Error', message: 'boom' }
  expect(aContext({ status: 'failed', failure }).failure?.message).toBe('boom')
})
row(
  '`JudgeExperiment.builder()`: `name` `candidate` `items` `input` `expected` `scorer` `resultStore` `datasetVersion` `run()`',
  async () => {
    const store = memoryStore()
    const { agreementRate, result } = await calibrate({
      ...{ name: 'sums', candidate: four, items: labelled, scorer: exactVerdictMatch(), store, datasetVersion: '2' },
      input: (item) => ({ goal: item.task, agentOutput: String(item.metadata['output']) }),
      expected: (item) => String(item.metadata['label']),
    })
    expect([agreementRate, result.dataset.version]).toEqual([2 / 3, '2'])
    expect((await store.load(result.id))?.kind).toBe('judge')
  },
)
row(
  '`JudgeScorer.score()`, `JudgeScoringInput` (`item` `actual` `expectedLabel`), `JudgeScorerResult` (`match` `score` `reasoning`)',
  async () => {
    const scorer: JudgeScorer = ({ item, actual, expectedLabel }: JudgeScoringInput): JudgeScorerResult => {
      const [match, predicted] = [item.id === 'a', actual.status]
      const expected = expectedLabel ?? ''
      return { scored: true, match, score: match ? 1 : 0, expected, predicted, reasoning: 'only a' }
    }
    expect((await calibrated({ scorer })).agreementRate).toBe(1 / 3)
  },
)
row('`JudgeScorers.exactVerdictMatch()` `.exactCategoryMatch()` `.numericalTolerance(t)`', async () => {
  for (const scorer of [exactVerdictMatch(), exactCategoryMatch(), numericalTolerance(0.1)])
    expect(scorer).toBeTypeOf('function')
  expect((await calibrated({ scorer: exactVerdictMatch() })).agreementRate).toBe(2 / 3)
})
row('`JudgeExecutionDetail`: `candidateJudgment` `expectedLabel` `scorerResult`', async () => {
  const detail = (await calibrated()).disagreements[0]?.detail as JudgeExecutionDetail
  expect(detail).toMatchObject({ judgment: { status: 'pass' }, expectedLabel: 'fail', scorer: { match: false } })
})
row(
  '`JudgeExperimentResult`: `experimentResult` `agreementRate` `disagreements` `from()` `asExperimentResult()`, `JudgeDisagreement` (`itemId` `detail`)',
  async () => {
    const calibration: CalibrationResult = await calibrated()
    const again = calibrationOf(calibration.result)
    const [disagreement]: readonly JudgeDisagreement[] = again.disagreements
    expect([again.agreementRate, disagreement?.itemId]).toEqual([2 / 3, 'b'])
  },
)
row('experiment-core, experiment-claude, `ClaudeSdkInvoker`, `SemanticDiffJudge`', async () => {
  const model = scriptedModel(() => 'It is done.\nAnswer: PASS')
  const context = aContext({ before: memoryWorkspace({}), workspace: memoryWorkspace({ 'a.txt': '1' }) })
  const { status } = await runJudge(semanticDiff({ model, criteria: ['a file was added'] }), context)
  expect(status).toBe('pass')
})
row('research-backed calibration, reproducibility, recording (002)', async () => {
  const { report } = await calibrate({ name: 'sums', candidate: four, items: labelled, resamples: 50 })
  expect(report.kappa.value).toBeCloseTo(0.4)
  expect((await run()).dataset.hash).toMatch(/^[0-9a-f]{64}$/)
  const cassette: Cassette = { format: 'jurist-cassette/1', entries: [] }
  const empty = wrapModel(scriptedModel('Answer: YES'), replay(cassette))
  expect((await runJudge(correctness({ model: empty }), aContext({ agentOutput: 'x' }))).status).toBe('error')
})
row('no counterpart: judges that hold back, and cascades with a bound on their mistakes', async () => {
  const small: Judge = ({ agentOutput }) => scored(agentOutput === undefined ? 0 : 0.6, { passingAt: 0.5 })
  const confidence: Confidence = async (judge, context) => ({
    judgment: await runJudge(judge, context),
    confidence: 0.6,
    samples: 1,
  })
  const held = selectiveJudge(small, { threshold: 0.9, confidence })
  expect((await runJudge(held, aContext({ agentOutput: 'x' }))).status).toBe('abstain')
  const tiers = cascade([
    { name: 'small', jury: small, policy: 'decide-when-confident', threshold: 0.9, confidence },
    { name: 'last', jury: () => true, policy: 'final' },
  ])
  expect((await tiers.vote({ goal: 'g', agentOutput: 'x' })).aggregated.status).toBe('pass')
  const some = [{ name: 'four', candidate: four, confidence }]
  expect((await calibrateCascade({ name: 'sums', items: labelled, tiers: some })).certificate).toBeNull()
  expect(certifiedCascade(some, null, { name: 'last', jury: recorded('x'), policy: 'final' })).toBeTypeOf('function')
})
row('no counterpart: labels by people', async () => {
  await using directory = await temporaryWorkspace({
    'labels.jsonl': '{"itemId": "a", "repetition": 1, "annotator": "ann", "label": "pass"}\n',
  })
  expect(await readLabels(`${directory.root}/labels.jsonl`)).toMatchObject([{ itemId: 'a', annotator: 'ann' }])
  const judge = humanQueue(`${directory.root}/queue.jsonl`, { results: directory.root })
  expect(judge).toBeTypeOf('function')
})
