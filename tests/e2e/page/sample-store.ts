import { join } from 'node:path'
import {
  type Agent,
  abstain,
  average,
  cascade,
  consensus,
  error,
  fail,
  fileExists,
  type JournalEvent,
  type Judge,
  jury,
  numerical,
  pass,
  scored,
  type WritableWorkspace,
} from '@jurist/core'
import { defineExperiment, runSession } from '@jurist/experiment'
import { fileStore } from '@jurist/experiment/store'
import { chance } from './chance.js'
import { makeSampleCalibration } from './sample-calibration.js'
import { halfSolved, solved, writeDataset } from './sample-tasks.js'

/** A store of results made by real runs. */
export interface SampleStore {
  /** The results directory. */
  readonly results: string
  readonly dataset: string
  /** Ids of the runs by variant. */
  readonly runs: { readonly control: string; readonly knowledge: string }
  /** Id of the calibration. */
  readonly calibration: string
}

/** Makes a dataset and a store in `directory`: one session of two variants, twelve items, three repetitions. */
export async function makeSampleStore(directory: string): Promise<SampleStore> {
  const [dataset, results] = [join(directory, 'dataset'), join(directory, 'results')]
  writeDataset(dataset)
  const store = fileStore(results, { sync: false })
  const experiment = defineExperiment({
    name: 'maintain-shop',
    dataset,
    agent: agentOf(0.52),
    jury: theJury,
    repetitions: 3,
    variants: { control: {}, knowledge: { agent: agentOf(0.82), model: 'large-2' } },
    model: 'large-1',
    store,
    baseline: 'latest',
  })
  const { results: made } = await runSession(experiment, { session: 'november' }).result
  const calibration = await makeSampleCalibration(store)
  return {
    results,
    dataset,
    calibration,
    runs: { control: made.control?.id ?? '', knowledge: made.knowledge?.id ?? '' },
  }
}

/** An agent that reads, writes and tests; how well depends on its skill and on the trial. */
function agentOf(skill: number): Agent {
  return async function shopAgent({ workspace, record, metadata, prompt }) {
    const trial = `${metadata?.['itemId']} ${metadata?.['repetition']} ${skill}`
    const luck = chance(trial)
    for (const event of workOf(prompt, luck > skill)) record?.(event)
    if (luck > 0.97)
      return {
        status: 'timeout',
        failure: { name: 'Timeout', message: 'the agent ran past 15m', code: 'agent-timeout' },
        costUsd: 0.3,
      }
    await leave(workspace, luck, skill)
    return {
      status: 'completed',
      output: { type: 'text', text: answerOf(luck > skill) },
      usage: {
        inputTokens: 40_000 + Math.round(luck * 60_000),
        outputTokens: 1_800 + Math.round(luck * 2_000),
        cacheReadTokens: 31_000,
      },
      costUsd: 0.05 + Math.round(luck * 100) / 1_000,
      phases: [
        { name: 'plan', elapsedMs: 1_200, costUsd: 0.01, usage: { inputTokens: 4_000, outputTokens: 300 } },
        { name: 'change', elapsedMs: 8_400 },
      ],
    }
  }
}

async function leave(workspace: WritableWorkspace, luck: number, skill: number): Promise<void> {
  await workspace.write('src/orders.js', luck > skill ? halfSolved : solved)
  if (luck < skill * 0.9) await workspace.write('CHANGES.md', '# Changes\n\n- Totals are counted in cents.\n')
}

function answerOf(missed: boolean): string {
  return missed
    ? 'I rounded the sum at the end.\n\nI could not run the tests: `npm test` is not configured here.'
    : 'Totals are now counted in whole cents and divided once, at the end.\n\nAll 14 tests pass.'
}

