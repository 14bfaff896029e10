import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the server of a test run is, or will be when a test needs it. */
    readonly postgresDirectory: string
  }
}

/** The password of every address below: tests look for it where it must not be. */
export const password = 'geheim-7f3a'

const given = process.env.JURIST_TEST_POSTGRES
const programs = programsDirectory()

/** Why tests that need PostgreSQL are skipped; `undefined` when they are not. */
export const noPostgres: string | undefined =
  given === undefined && programs === undefined
    ? 'needs PostgreSQL: apt-get install postgresql, or JURIST_TEST_POSTGRES=postgres://user:password@host/postgres'
    : undefined

/** The address of a new, empty database. The server is started by the first test of a run that needs one. */
export async function newDatabase(options = ''): Promise<string> {
  const server = given ?? (await startedServer(inject('postgresDirectory')))
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(`create database ${name} ${options}`)
  } finally {
    await client.end()
  }
  const address = new URL(server)
  address.pathname = `/${name}`
  return address.href
}

/** Starts a server in a directory, unless another test file has: its address. */
async function startedServer(directory: string): Promise<string> {
  const addressFile = join(directory, 'address')
  try {
    mkdirSync(join(directory, 'starting'))
  } catch {
    while (!existsSync(addressFile)) await setTimeout(50)
    return readFileSync(addressFile, 'utf8')
  }
  const data = join(directory, 'data')
  const port = await freePort()
  const as = owner()
  mkdirSync(data, { mode: 0o700 })
  chmodSync(directory, 0o755)
  if (as !== undefined) chownSync(data, as.uid, as.gid)
  const passwordFile = join(directory, 'password')
  writeFileSync(passwordFile, password)
  execFileSync(
    join(programs ?? '', 'initdb'),
    ['-D', data, '-U', 'jurist', '-A', 'scram-sha-256', '--pwfile', passwordFile, '-E', 'UTF8', '--locale=C', '-N'],
    { ...as, cwd: '/', stdio: 'ignore' },
  )
  const log = openSync(join(directory, 'log'), 'a')
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    fsync: 'off',
    max_connections: 300,
    unix_socket_directories: data,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  spawn(join(programs ?? '', 'postgres'), ['-D', data, ...flags], {
    ...as,
    cwd: '/',
    detached: true,
    stdio: ['ignore', log, log],
  }).unref()
  const address = `postgres://jurist:${password}@127.0.0.1:${port}/postgres`
  while (!(await answers(address))) await setTimeout(50)
  writeFileSync(`${addressFile}.new`, address)
  execFileSync('mv', [`${addressFile}.new`, addressFile])
  return address
}

/** The user that runs the server: it refuses root. */
function owner(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** Where Debian, or the search path, has the programs of the server. */
function programsDirectory(): string | undefined {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const places = [...versions.map((version) => join(debian, version, 'bin')), ...(process.env.PATH ?? '').split(':')]
  return places.find((place) => existsSync(join(place, 'initdb')) && existsSync(join(place, 'postgres')))
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  await new Promise((resolve) => {
    server.close(resolve)
  })
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function answers(address: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: address })
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}
