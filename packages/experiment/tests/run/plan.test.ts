import { describe, expect, it } from 'vitest'
import { completed, planExperiment, runExperiment } from '../../src/index.js'
import { memoryStore } from '../../src/store/index.js'
import { anExperiment } from '../run-support.js'

describe('a plan', () => {
  it('says what a run would do, and does nothing', async () => {
    let calls = 0
    const plan = await planExperiment(
      anExperiment(2, {
        repetitions: 2,
        prompt: 'Do: {{task}}',
        agent: async () => {
          calls += 1
          return completed()
        },
      }),
    )
    expect(plan).toMatchObject({ trials: 4, problems: [], estimatedCostUsd: null, estimateFrom: null })
    expect(plan.items.map(({ itemId, repetition, prompt }) => [itemId, repetition, prompt])).toEqual([
      ['item-1', 1, 'Do: task 1'],
      ['item-1', 2, 'Do: task 1'],
      ['item-2', 1, 'Do: task 2'],
      ['item-2', 2, 'Do: task 2'],
    ])
    expect(plan.conditions).toMatchObject({ agent: 'agent', isolation: 'none' })
    expect(calls).toBe(0)
  })

  it('has the conditions that the run will have', async () => {
    const options = anExperiment(2, { conditions: { region: 'eu' } })
    const { conditions } = await planExperiment(options)
    expect((await runExperiment(options).result).conditions).toEqual(conditions)
  })

  it('estimates the cost and the time by the latest run of the same name, variant and kind', async () => {
    const store = memoryStore()
    const costly = (costUsd: number) => async () => completed({ costUsd })
    const options = anExperiment(2, { store, variants: { a: {}, b: {} } })
    const first = await runExperiment({ ...options, agent: costly(0.25) }, { variant: 'a' } as object).result
    await runExperiment({ ...options, agent: costly(9) }, { variant: 'b' } as object).result
    const plan = await planExperiment({ ...options, repetitions: 3 }, { variant: 'a' } as object)
    expect(plan).toMatchObject({ estimatedCostUsd: 1.5, estimateFrom: first.id, trials: 6 })
    expect(plan.estimatedMs).toBeCloseTo((first.durationMs / first.items.length) * 6)
    const studied = { variant: 'a', kind: 'lift' } as object
    expect(await planExperiment(options, studied)).toMatchObject({ estimatedCostUsd: null, estimatedMs: null })
  })

  it('gives the problems of items instead of trials', async () => {
    const plan = await planExperiment(anExperiment(2, { prompt: '{{metadata.key}}' }))
    expect(plan).toMatchObject({ trials: 0, items: [] })
    expect(plan.problems.map(({ item, field }) => [item, field])).toEqual([
      ['item-1', 'metadata.key'],
      ['item-2', 'metadata.key'],
    ])
  })

  it('is refused with bad options', async () => {
    await expect(planExperiment(anExperiment(1, { concurrency: 0 }))).rejects.toMatchObject({
      code: 'experiment-invalid',
    })
  })
})
