import {
  createServer as createHttpServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  STATUS_CODES,
  type Server as WebServer,
} from 'node:http'
import { createServer, isIP, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { failureOf } from '@jurist/core/internal'
import { type AllowList, canonicalAddress, isDnsName, isPublicAddress, type NetworkAttempt } from './allow-list.js'
import { asksAgain, beforeSecondHello, type ClientHello, longestHello, readClientHello } from './client-hello.js'
import { reach } from './reach.js'

/** The largest number of connections of one command, and the limits of time in milliseconds. */
const proxyLimits = { connections: 256, helloMs: 10_000, connectMs: 10_000 }

export interface Proxy {
  /** Why the proxy no longer works; `undefined` while it does. */
  failure(): unknown
  /** Ends every connection, and records those that were open. */
  close(): void
}

/** A refusal, with the answer to the client. */
class Refused extends Error {
  readonly reason: string
  readonly status: number

  constructor(reason: string, message: string, status = 403) {
    super(message)
    this.reason = reason
    this.status = status
  }
}

interface Target {
  readonly host: string
  readonly port: number
}

/** An attempt that is not over. */
interface Open {
  via: Reached | undefined
  end(outcome: NetworkAttempt['outcome'], reason?: string | null): void
}

interface Reached {
  readonly socket: Socket
  readonly address: string
}

/**
 * Starts a proxy on a unix socket: `CONNECT` for TLS, whose server name must be the host, and absolute requests for
 * entries in clear text. Names are resolved here, once for each connection, and must lead to public addresses.
 */
export async function startProxy(
  path: string,
  list: AllowList,
  record: (attempt: NetworkAttempt) => void,
): Promise<Proxy> {
  const proxy = new ProxyServer(list, record)
  await listening(proxy.server, path)
  return {
    failure: () => proxy.failure,
    close: () => proxy.close(),
  }
}

class ProxyServer {
  readonly server: Server
  failure: unknown
  private readonly clients = new Set<Socket>()
  private readonly open = new Set<Open>()
  /** Ends the time in which a connection must ask for something. */
  private readonly asked = new WeakMap<Duplex, () => void>()
  private readonly web: WebServer
  private readonly list: AllowList
  private readonly record: (attempt: NetworkAttempt) => void

  constructor(list: AllowList, record: (attempt: NetworkAttempt) => void) {
    this.list = list
    this.record = record
    this.web = this.webServer()
    this.server = createServer({ allowHalfOpen: true }, (client) => this.accept(client))
    this.server.on('error', (thrown) => this.fail(thrown))
  }

  close(): void {
    this.shut()
    for (const one of this.open) one.end('allowed', 'closed')
  }

  private accept(client: Socket): void {
    const { connections, helloMs } = proxyLimits
    this.clients.add(client)
    client.on('error', () => client.destroy())
    client.once('close', () => this.clients.delete(client))
    if (this.clients.size > connections) {
      this.begin({}, 'connect').end('refused', 'too-many-connections')
      refuse(client, new Refused('too-many-connections', `more than ${connections} connections are open`, 503))
      return
    }
    const late = setTimeout(() => client.destroy(), helloMs)
    this.asked.set(client, () => clearTimeout(late))
    client.once('close', () => clearTimeout(late))
    this.web.emit('connection', client)
  }

  /** Reads the requests of accepted connections. */
  private webServer(): WebServer {
    const { idleMs } = reach()
    const web = createHttpServer({ maxHeaderSize: 16_384, requireHostHeader: false, keepAliveTimeout: idleMs })
    web.on('connect', (request: IncomingMessage, client, head: Buffer) => {
      this.asked.get(client)?.()
      this.guard(this.tunnel(request, client as Socket, head))
    })
    web.on('request', (request, response) => {
      this.asked.get(request.socket)?.()
      request.socket.setTimeout(idleMs, () => request.socket.destroy())
      this.guard(this.passThrough(request, response))
    })
    web.on('clientError', (error: NodeJS.ErrnoException, client) => {
      // A client that goes away has asked for nothing.
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE' || !client.writable) client.destroy()
      else {
        this.begin({}, 'connect').end('refused', 'not-http')
        const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400
        refuse(client as Socket, new Refused('not-http', 'this is not a request to a proxy in HTTP/1.1', status))
      }
    })
    return web
  }

  private guard(work: Promise<void>): void {
    work.catch((thrown: unknown) => this.fail(thrown))
  }

  /** After an unexpected exception the proxy may not hold, so everything is closed. */
  private fail(thrown: unknown): void {
    this.failure ??= thrown
    this.shut()
  }

  private shut(): void {
    this.server.close()
    for (const client of this.clients) client.destroy()
    for (const one of this.open) one.via?.socket.destroy()
  }

  private begin(about: Partial<NetworkAttempt>, how: NetworkAttempt['how']): Open {
    const startedAt = performance.now()
    const one: Open = {
      via: undefined,
      end: (outcome, reason = null) => {
        if (!this.open.delete(one)) return
        const { socket, address = null } = one.via ?? {}
        const { bytesWritten: bytesOut = 0, bytesRead: bytesIn = 0 } = socket ?? {}
        const elapsedMs = Math.round(performance.now() - startedAt)
        this.record({ host: null, port: null, address, how, outcome, reason, bytesOut, bytesIn, elapsedMs, ...about })
      },
    }
    this.open.add(one)
    return one
  }

  private async tunnel(request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    const target = authorityOf(request.url ?? '')
    const one = this.begin(target ?? {}, 'connect')
    try {
      if (target === undefined) throw new Refused('not-a-host', 'the target is not a host with a port', 400)
      const entry = this.list.find(target.host, target.port, ['tls', 'raw'])
      if (entry === undefined) throw notListed(target)
      one.via = await connected(target, entry.isName)
      const { socket: upstream } = one.via
      upstream.once('close', () => client.destroySoon())
      client.once('close', () => upstream.destroy())
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      const rest = entry.kind === 'tls' ? await passHello(target, client, upstream, head) : head
      if (rest.length > 0) upstream.write(rest)
      if (client.destroyed) return one.end('allowed')
      client.once('close', () => one.end('allowed'))
      upstream.setTimeout(reach().idleMs, () => {
        one.end('allowed', 'idle')
        upstream.destroy()
      })
      client.pipe(upstream)
      upstream.pipe(client)
    } catch (thrown) {
      one.via?.socket.destroy()
      refuse(client, ended(one, thrown))
    }
  }

  private async passThrough(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '' } = request
    const [, authority = '', rest = ''] = /^http:\/\/([^/?#]*)([/?].*)?$/i.exec(url) ?? []
    const target = authorityOf(/:\d+$/.test(authority) ? authority : `${authority}:80`)
    const path = rest.startsWith('/') ? rest : `/${rest}`
    const one = this.begin({ ...target, ...(target && { method, path: path.replace(/\?.*$/s, '') }) }, 'http')
    try {
      if (target === undefined)
        throw new Refused('not-a-proxy-request', 'only CONNECT and absolute http:// requests are served', 400)
      const entry = this.list.find(target.host, target.port, ['http', 'raw'])
      if (entry === undefined) throw notListed(target)
      checkHost(request, target)
      checkBody(request)
      if (request.headers.upgrade !== undefined)
        throw new Refused('upgrade', 'another protocol needs CONNECT, and an entry { host, port, raw: true }')
      one.via = await connected(target, entry.isName)
      response.once('close', () => one.end('allowed'))
      await exchange(request, response, one.via.socket, path)
    } catch (thrown) {
      const { status, message } = ended(one, thrown)
      request.resume()
      if (response.headersSent) response.destroy()
      else response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(bodyText(message))
    }
  }
}

/** Records a refusal. A listed host that cannot be reached was not refused. */
function ended(one: Open, thrown: unknown): Refused {
  if (!(thrown instanceof Refused)) throw thrown
  one.end(thrown.reason === 'unreachable' ? 'allowed' : 'refused', thrown.reason)
  return thrown
}

/** Connects to an address that was checked, through the proxy that this process itself must use if there is one. */
async function connected({ host, port }: Target, isName: boolean): Promise<Reached> {
  const outer = isName ? proxyOfHost(host) : undefined
  const found = isName
    ? await reach()
        .resolve(host)
        .catch(() => [])
    : host === 'localhost'
      ? ['127.0.0.1', '::1']
      : [host]
  const addresses = isName ? found.filter(isPublicAddress) : found
  if (found.length > 0 && addresses.length === 0)
    throw new Refused('address-refused', `${host} leads to an address that is not public`)
  // Behind another proxy, names often have an address only for that one.
  if (outer !== undefined)
    return { socket: await throughProxy(outer, { host, port }), address: addresses[0] ?? outer.host }
  if (found.length === 0) throw new Refused('unresolved', `${host} has no address`, 502)
  let reason = ''
  for (const address of addresses.slice(0, mostAddresses)) {
    try {
      return { socket: await connectedSocket(address, port), address }
    } catch (thrown) {
      reason = failureOf(thrown).message
    }
  }
  throw new Refused('unreachable', `${host}:${port} cannot be reached (${reason})`, 502)
}

const mostAddresses = 4

function connectedSocket(address: string, port: number): Promise<Socket> {
  const socket = reach().connect(address, port) as Socket
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => socket.destroy(new Error('it does not answer')), proxyLimits.connectMs)
    // A later error of the socket ends the connection, which is all that it means.
    socket.on('error', reject)
    socket.once('close', () => {
      clearTimeout(late)
      reject(new Error('closed'))
    })
    socket.once('connect', () => {
      clearTimeout(late)
      resolve(socket)
    })
  })
}

