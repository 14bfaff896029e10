import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { allowListOf, type NetworkAttempt } from '../../src/sandbox/egress/allow-list.js'
import { readClientHello } from '../../src/sandbox/egress/client-hello.js'
import { startProxy } from '../../src/sandbox/egress/proxy.js'
import { reachHostsBy } from '../../src/sandbox/egress/reach.js'

/** How many random requests and hellos; 1,000,000 takes minutes. */
const cases = Number(process.env['JURIST_TEST_REQUESTS'] ?? 6_000)
const allow = ['model.test', '*.wheels.test', 'api.test:8443', 'http://clear.test']
const directory = mkdtempSync(join(tmpdir(), 'jurist-egress-laws-'))
const path = join(directory, 'proxy.sock')
const attempts: NetworkAttempt[] = []
/** The names that the proxy resolved, and so the hosts that it let through. */
const resolved: string[] = []
let received = Buffer.alloc(0)
let upstream: Server
let proxy: Awaited<ReturnType<typeof startProxy>>
let hosts: NonNullable<Parameters<typeof reachHostsBy>[0]>

beforeAll(async () => {
  upstream = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      socket.write('answered')
    })
    socket.on('end', () => socket.end(' to the end'))
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const { port } = upstream.address() as AddressInfo
  hosts = {
    async resolve(name) {
      resolved.push(name)
      return ['203.0.113.7']
    },
    connect: () => connect({ host: '127.0.0.1', port, allowHalfOpen: true }),
  }
  reachHostsBy(hosts)
  proxy = await startProxy(path, allowListOf('test', { allow }), (attempt) => attempts.push(attempt))
})
beforeEach(() => {
  attempts.length = 0
  resolved.length = 0
  received = Buffer.alloc(0)
})
afterAll(() => {
  reachHostsBy()
  proxy.close()
  upstream.close()
  rmSync(directory, { recursive: true, force: true })
})

/** Sends bytes, each text after an answer or a short pause, and returns everything that came back. */
function said(texts: readonly (string | Buffer)[], { ends = true } = {}): Promise<string> {
  return new Promise((resolve) => {
    let read = ''
    const left = [...texts]
    const socket = connect({ path, allowHalfOpen: true })
    const next = () => {
      const text = left.shift()
      if (text !== undefined) socket.write(text)
      else if (ends) socket.end()
    }
    socket.on('connect', next)
    socket.on('data', (chunk) => {
      read += chunk.toString('latin1')
      next()
    })
    socket.on('error', () => resolve(read))
    socket.on('close', () => resolve(read))
    socket.on('end', () => socket.end())
  })
}

const sized = (value: Buffer, bytes: number) => {
  const head = Buffer.alloc(bytes)
  head.writeUIntBE(value.length, 0, bytes)
  return Buffer.concat([head, value])
}
const extension = (type: number, value: Buffer) => {
  const head = Buffer.alloc(2)
  head.writeUInt16BE(type)
  return Buffer.concat([head, sized(value, 2)])
}
/** A ClientHello with these server names, filled up to a size. */
function hello(names: readonly string[], fill = 0): Buffer {
  const listed = names.map((name) => Buffer.concat([Buffer.from([0]), sized(Buffer.from(name, 'latin1'), 2)]))
  const server = names.length === 0 ? [] : [extension(0, sized(Buffer.concat(listed), 2))]
  const extensions = sized(
    Buffer.concat([...server, extension(21, Buffer.alloc(fill)), extension(43, Buffer.from([2, 3, 4]))]),
    2,
  )
  const start = Buffer.concat([Buffer.from([3, 3]), randomBytes(32), Buffer.from([0]), sized(Buffer.from([19, 1]), 2)])
  const body = Buffer.concat([start, Buffer.from([1, 0]), extensions])
  const message = Buffer.concat([Buffer.from([1]), sized(body, 3)])
  const records: Buffer[] = []
  for (let at = 0; at < message.length; at += 16_000)
    records.push(Buffer.concat([Buffer.from([22, 3, 1]), sized(message.subarray(at, at + 16_000), 2)]))
  return Buffer.concat(records)
}

/** Decides in another way than the proxy: a request line may open a tunnel only if it is one of these, letter by letter. */
function mayOpen(line: string): boolean {
  const [, target] = /^CONNECT +(\S+) +HTTP\/1\.[01]$/.exec(line) ?? []
  if (target === undefined) return false
  const at = target.lastIndexOf(':')
  const [name, port] = [target.slice(0, at).toLowerCase().replace(/\.$/, ''), target.slice(at + 1)]
  if (!/^\d{1,5}$/.test(port)) return false
  if (Number(port) === 8443) return name === 'api.test'
  if (Number(port) !== 443) return false
  return name === 'model.test' || /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+wheels\.test$/.test(name)
}

const names = fc.oneof(
  fc.constantFrom('model.test', 'MODEL.test', 'model.test.', 'a.wheels.test', 'wheels.test', 'api.test', 'clear.test'),
  fc.constantFrom(
    'evil.test',
    'model.test.evil.test',
    'evilmodel.test',
    '127.0.0.1',
    '[::1]',
    '2130706433',
    'localhost',
  ),
  fc.domain(),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
)
const separators = fc.constantFrom('', '', '', '', '@', '.', '%00', '\0', ' ', '\t', '/', '\\', ':', '..', '*', '#')
const ports = fc.oneof(
  fc.constantFrom('443', '443', '443', '8443', '80', '0443', '65979', '-1', '443x', ''),
  fc.string({ maxLength: 4 }),
)
const lines = fc
  .tuple(
    fc.constantFrom('CONNECT', 'CONNECT', 'CONNECT', 'connect', 'GET', 'CONNECT\t'),
    names,
    separators,
    names,
    separators,
    ports,
  )
  .map(([method, name, between, other, after, port]) => {
    const host = between === '' ? name : `${name}${between}${other}`
    return `${method} ${host}${after}:${port} HTTP/1.1`
  })