function* workOf(prompt: string, missed: boolean): Generator<JournalEvent> {
  let [id, at] = [0, Date.UTC(2026, 10, 21, 9, 15)]
  const stamp = () => {
    at += 1_400
    return new Date(at).toISOString()
  }
  const use = function* (
    name: string,
    input: { readonly [key: string]: string },
    content: string,
    failed = false,
  ): Generator<JournalEvent> {
    const call = `call-${++id}`
    yield { type: 'tool-call', id: call, name, input, at: stamp() }
    yield { type: 'tool-result', id: call, failed, content, elapsedMs: 320, at: stamp() }
  }
  yield { type: 'prompt', text: prompt, at: stamp() }
  yield {
    type: 'thinking',
    text: 'The sum is made of floating-point numbers. I should look at the file first.',
    at: stamp(),
  }
  yield* use('read_file', { path: 'src/orders.js' }, 'export function total(order) {…}')
  yield* use('grep', { pattern: 'total\\(' }, 'src/orders.js:4')
  if (missed)
    for (let round = 0; round < 3; round++)
      yield* use('bash', { command: 'npm test' }, 'Error: missing script: test', true)
  yield* use('write_file', { path: 'src/orders.js' }, 'written')
  yield { type: 'file', path: 'src/orders.js', change: 'modified', at: stamp() }
  yield* use('bash', { command: 'npm test' }, missed ? '2 of 14 tests failed' : '14 tests passed', missed)
  yield {
    type: 'model-call',
    model: 'large-1',
    usage: { inputTokens: 41_000, outputTokens: 1_900 },
    costUsd: 0.07,
    elapsedMs: 9_300,
    finishReason: 'stop',
    at: stamp(),
  }
  yield { type: 'text', text: answerOf(missed), at: stamp() }
}

const cents: Judge = async ({ workspace }) => {
  const text = await workspace.read('src/orders.js')
  const checks = [
    {
      name: 'counts in cents',
      passed: text.includes('cents +='),
      message: text.includes('cents +=') ? 'found' : 'the sum is still made of dollars',
      location: { path: 'src/orders.js', line: 7 },
    },
    {
      name: 'no leftovers',
      passed: !text.includes('TODO'),
      message: text.includes('TODO') ? 'a TODO was left behind' : 'none',
      location: { path: 'src/orders.js', line: 9 },
    },
  ]
  const missed = checks.filter(({ passed }) => !passed).length
  return missed === 0
    ? pass('both checks hold', { checks })
    : fail(`${missed} of 2 checks failed`, { checks, score: (2 - missed) / 2 })
}

const clarity: Judge = async ({ agentOutput, metadata }) => {
  const luck = chance(`clarity ${metadata['itemId']} ${metadata['repetition']}`)
  if (luck > 0.96) return error('the model could not be reached', new Error('model unavailable (HTTP 529)'))
  if (luck > 0.92) return abstain('the answer is too short to be judged')
  const good = agentOutput?.type === 'text' && agentOutput.text.includes('pass')
  const score = Math.round((good ? 0.62 + luck * 0.36 : 0.2 + luck * 0.5) * 100) / 100
  return scored(numerical(score), {
    passingAt: 0.5,
    reasoning: good
      ? 'It says what was done and how it was checked.'
      : 'It does not say why the tests could not be run.',
    costUsd: 0.004,
    usage: { inputTokens: 900, outputTokens: 80 },
  })
}

const correctness: Judge = async ({ workspace, metadata }) => {
  const luck = chance(`correct ${metadata['itemId']} ${metadata['repetition']}`)
  const solvedIt = (await workspace.read('src/orders.js')).includes('cents')
  return scored(Math.round((solvedIt ? 0.55 + luck * 0.45 : luck * 0.6) * 100) / 100, {
    passingAt: 0.6,
    reasoning: solvedIt
      ? 'Amounts are exact: every price becomes whole cents before it is multiplied.'
      : 'Rounding at the end hides the error of a cent, but does not remove it.',
    costUsd: 0.006,
    usage: { inputTokens: 1_400, outputTokens: 120 },
  })
}

const theJury = cascade([
  {
    name: 'rules',
    policy: 'reject-on-any-fail',
    jury: jury({ judges: { orders: fileExists('src/orders.js'), cents }, vote: consensus() }),
  },
  {
    name: 'meaning',
    policy: 'final',
    jury: jury({
      judges: { correctness: { judge: correctness, weight: 2 }, clarity, changes: fileExists('CHANGES.md') },
      vote: average({ threshold: 0.6 }),
    }),
  },
])