interface OuterProxy extends Target {
  readonly credentials: string
}

/** The proxy that this process itself needs for a host. */
function proxyOfHost(host: string): OuterProxy | undefined {
  const { HTTPS_PROXY, https_proxy = HTTPS_PROXY, NO_PROXY, no_proxy = NO_PROXY } = process.env
  const direct = (no_proxy ?? '').split(',').map((one) =>
    one
      .trim()
      .toLowerCase()
      .replace(/^\*?\.?/, ''),
  )
  if (!https_proxy || direct.some((one) => one !== '' && `.${host}`.endsWith(`.${one}`))) return undefined
  const { hostname, port, username, password } = new URL(https_proxy)
  const credentials = username === '' ? '' : `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80), credentials }
}

async function throughProxy({ host, port, credentials }: OuterProxy, target: Target): Promise<Socket> {
  const wanted = `${target.host}:${target.port}`
  const unreachable = (why: string) =>
    new Refused('unreachable', `${wanted} cannot be reached through HTTPS_PROXY (${why})`, 502)
  const socket = await connectedSocket(host, port).catch((thrown: unknown) => {
    throw unreachable(failureOf(thrown).message)
  })
  const identified =
    credentials === '' ? '' : `Proxy-Authorization: Basic ${Buffer.from(credentials).toString('base64')}\r\n`
  socket.write(`CONNECT ${wanted} HTTP/1.1\r\nHost: ${wanted}\r\n${identified}\r\n`)
  let head: Buffer = Buffer.alloc(0)
  while (!head.includes('\r\n\r\n') && head.length < longestHello) {
    const more = await nextBytes(socket, AbortSignal.timeout(proxyLimits.connectMs))
    if (more === null) break
    head = Buffer.concat([head, more])
  }
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1'))?.[1]
  if (status === '200') return socket
  socket.destroy()
  throw unreachable(status === undefined ? 'it does not answer' : `it answers ${status}`)
}

export function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function notListed({ host, port }: Target): Refused {
  return new Refused('not-listed', `${host}:${port} is not in the allow-list of the sandbox (network.allow)`)
}

/** Reads `host:port`; `undefined` if there is anything else in it. */
function authorityOf(text: string): Target | undefined {
  const [, bracketed, name, digits] = /^(?:\[([0-9a-f:.]+)\]|([^\s:@/?#[\]\\]+)):(\d{1,5})$/i.exec(text) ?? []
  const port = Number(digits)
  if (!(port >= 1 && port <= 65_535)) return undefined
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? { host: canonicalAddress(bracketed), port } : undefined
  const host = (name ?? '').toLowerCase().replace(/\.$/, '')
  return isIP(host) === 4 || isDnsName(host) ? { host, port } : undefined
}

/** The first bytes must be a ClientHello with the host's name. Returns what follows; all before has been passed on. */
async function passHello({ host }: Target, client: Duplex, upstream: Socket, head: Buffer): Promise<Buffer> {
  const deadline = AbortSignal.timeout(proxyLimits.helloMs)
  const checked = async (first: Buffer): Promise<{ readonly hello: ClientHello; readonly bytes: Buffer }> => {
    let bytes = first
    for (;;) {
      const hello = bytes.length === 0 ? 'more' : readClientHello(bytes)
      if (hello === undefined) throw new Refused('not-tls', `a tunnel to ${host} needs TLS`)
      if (hello !== 'more') {
        const { serverName, isHidden } = hello
        if (serverName === undefined) throw new Refused('sni-missing', `the TLS client names no server`)
        if (serverName !== host) throw new Refused('sni-differs', `the TLS client names another server than ${host}`)
        if (isHidden) throw new Refused('sni-hidden', `the TLS client encrypts the name of its server`)
        return { hello, bytes }
      }
      const more = bytes.length > 2 * longestHello ? null : await nextBytes(client, deadline)
      if (more === null) throw new Refused('not-tls', `a tunnel to ${host} needs TLS`)
      bytes = Buffer.concat([bytes, more])
    }
  }
  const first = await checked(head)
  upstream.write(first.bytes.subarray(0, first.hello.length))
  const rest = first.bytes.subarray(first.hello.length)
  let answered: Buffer = Buffer.alloc(0)
  for (let again = asksAgainIn(answered); again !== false; again = asksAgainIn(answered)) {
    if (again === true) break
    const more = await nextBytes(upstream, AbortSignal.timeout(reach().idleMs))
    if (more === null) return rest
    answered = Buffer.concat([answered, more])
    client.write(more)
  }
  if (asksAgainIn(answered) !== true) return rest
  // The server asks for a second ClientHello, which must have the same name.
  let second: Buffer = rest
  for (let at = beforeSecondHello(second); second.length < at + 6; at = beforeSecondHello(second)) {
    const more =
      second.length > 4 * longestHello ? null : await nextBytes(client, AbortSignal.timeout(proxyLimits.helloMs))
    if (more === null) throw new Refused('not-tls', `a tunnel to ${host} needs TLS`)
    second = Buffer.concat([second, more])
  }
  const at = beforeSecondHello(second)
  const { bytes } = await checked(second.subarray(at))
  upstream.write(second.subarray(0, at))
  return bytes
}

const asksAgainIn = (bytes: Buffer) => (bytes.length === 0 ? 'more' : asksAgain(bytes))

/** Reads what arrives next; `null` at the end, or when it is too late. */
function nextBytes(socket: Duplex, signal: AbortSignal): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const over = (value: Buffer | null) => {
      socket.off('readable', read).off('end', end).off('close', end)
      signal.removeEventListener('abort', end)
      resolve(value)
    }
    const end = () => over(null)
    const read = () => {
      const chunk: Buffer | null = socket.read()
      if (chunk !== null) over(chunk)
    }
    socket.on('readable', read).once('end', end).once('close', end)
    signal.addEventListener('abort', end)
    if (socket.destroyed || socket.readableEnded || signal.aborted) end()
    else read()
  })
}

/** A server that reads another length would take the rest of a body for another request. */
function checkBody({ headers }: IncomingMessage): void {
  const coding = headers['transfer-encoding']
  if (coding === undefined || coding.toLowerCase() === 'chunked') return
  throw new Refused('not-http', 'the body has an unknown transfer coding', 400)
}

/** The header, the target and the entry must agree: a server would follow the header. */
function checkHost({ rawHeaders, headers }: IncomingMessage, { host, port }: Target): void {
  const hosts = rawHeaders.filter((_, index) => index % 2 === 0 && rawHeaders[index]?.toLowerCase() === 'host')
  const given = headers.host ?? ''
  const named = authorityOf(/:\d+$/.test(given) ? given : `${given}:80`)
  if (hosts.length === 1 && named?.host === host && named.port === port) return
  throw new Refused('host-differs', 'the header Host and the target of the request differ', 400)
}

/** Headers for one hop, and those by which a server may take another host for the one that was asked. */
const notPassed =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|upgrade|expect|via|forwarded|x-forwarded-.*|x-host|x-original-.*|x-rewrite-.*)$/

function passedHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = String(headers.connection ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !notPassed.test(name) && !named.includes(name)))
}

async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  upstream: Socket,
  path: string,
): Promise<void> {
  const { method, headers } = request
  upstream.setTimeout(reach().idleMs, () => upstream.destroy())
  // With an agent, even `false`, it would open a connection of its own.
  const asked = httpRequest({
    createConnection: () => upstream,
    method,
    path,
    headers: passedHeaders(headers),
    setHost: false,
  })
  response.once('close', () => upstream.destroy())
  request.pipe(asked)
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    asked.once('response', resolve)
    asked.on('error', () => reject(new Refused('unreachable', 'the server ended the connection', 502)))
  })
  answer.on('error', () => response.destroy())
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, passedHeaders(answer.headers))
  answer.pipe(response)
}

function bodyText(message: string): string {
  return `jurist: ${message}.\n`
}

function answerText(status: number, message: string): string {
  const body = bodyText(message)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
}

/** Answers while the client still waits for an answer; inside a tunnel it only closes. */
function refuse(client: Socket, { status, message, reason }: Refused): void {
  const isInside = ['not-tls', 'sni-missing', 'sni-differs', 'sni-hidden'].includes(reason)
  if (isInside || !client.writable) client.destroy()
  else client.end(answerText(status, message), () => client.destroy())
}
