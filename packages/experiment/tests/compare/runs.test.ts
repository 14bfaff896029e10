import { compare, resolveBaseline } from '@jurist/experiment/compare'
import { fileStore } from '@jurist/experiment/store'
import { describe, expect, test } from 'vitest'
import { completed, runExperiment, runSession } from '../../src/index.js'
import { anExperiment, temporaryDirectory } from '../run-support.js'

describe('runs that were made', () => {
  test('two variants: what they override may differ, and nothing else', async () => {
    const experiment = {
      ...anExperiment(3, { conditions: { turns: 1, place: 'here' } }),
      variants: {
        careful: { model: 'large', conditions: { turns: 5 } },
        hasty: { prompt: 'bad {{task}}' },
      },
    }
    const { results } = await runSession(experiment).result
    const { careful, hasty } = results
    if (careful === undefined || hasty === undefined) throw new Error('a variant did not run')
    const { differences, counts } = compare(careful, hasty)
    expect(differences.map(({ condition }) => condition)).toEqual(['model', 'prompt', 'turns'])
    expect(counts).toMatchObject({ regressed: 3 })
    const elsewhere = { ...hasty, conditions: { ...hasty.conditions, place: 'there' } }
    expect(() => compare(careful, elsewhere)).toThrow(/place is "here" and "there"/)
  })

  test('a run beside the one before it, read from files', async () => {
    const directory = temporaryDirectory()
    const first = await runExperiment(anExperiment(12, { store: directory })).result
    const agent = async ({ prompt }: { readonly prompt: string }) => completed(`bad ${prompt}`)
    const second = await runExperiment(anExperiment(12, { store: directory, agent })).result
    await using store = fileStore(directory)
    const [current, baseline] = [await store.load(second.id), await resolveBaseline(store, second)]
    if (current === undefined || baseline === undefined) throw new Error('a run was not stored')
    expect(baseline.id).toBe(first.id)
    const comparison = compare(baseline, current)
    expect(comparison).toMatchObject({
      conclusion: 'regressed',
      counts: { regressed: 12 },
      passRate: { baselineMean: 1, candidateMean: 0, test: { method: 'mcnemar-exact', worse: 12, better: 0 } },
      differences: [{ condition: 'agent', allowed: true }],
    })
    expect(JSON.parse(JSON.stringify(comparison))).toEqual(comparison)
  })
})
