import { expect, test } from 'vitest'
import { newDatabase, noPostgres } from '../postgres/server.js'
import { copyOfExample, textOf } from './example.js'
import { shareARun } from './workers.js'

const file = 'slurm/workers.sbatch'

/** The value of an option that the script gives to sbatch. */
function option(name: string): string | undefined {
  return new RegExp(`^#SBATCH --${name}=(.*)$`, 'm').exec(textOf(file))?.[1]
}

test.skipIf(noPostgres)(`two tasks of the array of workers share a run [${noPostgres ?? 'PostgreSQL'}]`, async () => {
  using copy = copyOfExample()
  const env = {
    SLURM_SUBMIT_DIR: copy.directory,
    SLURM_CPUS_PER_TASK: option('cpus-per-task') ?? '',
    JURIST_RESULTS: await newDatabase(),
  }
  const [, planning = ''] = /^# {3}npx (jurist run .*)$/m.exec(textOf(file)) ?? []
  expect(option('signal')).toBe('B:TERM@60')
  // Slurm starts the script, and sends the signal to the process that it has started.
  await shareARun(copy, { worker: ['bash', `${copy.directory}/${file}`], submit: planning.split(' '), env })
})
