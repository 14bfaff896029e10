import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { inject } from 'vitest'
import { createDatabase, hasPostgres, scratchServer } from './scratch-server.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the server of a test run is, or will be when a test needs it. */
    readonly postgresDirectory: string
  }
}

export { password } from './scratch-server.js'

const given = process.env.JURIST_TEST_POSTGRES

/** Why tests that need PostgreSQL are skipped; `undefined` when they are not. */
export const noPostgres: string | undefined =
  given === undefined && !hasPostgres
    ? 'needs PostgreSQL: apt-get install postgresql, or JURIST_TEST_POSTGRES=postgres://user:password@host/postgres'
    : undefined

/** The address of a new, empty database. The server is started by the first test of a run that needs one. */
export async function newDatabase(options = ''): Promise<string> {
  return await createDatabase(await databaseServer(), newName(), options)
}

/** The same for a caller that cannot wait, on a server that has started. */
export function newDatabaseNow(server: string): string {
  const address = new URL(server)
  address.pathname = `/${newName()}`
  execFileSync(process.execPath, ['--input-type=module', '-e', createNow, server, address.pathname.slice(1)], {
    cwd: import.meta.dirname,
  })
  return address.href
}

const createNow = `import pg from 'pg'
const [, server, name] = process.argv
const client = new pg.Client({ connectionString: server })
await client.connect()
await client.query('create database ' + name)
await client.end()`

/** The address of the server of this run, which starts unless it runs. */
export async function databaseServer(): Promise<string> {
  return given ?? (await startedServer(inject('postgresDirectory')))
}

function newName(): string {
  return `test_${randomUUID().replaceAll('-', '')}`
}

/** Starts a server in a directory, unless another test file has: its address. */
async function startedServer(directory: string): Promise<string> {
  const [addressFile, claim] = [join(directory, 'address'), join(directory, 'starting')]
  try {
    mkdirSync(claim)
  } catch {
    while (!existsSync(addressFile)) {
      if (!existsSync(claim)) return await startedServer(directory)
      await setTimeout(50)
    }
    return readFileSync(addressFile, 'utf8')
  }
  try {
    const server = await scratchServer(directory)
    await server.start()
    writeFileSync(`${addressFile}.new`, server.address)
    renameSync(`${addressFile}.new`, addressFile)
    return server.address
  } catch (thrown) {
    // Those that wait fail as well, instead of waiting for ever.
    rmdirSync(claim)
    throw thrown
  }
}
