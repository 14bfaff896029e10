import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../structure/source.js'
import { copyOfExample } from './example.js'

test('submit.sh runs the shards of an array, and merges them', async () => {
  using copy = copyOfExample()
  symlinkSync(join(root, 'tests/many-machines/sbatch.mjs'), join(copy.directory, 'node_modules/.bin/sbatch'))
  await copy.run(['slurm/submit.sh'])
  const lines = readFileSync(join(copy.directory, 'sbatch.log'), 'utf8').trim().split('\n')
  const [shards, ended, merge, merged] = lines.map((line) => JSON.parse(line))
  expect(shards.options).toMatchObject({ array: '0-3', parsable: '' })
  expect(ended.codes).toEqual([0, 0, 0, 0])
  const [job] = readdirSync(join(copy.directory, 'shards'))
  expect([merge.args, merge.options.dependency, merged.codes]).toEqual([[job], `afterany:${job}`, [0]])
  expect(await copy.run(['jurist', 'show'])).toContain('10 of 10 decided')
})

test('a task that is preempted and starts again resumes', async () => {
  using copy = copyOfExample()
  const array = {
    SLURM_ARRAY_JOB_ID: '7',
    SLURM_ARRAY_TASK_ID: '1',
    SLURM_ARRAY_TASK_MIN: '0',
    SLURM_ARRAY_TASK_COUNT: '2',
  }
  const env = { ...array, SLURM_SUBMIT_DIR: copy.directory, SLURM_CPUS_PER_TASK: '4' }
  const task = () => copy.start(['bash', join(copy.directory, 'slurm/shards.sbatch')], env)
  const agents = copy.hold()
  const preempted = task()
  await preempted.said('sums run')
  preempted.child.kill('SIGTERM')
  expect(await preempted.ended).toMatchObject({ code: 130 })
  agents.release()
  expect(await task().ended).toMatchObject({ code: 0, text: expect.stringContaining('resum') })
})
