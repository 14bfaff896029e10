import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A page that listens on the loopback. */
export interface ServedPage extends AsyncDisposable {
  /** Such as `http://127.0.0.1:4040`. */
  readonly origin: string
}

/** Serves a function of requests on a free port of the loopback. */
export async function servePage(answer: (request: Request) => Promise<Response>): Promise<ServedPage> {
  const server = createServer(async (incoming, outgoing) => {
    const headers = new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]))
    const response = await answer(
      new Request(`http://${incoming.headers.host}${incoming.url}`, { method: incoming.method ?? 'GET', headers }),
    )
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.end(new Uint8Array(await response.arrayBuffer()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