test('a tunnel that is silent too long is closed, and the record says so', async () => {
  reachHostsBy({ ...hosts, idleMs: 100 })
  try {
    expect(await said(['CONNECT model.test:443 HTTP/1.1\r\n\r\n', hello(['model.test'])], { ends: false })).toContain(
      'answered',
    )
    expect(attempts).toMatchObject([{ host: 'model.test', outcome: 'allowed', reason: 'idle' }])
  } finally {
    reachHostsBy(hosts)
  }
})

describe('the proxy of an allow-list', () => {
  test('opens nothing beyond the list, whatever is asked for', async () => {
    let opened = 0
    await fc.assert(
      fc.asyncProperty(lines, async (line) => {
        resolved.length = 0
        const answer = await said([`${line}\r\nHost: x\r\n\r\n`])
        const isOpen = answer.startsWith('HTTP/1.1 200')
        opened += Number(isOpen)
        // A line break in it makes several lines of it, and the first one counts.
        expect(isOpen && !mayOpen(line.split('\r\n', 1)[0] ?? ''), line).toBe(false)
        expect(resolved.length > 0 && !isOpen, line).toBe(false)
        expect(proxy.failure()).toBeUndefined()
      }),
      { numRuns: cases },
    )
    // The law would hold for a proxy that opens nothing.
    expect(opened).toBeGreaterThan(0)
  })

  test('takes the name of a server from a ClientHello only as it is there', () => {
    const changes = fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 4 })
    const cut = fc.nat(400)
    fc.assert(
      fc.property(fc.array(names, { maxLength: 2 }), changes, fc.option(cut), (wanted, changed, length) => {
        const bytes = hello(wanted)
        for (const [at, value] of changed) if (at < bytes.length) bytes[at] = value
        const read = readClientHello(length === null ? bytes : bytes.subarray(0, length))
        if (read === undefined || read === 'more' || read.serverName === undefined) return
        // Extension 0 with exactly one name, whose lengths all agree.
        const name = Buffer.from(read.serverName, 'latin1')
        const whole = extension(0, sized(Buffer.concat([Buffer.from([0]), sized(name, 2)]), 2))
        expect(bytes.toString('latin1').toLowerCase()).toContain(whole.toString('latin1').toLowerCase())
      }),
      { numRuns: cases },
    )
    expect(readClientHello(hello(['model.test']))).toMatchObject({ serverName: 'model.test' })
  })

  test('reads a hello that arrives in single bytes, and half-closed ends', async () => {
    const bytes = hello(['model.test'])
    const answer = await new Promise<string>((resolve) => {
      let read = ''
      const socket = connect({ path, allowHalfOpen: true })
      socket.write('CONNECT model.test:443 HTTP/1.1\r\n\r\n')
      socket.once('data', async () => {
        for (const byte of bytes) {
          socket.write(Buffer.from([byte]))
          await new Promise((next) => setImmediate(next))
        }
        socket.on('data', (chunk) => {
          read += chunk.toString('latin1')
          socket.end()
        })
      })
      socket.on('close', () => resolve(read))
      socket.on('end', () => socket.end())
    })
    expect(answer).toBe('answered to the end')
    expect(received.equals(bytes)).toBe(true)
    expect(attempts).toMatchObject([{ host: 'model.test', outcome: 'allowed', reason: null, bytesOut: bytes.length }])
  })

  const connectModel = 'CONNECT model.test:443 HTTP/1.1\r\n\r\n'
  test.each([
    ['a hello of 64 KiB', [connectModel, hello(['model.test'], 65_000)], 'not-tls'],
    ['two names', [connectModel, hello(['model.test', 'evil.test'])], 'not-tls'],
    ['garbage', [connectModel, randomBytes(2_000).fill(21, 0, 1)], 'not-tls'],
    ['headers of 1 MB', [`CONNECT model.test:443 HTTP/1.1\r\nX: ${'x'.repeat(1_000_000)}\r\n\r\n`], 'not-http'],
    ['a target of 300 letters', [`CONNECT ${'m'.repeat(300)}.test:443 HTTP/1.1\r\n\r\n`], 'not-a-host'],
  ] as const)('refuses %s, and nothing of it arrives', async (_, texts, reason) => {
    await said(texts)
    expect(attempts.map(({ outcome, reason: why }) => [outcome, why])).toEqual([['refused', reason]])
    expect(received).toHaveLength(0)
    expect(proxy.failure()).toBeUndefined()
  })

  test('refuses 10,000 requests of other hosts, 100 at a time, and still serves', async () => {
    const each = async () => {
      for (let index = 0; index < 100; index += 1) {
        const answer = await said(['CONNECT evil.test:443 HTTP/1.1\r\n\r\n'])
        expect(answer).toMatch(/^HTTP\/1\.1 403 /)
      }
    }
    await Promise.all(Array.from({ length: 100 }, each))
    expect(attempts).toHaveLength(10_000)
    expect(resolved).toEqual([])
    expect(await said([connectModel, hello(['model.test'])])).toContain('answered')
  })
})
