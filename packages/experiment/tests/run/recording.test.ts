import { type Agent, type AskThrough, type Judge, type Judgment, jury, pass } from '@jurist/core'
import { correctness, criteria } from '@jurist/core/llm'
import { scriptedModel } from '@jurist/core/testing'
import { completed, type ExperimentOptions, runExperiment } from '@jurist/experiment'
import { calibrate } from '@jurist/experiment/calibrate'
import { evidenceOf, failureEvidence } from '@jurist/experiment/internal/results'
import { rejudge } from '@jurist/experiment/rejudge'
import type { ExperimentResult } from '@jurist/experiment/result'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { userStack } from '../../src/run/failures.js'
import { labelledItem } from '../calibrate/labelled.js'

const root = new URL('../../', import.meta.url).pathname
const answers: Agent = async () => completed('Hello, world!')

function experiment(options: Partial<ExperimentOptions>): Promise<ExperimentResult> {
  return runExperiment({
    ...{ name: 'greet', dataset: [{ id: 'a', task: 'Say hello' }], agent: answers, projectDirectory: root },
    ...options,
  }).result
}

async function judgmentOf(judge: Judge, options: Partial<ExperimentOptions> = {}): Promise<Judgment> {
  const { items } = await experiment({ jury: jury({ judges: { it: judge } }), ...options })
  const judgment = items[0]?.verdict?.individual['it']
  if (judgment === undefined) throw new Error('no judgment')
  return judgment
}

describe('stacks', () => {
  test("an agent that throws leaves the user's frames", async () => {
    const fix: Agent = async function fix() {
      throw new TypeError('no such file')
    }
    const [item] = (await experiment({ agent: fix })).items
    const { place, stack } = failureEvidence(item?.failure ?? { name: '', message: '' })
    expect(place).toEqual({ path: 'tests/run/recording.test.ts', line: expect.any(Number), column: expect.any(Number) })
    expect(stack).toMatch(/^at (?:Object\.|.*\.)?fix(?: \[.*\])? \(tests\/run\/recording\.test\.ts:\d+:\d+\)/)
    expect(stack).not.toMatch(/node:|src\/run/)
    // The record of the agent itself has it as well, wherever it is read.
    expect(item).toMatchObject({ agent: 'error', failure: { name: 'TypeError', message: 'no such file', stack } })
  })
  test('so does a judge, and only where something was thrown', async () => {
    const judgment = await judgmentOf(function broken() {
      throw new RangeError('off by one')
    })
    const { error, places } = evidenceOf(judgment)
    expect(error).toMatchObject({ name: 'RangeError', place: { path: 'tests/run/recording.test.ts' } })
    expect(places).toContainEqual(error?.place)
    expect(await judgmentOf(() => pass('fine'))).not.toHaveProperty('failure')
  })
  test('frames of Node.js and of Jurist are left out, paths are relative', () => {
    const stack = [
      'Error: at evil (src/a.js:1:1)',
      '    at new Thing (file:///project/src/thing%20one.js:7:3)',
      '    at async run (/project/evals/agent.ts:12:5)',
      '    at async /project/index.js:3:1',
      '    at Array.map (<anonymous>)',
      '    at eval (eval at <anonymous> (/project/a.js:1:1), <anonymous>:1:1)',
      '    at node:internal/process/task_queues:95:5',
      '    at Module._compile (node:internal/modules/cjs/loader:1:1)',
      '    at runTrial (/project/node_modules/@jurist/experiment/dist/run/run-trial.js:1:1)',
      '    at main (/project/node_modules/jurist/dist/command.js:1:1)',
      '    at call (/project/node_modules/openai/index.js:9:9)',
      '    at outside (/shared/tool.js:2:2)',
    ].join('\n')
    expect(userStack(stack, '/project')?.split('\n')).toEqual([
      'at new Thing (src/thing one.js:7:3)',
      'at async run (evals/agent.ts:12:5)',
      'at index.js:3:1',
      'at call (node_modules/openai/index.js:9:9)',
      'at outside (../shared/tool.js:2:2)',
    ])
    expect(userStack('Error: no frames', '/project')).toBeUndefined()
  })
  test('any text for a stack gives few short lines', () => {
    const line = fc.constantFrom('    at f (', '/a.js', ':1:2', ')', '\n', 'file://', '%zz', '(', 'x'.repeat(5_000))
    const text = fc.oneof(
      fc.string(),
      fc.array(line).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(text, (stack) => {
        const lines = userStack(stack, '/project')?.split('\n') ?? []
        expect(lines.length).toBeLessThanOrEqual(8)
        for (const one of lines) expect(one).toMatch(/^at .*:\d+:\d+\)?$/)
      }),
    )
  })
})

