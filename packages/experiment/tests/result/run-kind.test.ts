import { fileExists } from '@jurist/core'
import { completed, runExperiment } from '@jurist/experiment'
import { resolveBaseline } from '@jurist/experiment/compare'
import { fileStore } from '@jurist/experiment/store'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../run-support.js'

const kinds = ['establish', 'probe', 'mutate', 'hook'] as const

function experimentIn(store: string) {
  const dataset = [{ id: 'a', task: 'Do it.' }]
  return { name: 'kinds', dataset, agent: async () => completed('done'), jury: fileExists('a'), store }
}

test.each(kinds)('a run of kind %s is found by kind or id only', async (kind) => {
  const directory = temporaryDirectory()
  const experiment = experimentIn(directory)
  const { id } = await runExperiment(experiment).result
  const other = await runExperiment(experiment, { kind }).result
  await using store = fileStore(directory)
  expect(other.kind).toBe(kind)
  expect((await store.load(other.id))?.kind).toBe(kind)
  expect((await store.mostRecent('kinds'))?.id).toBe(id)
  expect((await store.mostRecent('kinds', { kind }))?.id).toBe(other.id)
  const later = await runExperiment(experiment).result
  expect((await resolveBaseline(store, later))?.id).toBe(id)
  const again = await runExperiment(experiment, { kind }).result
  expect((await resolveBaseline(store, again))?.id).toBe(other.id)
})

test('`resume: latest` resumes a run of its own kind', async () => {
  const directory = temporaryDirectory()
  const experiment = { ...experimentIn(directory), repetitions: 2, concurrency: 1 }
  const stopped = { ...experiment, bail: true }
  const probe = await runExperiment(stopped, { kind: 'probe' }).result
  expect(probe.status).toBe('stopped')
  const fresh = await runExperiment({ ...experiment }, { resume: 'latest' }).result
  expect(fresh.id).not.toBe(probe.id)
  const resumed = await runExperiment(experiment, { resume: 'latest', kind: 'probe' }).result
  expect(resumed).toMatchObject({ id: probe.id, kind: 'probe', status: 'completed' })
  await expect(runExperiment(experiment, { resume: probe.id }).result).rejects.toThrow(
    'kind: "probe" then, "agent" now',
  )
})

test('an unknown kind is refused', async () => {
  const unknown: object = { kind: 'judge' }
  await expect(runExperiment(experimentIn('unused'), unknown).result).rejects.toThrow(
    'must be one of agent, establish, probe, mutate, hook',
  )
})
