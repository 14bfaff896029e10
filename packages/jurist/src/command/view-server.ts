import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir, hostname, networkInterfaces } from 'node:os'
import { join } from 'node:path'

/** A server that listens. */
export interface Served extends AsyncDisposable {
  readonly port: number
}

/**
 * Serves a function of requests over HTTP until disposed of.
 *
 * @throws what `listen` throws, such as `EADDRINUSE`
 */
export async function serve(
  answer: (request: Request) => Promise<Response>,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Served> {
  const server = createServer((incoming, outgoing) => void handle(answer, incoming, outgoing))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        // A page that is still open holds its connection.
        server.closeAllConnections()
      }),
  }
}

async function handle(
  answer: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  try {
    const response = await answer(requestOf(incoming))
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.end(incoming.method === 'HEAD' ? undefined : new Uint8Array(await response.arrayBuffer()))
  } catch {
    // What no request can be made of: a broken host, method or address.
    if (!outgoing.headersSent) outgoing.writeHead(400)
    outgoing.end()
  }
}

/** Without a body: nothing here reads one. */
function requestOf({ url = '/', method = 'GET', headers }: IncomingMessage): Request {
  const given = new Headers()
  for (const [name, value] of Object.entries(headers)) for (const one of [value ?? []].flat()) given.append(name, one)
  // Put together, not resolved: a path such as `//example.com` is a path.
  return new Request(`http://${headers.host ?? 'localhost'}${url}`, { method, headers: given })
}

const everything: readonly string[] = ['0.0.0.0', '::', '[::]']

/** The address of the page for a browser on this machine, with its token, at a run when one is given. */
export function addressOf(host: string, port: number, token: string, run: string | undefined): string {
  const name = everything.includes(host) ? 'localhost' : bracketed(host)
  return `http://${name}:${port}/?token=${token}${run === undefined ? '' : `#/runs/${run}`}`
}

/** The names under which a page that listens on `host` may be asked for, beside those of the loopback. */
export function hostsOf(host: string): readonly string[] {
  if (!everything.includes(host)) return [bracketed(host)]
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
  return [hostname().toLowerCase(), ...addresses.map(({ address }) => bracketed(address))]
}

/** An IPv6 address as it stands in a URL. */
function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host.toLowerCase()}]` : host.toLowerCase()
}

const form = /^[\w-]{32}$/

/**
 * The secret in the address of the page. It is kept in a file that only the user can read, so that an open page goes on
 * working when the server is started again; where no file can be kept, each start has its own.
 */
export async function viewToken(): Promise<string> {
  const state = process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state')
  const directory = join(state, 'jurist')
  const file = join(directory, 'view-token')
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim()
  if (form.test(kept)) return kept
  const made = randomBytes(24).toString('base64url')
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await writeFile(file, `${made}\n`, { mode: 0o600 })
    await chmod(file, 0o600)
  } catch {
    // A home that cannot be written is no reason not to look at results.
  }
  return made
}