describe('prompts of model judges', () => {
  afterEach(() => void vi.unstubAllEnvs())

  test('what was asked and answered is kept, without the nonce of a second sample', async () => {
    const { model, label } = evidenceOf(await judgmentOf(correctness({ model: scriptedModel('Kind.\nAnswer: YES') })))
    expect(model).toMatchObject({ answer: 'Kind.\nAnswer: YES', cut: false })
    expect(model?.prompt).toMatch(
      /^\[system\]\n[\s\S]*\n\n\[user\]\nDid the agent meet the goal\?[\s\S]*Hello, world![\s\S]*"Answer: NO"/,
    )
    expect(label).toBe('YES')
    const sampled = criteria({ model: scriptedModel('YES', 'NO', 'YES'), criterion: 'It greets.', strictness: 3 })
    expect(evidenceOf(await judgmentOf(sampled)).model?.prompt?.match(/It greets\./g)).toHaveLength(1)
  })
  test('a long prompt keeps its beginning and its end', async () => {
    const agent: Agent = async () => completed(`begin ${'x'.repeat(50_000)} end`)
    const { model } = evidenceOf(await judgmentOf(correctness({ model: scriptedModel('Answer: YES') }), { agent }))
    expect(model?.cut).toBe(true)
    expect(model?.prompt?.length).toBeLessThan(8_100)
    expect(model?.prompt).toMatch(/Did the agent meet the goal\?[\s\S]*characters left out[\s\S]*"Answer: NO"/)
  })
  test('secrets of the host are blanked in both', async () => {
    vi.stubEnv('SAMPLE_API_KEY', 'sk-1f9a7c33d2e8')
    const agent: Agent = async () => completed('The key is sk-1f9a7c33d2e8.')
    const model = scriptedModel('It shows sk-1f9a7c33d2e8.\nAnswer: NO')
    const judgment = await judgmentOf(correctness({ model }), { agent })
    expect(judgment.metadata['prompt']).toContain('The key is ***.')
    expect(judgment.metadata['rawText']).toBe('It shows ***.\nAnswer: NO')
  })
  test('recordPrompts: false keeps the answer only, also when the run is judged again', async () => {
    const judge = correctness({ model: scriptedModel('Answer: YES') })
    const run = await experiment({ jury: judge, recordPrompts: false })
    const again = await rejudge(run, correctness({ model: scriptedModel('Answer: NO') })).result
    for (const { items } of [run, again])
      expect(evidenceOf(Object.values(items[0]?.verdict?.individual ?? {})[0] as Judgment).model).toMatchObject({
        prompt: null,
        answer: expect.stringContaining('Answer: '),
      })
    const recorded = await experiment({ jury: correctness({ model: scriptedModel('Answer: YES') }) })
    const judged = await rejudge(recorded, correctness({ model: scriptedModel('Answer: NO') })).result
    expect(JSON.stringify(judged.items[0]?.verdict)).toContain('Did the agent meet the goal?')
  })
})

test('judges ask the model of askThrough, in runs, when a run is judged again, and in calibrations', async () => {
  const own = scriptedModel()
  const judge = correctness({ model: own })
  const asked: unknown[] = []
  const askThrough: AskThrough = (model, repetition) => {
    asked.push([model === own, repetition])
    return scriptedModel('Answer: YES')
  }
  const run = await experiment({ jury: judge, repetitions: 2, concurrency: 1, askThrough })
  const again = await rejudge(run, judge, { concurrency: 1, askThrough }).result
  const items = [labelledItem('a', 'pass', { output: 'Hello' })]
  const { result } = await calibrate({
    name: 'kind',
    candidate: judge,
    items,
    repetitions: 2,
    concurrency: 1,
    askThrough,
  })
  for (const { passCount } of [run, again, result]) expect(passCount).toBe(2)
  expect(asked).toEqual([1, 2, 1, 2, 1, 2].map((repetition) => [true, repetition]))
  expect((await experiment({ jury: judge, conditions: {} })).conditions).toEqual(run.conditions)
})
