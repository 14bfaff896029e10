import type { AgentTask, Phase } from '@jurist/core'
import { describe, expect, it } from 'vitest'
import { completed, errored, fromPhases, timedOut, trialOf } from '../../src/index.js'

describe('invocations', () => {
  it('take a text for a text output', () => {
    expect(completed('42')).toEqual({ status: 'completed', output: { type: 'text', text: '42' } })
    expect(completed()).toEqual({ status: 'completed' })
    expect(completed({ output: 'a', costUsd: 0 })).toEqual({
      status: 'completed',
      output: { type: 'text', text: 'a' },
      costUsd: 0,
    })
    expect(Object.isFrozen(completed('x'))).toBe(true)
  })

  it('say why they ended', () => {
    expect(timedOut('late', { usage: { inputTokens: 1 } })).toEqual({
      status: 'timeout',
      failure: { name: 'Timeout', message: 'late', code: 'agent-timeout' },
      usage: { inputTokens: 1 },
    })
    expect(errored(new TypeError('no'), { costUsd: 1 })).toEqual({
      status: 'error',
      failure: { name: 'TypeError', message: 'no' },
      costUsd: 1,
    })
    expect(errored('text').failure).toEqual({ name: 'Error', message: 'text' })
  })

  it('sum up their phases; what no phase knows stays absent', () => {
    const phases: readonly Phase[] = [
      { name: 'plan', usage: { inputTokens: 1, outputTokens: 2 }, costUsd: 0.5, elapsedMs: 10, sessionId: 'a' },
      { name: 'execute', usage: { inputTokens: 3 }, elapsedMs: 20, sessionId: 'b' },
    ]
    expect(fromPhases(phases, { output: 'done' })).toEqual({
      status: 'completed',
      output: { type: 'text', text: 'done' },
      usage: { inputTokens: 4, outputTokens: 2 },
      costUsd: 0.5,
      elapsedMs: 30,
      sessionId: 'b',
      phases,
    })
    expect(fromPhases(phases, { elapsedMs: 99, sessionId: 'own' })).toMatchObject({ elapsedMs: 99, sessionId: 'own' })
    expect(fromPhases([])).toEqual({ status: 'completed', phases: [] })
  })

  it('are errors when a phase failed, with its numbers', () => {
    const invocation = fromPhases([{ name: 'plan', failed: true, costUsd: 2 }])
    expect(invocation).toMatchObject({ status: 'error', failure: { code: 'phase-failed' }, costUsd: 2 })
    expect(invocation.failure?.message).toContain('plan')
  })
})

describe('trialOf', () => {
  const metadata = {
    ...{ experimentName: 'e', runId: 'r', itemId: 'i', itemSlug: 's', repetition: 2, variant: null, attempt: 1 },
  }
  const task = (given: Readonly<Record<string, unknown>> | undefined) =>
    ({ prompt: '', ...(given === undefined ? {} : { metadata: given }) }) as unknown as AgentTask

  it('reads what an experiment says of a task', () => {
    expect(trialOf(task({ ...metadata, more: 1 }))).toEqual(metadata)
    expect(trialOf(task({ ...metadata, variant: 'v' }))?.variant).toBe('v')
  })

  it.each([undefined, {}, { ...metadata, attempt: '1' }, { ...metadata, variant: undefined }])(
    'is undefined outside an experiment: %o',
    (given) => {
      expect(trialOf(task(given))).toBeUndefined()
    },
  )
})
