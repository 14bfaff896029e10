import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { failureOf } from '@jurist/core/internal'
import { usageInvalid } from '@jurist/experiment/plugin'
import type { PostgresStore } from '@jurist/postgres'

/** Whether a string is the URL of a database rather than the path of a directory. */
export function isDatabase(text: string): boolean {
  return /^postgres(ql)?:\/\//i.test(text)
}

/**
 * Opens the store of a database. Its package is not a dependency of this one, so it comes from the project.
 *
 * @param directories possible directories of the project
 * @throws `usage-invalid` if the package is missing
 */
export async function databaseStore(address: string, directories: readonly string[]): Promise<PostgresStore> {
  const { postgresStore } = await loaded(directories)
  return postgresStore(address)
}

async function loaded(directories: readonly string[]): Promise<typeof import('@jurist/postgres')> {
  for (const directory of directories) {
    const file = resolved(directory)
    if (file !== undefined) return await import(pathToFileURL(file).href).catch(missing)
  }
  return await import('@jurist/postgres').catch(missing)
}

function resolved(directory: string): string | undefined {
  try {
    return createRequire(join(directory, 'jurist.config.js')).resolve('@jurist/postgres')
  } catch {
    return undefined
  }
}

function missing(thrown: unknown): never {
  const why = (thrown as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND' ? '' : ` (${failureOf(thrown).message})`
  throw usageInvalid(
    '--results',
    `Results in PostgreSQL need two packages${why}. Install them in the project: npm install --save-dev @jurist/postgres pg`,
  )
}
