import { expect } from 'vitest'
import type { Copy } from './example.js'

/** The commands of a deployment of workers, with the variables that its files set. */
export interface Deployed {
  readonly worker: readonly string[]
  readonly submit: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/**
 * Two workers and a run, as files start them, in an empty database: one worker is sent SIGTERM while it runs trials, gives
 * them back and ends by itself; the other one ends the run, in which each trial is stored once.
 */
export async function shareARun(copy: Copy, { worker, submit, env }: Deployed): Promise<void> {
  const agents = copy.hold()
  const json = async (...words: readonly string[]) => JSON.parse(await copy.run(['jurist', ...words, '--json'], env))
  const submitted = copy.start(submit, env)
  await expect.poll(async () => (await json('workers')).runs.length).toBe(1)
  const leaving = copy.start(worker, env)
  await leaving.said(' starts', 4)
  const staying = copy.start(worker, env)
  await staying.said(' starts', 4)
  leaving.child.kill('SIGTERM')
  const left = await leaving.ended
  expect(left).toMatchObject({ code: 0, text: expect.stringContaining('0 trials stored, 4 given back') })
  agents.release()
  await staying.said('✓ pass', 10)
  expect(await submitted.ended).toMatchObject({ code: 0 })
  await expect.poll(async () => (await json('show', 'latest')).status).toBe('completed')
  const items: readonly Trial[] = (await json('show', 'latest')).items
  expect(new Set(items.map(({ itemId, repetition }) => `${itemId} #${repetition}`)).size).toBe(10)
  expect(items.map(({ passed }) => passed)).toEqual(Array(10).fill(true))
  staying.child.kill('SIGTERM')
  expect(await staying.ended).toMatchObject({ code: 0 })
}

interface Trial {
  readonly itemId: string
  readonly repetition: number
  readonly passed: boolean | null
}
