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
 * Serves a request handler over HTTP until it is disposed.
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
        // An open page keeps its connection alive.
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
    // What is left of a refused body is read to nowhere, so that the sender gets the answer.
    incoming.resume()
  } catch {
    // The host, method or address does not make a valid request.
    if (!outgoing.headersSent) outgoing.writeHead(400)
    outgoing.end()
  }
}

function requestOf(incoming: IncomingMessage): Request {
  const { url = '/', method = 'GET', headers } = incoming
  const given = new Headers()
  for (const [name, value] of Object.entries(headers)) for (const one of [value ?? []].flat()) given.append(name, one)
  // Concatenated, not resolved: `//example.com` is a path.
  // A handler that stops reading must not close the connection that its answer takes.
  const body = method === 'POST' ? ReadableStream.from(incoming.iterator({ destroyOnReturn: false })) : null
  return new Request(`http://${headers.host ?? 'localhost'}${url}`, { method, headers: given, body, duplex: 'half' })
}

const everything: readonly string[] = ['0.0.0.0', '::', '[::]']

/** The origin of the page for a browser on this machine. */
export function originOf(host: string, port: number): string {
  return `http://${everything.includes(host) ? 'localhost' : bracketed(host)}:${port}`
}

/** The host names that requests may use, besides those of the loopback, when the server listens on `host`. */
export function hostsOf(host: string): readonly string[] {
  if (!everything.includes(host)) return [bracketed(host)]
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
  return [hostname().toLowerCase(), ...addresses.map(({ address }) => bracketed(address))]
}

/** An IPv6 address as URLs write it. */
function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host.toLowerCase()}]` : host.toLowerCase()
}

const form = /^[\w-]{32}$/

/**
 * The secret in the URL of the page. It is kept in a file that only the user can read, so that an open page keeps working
 * after the server restarts. Where the file cannot be written, each start has its own secret.
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
    // The page also works where the home directory cannot be written.
  }
  return made
}
