import { join } from 'node:path'
import { expect } from 'vitest'
import { type Copy, textOf, yamlOf } from './example.js'
import { type Container, containerOf, manifestOf } from './manifests.js'

/** What the files of a deployment start, with the variables that they set. */
export interface Deployment {
  readonly worker: readonly string[]
  /** What plans a run for its workers. */
  readonly submit: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

interface Service {
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
}

/** The services of Compose. */
export const { services } = yamlOf<{
  readonly services: Readonly<Record<'worker' | 'submit' | 'viewer' | 'database', Service>>
}>('compose.yaml')

/** A database as the files name it: an address without a password, which has its own variable. */
export function databaseVariables(database: string) {
  const address = new URL(database)
  const { password } = address
  address.password = ''
  return { JURIST_RESULTS: address.href, PGPASSWORD: decodeURIComponent(password) }
}

/** The words of a container, with places in a copy for its `/tmp` and its volume. */
export function wordsOf({ args = [] }: Container, copy: Copy): readonly string[] {
  const places = { '/tmp/': `${copy.directory}/`, '/results': join(copy.directory, 'volume') }
  return args.map((word) => Object.entries(places).reduce((text, [from, to]) => text.replaceAll(from, to), word))
}

/** Workers as Compose starts them. */
export function composed(_copy: Copy, database: string): Deployment {
  const { worker, submit } = services
  const { POSTGRES_USER: user, POSTGRES_DB: name, POSTGRES_PASSWORD: PGPASSWORD } = services.database.environment
  expect(worker.environment).toEqual({ JURIST_RESULTS: `postgres://${user}@database/${name}`, PGPASSWORD })
  return { worker: worker.command, submit: submit.command, env: databaseVariables(database) }
}

/** Workers as a Deployment of Kubernetes starts them. */
export function inPods(copy: Copy, database: string): Deployment {
  const env = databaseVariables(database)
  expect(Object.keys(manifestOf('Secret', 'jurist-results').stringData ?? {})).toEqual(Object.keys(env))
  const worker = wordsOf(containerOf(manifestOf('Deployment', 'jurist-workers')), copy)
  return { worker, submit: wordsOf(containerOf(manifestOf('Job', 'jurist-submit-')), copy), env }
}

/** Workers as an array of Slurm starts them: the script, as the process that receives its signals. */
export function inAnArray(copy: Copy, database: string): Deployment {
  const script = 'slurm/workers.sbatch'
  const [, cpus = ''] = /^#SBATCH --cpus-per-task=(.*)$/m.exec(textOf(script)) ?? []
  const [, planning = ''] = /^# {3}npx (jurist run .*)$/m.exec(textOf(script)) ?? []
  const env = { SLURM_SUBMIT_DIR: copy.directory, SLURM_CPUS_PER_TASK: cpus, JURIST_RESULTS: database }
  return { worker: ['bash', join(copy.directory, script)], submit: planning.split(' '), env }
}

/** The unit of systemd. */
export const unit = 'systemd/jurist-worker@.service'

/** A worker as systemd starts it. */
export function asAService(copy: Copy, database: string): Deployment {
  const settings = (name: string) =>
    Array.from(textOf(unit).matchAll(new RegExp(`^${name}=(.*)$`, 'gm')), ([, value = '']) =>
      value.replaceAll('%i', 'sums'),
    )
  const [directory = ''] = settings('WorkingDirectory')
  expect(settings('EnvironmentFile')).toEqual(['/etc/jurist/sums.env'])
  const own = Object.fromEntries(settings('Environment').map((line) => line.split('=')))
  const [command = ''] = settings('ExecStart').map((line) => line.replaceAll(directory, copy.directory))
  const env = { ...own, HOME: copy.directory, ...databaseVariables(database) }
  return { worker: command.split(' '), submit: ['jurist', 'run', '--distributed', '--detach'], env }
}
