import { stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { usageInvalid } from './problems.js'

/** Names of config files in the order in which they are looked for. */
const configNames: readonly string[] = [
  'jurist.config.ts',
  'jurist.config.mts',
  'jurist.config.js',
  'jurist.config.mjs',
  'jurist.config.yaml',
  'jurist.config.yml',
  'jurist.config.json',
]

/**
 * The config file: the given one, else the nearest from `directory` upwards; `undefined` when there is none.
 *
 * @throws `usage-invalid` when the given file is missing, or when a directory holds two
 */
export async function findConfig(directory: string, given: string | undefined): Promise<string | undefined> {
  if (given !== undefined) {
    const file = resolve(directory, given)
    if (await isFile(file)) return file
    throw usageInvalid('--config', `There is no config file ${given}. Give the path of one, or make one: jurist init`)
  }
  for (let at = resolve(directory); ; at = dirname(at)) {
    const found = await configsIn(at)
    if (found.length > 1)
      throw usageInvalid(
        '--config',
        `${at} holds ${found.map((file) => basename(file)).join(' and ')}. Keep one, or say which with --config.`,
      )
    if (found[0] !== undefined || at === dirname(at)) return found[0]
  }
}

/** What to say where a config is needed and there is none. */
export function noConfig(): Error {
  return usageInvalid(
    '--config',
    'No jurist.config.{ts,mts,js,mjs,yaml,yml,json} in this directory or above. Make one: jurist init',
  )
}

/** The config files of a directory. */
export async function configsIn(directory: string): Promise<readonly string[]> {
  const files = configNames.map((name) => join(directory, name))
  const there = await Promise.all(files.map(isFile))
  return files.filter((_, index) => there[index])
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
}
