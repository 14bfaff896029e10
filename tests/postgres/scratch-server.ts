import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
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

/** The password of a scratch server: tests look for it where it must not be. */
export const password = 'geheim-7f3a'

const programs = programsDirectory()

/** Whether this machine has the programs of PostgreSQL. */
export const hasPostgres: boolean = programs !== undefined

/** A server in a directory, which keeps nothing safe. */
export interface ScratchServer {
  /** The address of the database `postgres`, from the first start on. */
  readonly address: string
  /** Starts the server, and waits until it is ready. */
  readonly start: () => Promise<void>
  /** Ends the server as if the machine had lost its power, unless it does not run. */
  readonly crash: () => Promise<void>
}

/** Prepares a server in an existing directory. */
export async function scratchServer(directory: string): Promise<ScratchServer> {
  const data = join(directory, 'data')
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
  let port = await freePort()
  let hasStarted = false
  return {
    get address() {
      return `postgres://jurist:${password}@127.0.0.1:${port}/postgres`
    },
    async start() {
      // Another process may take the port before the server does.
      for (let tries = 1; !(await isReady(data, launched(directory, port))); tries += 1) {
        if (tries === 100) throw new Error(`PostgreSQL does not start:\n${readFileSync(logOf(directory), 'utf8')}`)
        if (!hasStarted) port = await freePort()
      }
      hasStarted = true
    },
    crash: () => crashServer(directory),
  }
}

function logOf(directory: string): string {
  return join(directory, 'log')
}

function launched(directory: string, port: number): ChildProcess {
  const data = join(directory, 'data')
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    fsync: 'off',
    max_connections: 300,
    unix_socket_directories: data,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const log = openSync(logOf(directory), 'a')
  const how = { ...owner(), cwd: '/', detached: true }
  const child = spawn(join(programs ?? '', 'postgres'), ['-D', data, ...flags], { ...how, stdio: ['ignore', log, log] })
  closeSync(log)
  child.unref()
  return child
}

/** Waits until a server says in its file that it is ready: this one, and not another at its port. `false`: it has ended. */
async function isReady(data: string, child: ChildProcess): Promise<boolean> {
  const file = join(data, 'postmaster.pid')
  while (child.exitCode === null && child.signalCode === null) {
    const [id, , , , , , , status] = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
    if (Number(id) === child.pid && status?.trim() === 'ready') return true
    await setTimeout(50)
  }
  return false
}

/** Ends the server of a directory, if one runs there. */
export async function crashServer(directory: string): Promise<void> {
  const file = join(directory, 'data/postmaster.pid')
  const id = existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : undefined
  // SIGQUIT: it ends without saving anything.
  if (id !== undefined && isRunning(id)) process.kill(id, 'SIGQUIT')
  while (id !== undefined && existsSync(file) && isRunning(id)) await setTimeout(20)
}

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0)
    return true
  } catch {
    return false
  }
}

/** Creates an empty database on a server: its address. */
export async function createDatabase(server: string, name: string, options = ''): Promise<string> {
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
