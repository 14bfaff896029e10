import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Project } from '../../project.js'
import { whyProject } from './why-project.js'

let made: Project
beforeAll(async () => {
  made = whyProject()
  await made.jurist('run', 'mine')
})
afterAll(() => made[Symbol.dispose]())

test('show says why the trials of a run did not pass, and what to do first', async () => {
  const { stdout } = await made.jurist('show', 'latest')
  expect(stdout).toMatch(/Why +execution 2, not explained 1\n/)
  expect(stdout).toContain('Tell the agent how to deal with the error. (1 finding)')
})

test.each([
  [
    'lost',
    /Why\n +execution: The same error 3 times: ENOENT: package\.json\n +Tell the agent how to deal with the error\./,
  ],
  ['untried', /Why\n +execution: The last change was never tried\.\n +Ask the agent to test its last change\./],
])('show says why the trial %s did not pass', async (item, words) => {
  expect((await made.jurist('show', 'latest', item)).stdout).toMatch(words)
})

test.each(['good', 'unknown'])('show says nothing about %s', async (item) => {
  expect((await made.jurist('show', 'latest', item)).stdout).not.toMatch(/^ +Why$/m)
})
