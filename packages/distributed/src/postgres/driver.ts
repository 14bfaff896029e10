import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Loads a package of the database: that of the project, else the one that is installed for this package. */
export async function driver(name: 'pg', project: string | undefined): Promise<typeof import('pg')>

export async function driver(name: 'pg-boss', project: string | undefined): Promise<typeof import('pg-boss')>

export async function driver(name: string, project: string | undefined): Promise<unknown> {
  return await import(fileOf(name, project) ?? name)
}

function fileOf(name: string, project: string | undefined): string | undefined {
  try {
    return project && pathToFileURL(createRequire(join(project, 'package.json')).resolve(name)).href
  } catch {
    return undefined
  }
}
