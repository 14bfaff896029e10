import type { Agent, JudgmentContext, ToolStep } from '@jurist/core'
import { describe, expect, test } from 'vitest'
import { completed, type ExperimentOptions, fromPhases, judged, runExperiment } from '../../src/index.js'
import { rejudge } from '../../src/rejudge/index.js'
import { anExperiment, temporaryDirectory } from '../run-support.js'

const look = { type: 'tool-call', id: '1', name: 'look', input: { at: 1 } } as const
const found = { type: 'tool-result', id: '1', failed: false, content: 'a door' } as const
const step = { name: 'look', input: { at: 1 }, output: 'a door', status: 'completed', turn: 0 }
const execution = { id: 'x', name: 'open', step: 3, input: {}, status: 'denied' }

const recording: Agent = async ({ record }) => {
  record?.(look)
  record?.(found)
  return completed()
}

/** What the judge of a run sees, and the judge of the same run judged again. */
async function seen(agent: Agent, options: Partial<ExperimentOptions> = {}) {
  const contexts: JudgmentContext[] = []
  const judge = (context: JudgmentContext) => contexts.push(context) > 0
  const directory = temporaryDirectory()
  const { id } = await runExperiment(anExperiment(1, { agent, jury: judge, store: directory, ...options })).result
  await rejudge(id, judge, { store: directory, workspaces: 'none' }).result
  return contexts.map(({ toolSteps }) => toolSteps)
}

describe('the tool steps that judges see', () => {
  test.each<readonly [string, Agent, readonly object[] | undefined]>([
    ['what the agent records', recording, [step]],
    [
      'the tool uses of its phases',
      async () =>
        fromPhases([
          { name: 'a', toolUses: [look], toolResults: [{ toolUseId: '1', content: 'a door', failed: true }] },
        ]),
      [{ ...step, status: 'failed' }],
    ],
    ['phases that say that there were none', async () => fromPhases([{ name: 'a', toolUses: [] }]), []],
    [
      'what a bridge observed, whatever the agent records',
      async (task) => {
        task.record?.(look)
        return completed({ metadata: { bridge: 'b', 'b.toolExecutions': [execution] } })
      },
      [{ name: 'open', input: {}, status: 'denied', turn: 3 }],
    ],
    ['a bridge that saw none', async () => completed({ metadata: { bridge: 'b', 'b.toolExecutions': [] } }), []],
    ['an agent that says nothing of tools', async () => completed('done'), undefined],
    [
      'one that records other things only',
      async ({ record }) => {
        record?.({ type: 'model-call', model: 'm' })
        return completed()
      },
      undefined,
    ],
  ])('%s, and the same when the run is judged again', async (_, agent, steps) => {
    expect(await seen(agent)).toEqual([steps, steps])
  })

  test('without a journal they are known in the run alone', async () => {
    expect(await seen(recording, { journal: false })).toEqual([[step], undefined])
  })

  test('those of the attempt that counts', async () => {
    let attempts = 0
    const agent: Agent = async (task) => {
      attempts += 1
      if (attempts > 1) return recording(task)
      task.record?.({ ...look, name: 'lost' })
      throw Object.assign(new Error('no such service'), { infrastructure: true })
    }
    expect(await seen(agent, { retries: { attempts: 2, baseMs: 1 } })).toEqual([[step], [step]])
  })

  test('inside an agent that is judged', async () => {
    const steps: (readonly ToolStep[] | undefined)[] = []
    const inner = judged(recording, ({ toolSteps }) => steps.push(toolSteps) > 0)
    expect(await seen(inner)).toEqual([[step], [step]])
    expect(steps).toEqual([[step]])
  })

  test('an agent cannot say what is expected of it', async () => {
    let expected: unknown
    const agent: Agent = async () => completed({ metadata: { toolCalls: [], expectedState: {}, own: 1 } })
    const judge = ({ metadata }: JudgmentContext) => {
      expected = [metadata['toolCalls'], metadata['expectedState'], metadata['own']]
      return true
    }
    await runExperiment(anExperiment(1, { agent, jury: judge })).result
    expect(expected).toEqual([undefined, undefined, 1])
  })
})
