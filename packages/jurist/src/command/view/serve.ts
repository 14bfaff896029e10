import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

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
