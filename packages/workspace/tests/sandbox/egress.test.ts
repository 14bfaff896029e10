import { createSocket } from 'node:dgram'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { bubblewrapSandbox, dockerSandbox, localWorkspace, type NetworkAttempt, type Sandbox } from '@jurist/workspace'
import { reachHostsBy } from '@jurist/workspace/internal'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Outside, prelude, publicAddress, type Way, ways } from './ways-out.js'

const works = (sandbox: Sandbox) =>
  sandbox.probe().then(
    () => true,
    () => false,
  )
const { JURIST_TEST_IMAGE: image, JURIST_TEST_CONTAINERS: cli = 'podman' } = process.env
const hasBubblewrap = await works(bubblewrapSandbox({ network: { allow: [] } }))

/** What arrived where nothing may arrive, and what the servers of listed hosts were sent. */
const arrived: string[] = []
const asked: string[] = []
let received = ''
let turns = 0
let outside: Outside
const closing: (() => void)[] = []

const addresses: { readonly [name: string]: () => string } = {
  'model.test': () => publicAddress,
  'clear.test': () => '203.0.113.8',
  'loop.test': () => '127.0.0.1',
  'ten.test': () => '10.0.0.1',
  'unique.test': () => 'fd00::1',
  'shared.test': () => '100.64.0.1',
  'mapped.test': () => '::ffff:10.0.0.1',
  'meta.test': () => '169.254.169.254',
  'turn.test': () => (turns++ === 0 ? publicAddress : '10.0.0.1'),
}
const allow = () => [
  ...Object.keys(addresses).map((name) => (name === 'clear.test' ? `http://${name}` : name)),
  `localhost:${outside.open}`,
]

beforeAll(async () => {
  const port = async (server: Server, ...where: (string | number)[]) => {
    await new Promise<void>((resolve) => server.listen(...(where as [number, string]), () => resolve()))
    closing.push(() => server.close())
    return (server.address() as AddressInfo).port
  }
  const forbidden = () =>
    createServer((socket) => {
      arrived.push('a connection')
      socket.on('error', () => {})
      socket.end('reached')
    })
  const closed = await port(forbidden(), 0, '::')
  const datagrams = createSocket('udp6', () => arrived.push('a datagram'))
  await new Promise<void>((resolve) => datagrams.bind(closed, '::', resolve))
  closing.push(() => datagrams.close())
  // The hello with 82 in its random asks for another one.
  const retry = Buffer.concat([
    Buffer.from([22, 3, 3, 0, 44, 2, 0, 0, 40, 3, 3]),
    Buffer.from('cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c', 'hex'),
    Buffer.alloc(6),
  ])
  const other = Buffer.concat([Buffer.from([22, 3, 3, 0, 44, 2, 0, 0, 40, 3, 3]), Buffer.alloc(38, 9)])
  const model = await port(
    createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', (chunk) => {
        received += chunk.toString('latin1')
        if (chunk[0] === 22) socket.write(chunk.includes(Buffer.alloc(32, 82)) ? retry : other)
      })
    }),
    0,
    '127.0.0.1',
  )
  const web = createHttpServer((request, response) => {
    received += `${request.headers.host} ${JSON.stringify(request.rawHeaders)} ${request.url}\n`
    if (request.url === '/redirect') response.writeHead(302, { location: 'http://evil.test/' }).end()
    else response.end('reached')
  })
  const open = await port(web, 0, '127.0.0.1')
  const socket = `/tmp/jurist-egress-test-${process.pid}.sock`
  await port(forbidden(), socket)
  const abstract = `jurist-egress-test-${process.pid}`
  await port(forbidden(), `\0${abstract}`)
  const own = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal)
  const address = own?.address ?? '192.0.2.1'
  outside = { closed, open, socket, abstract, address, gateway: address.replace(/\d+$/, '1') }
  reachHostsBy({
    async resolve(name) {
      asked.push(name)
      const found = addresses[name]?.()
      if (found === undefined) throw new Error('ENOTFOUND')
      return [found]
    },
    connect(address, port) {
      const to: { readonly [address: string]: number } = { [publicAddress]: model, '203.0.113.8': open }
      const known = address === '127.0.0.1' && port === open ? open : to[address]
      if (known === undefined) arrived.push(`a connection to ${address}:${port}`)
      return connect({ host: '127.0.0.1', port: known ?? closed, allowHalfOpen: true })
    },
  })
})

afterAll(() => {
  reachHostsBy()
  for (const close of closing) close()
})

/** Runs a way out, and returns what it did with what the proxy recorded of it. */
async function tried(way: Way, sandbox: Sandbox) {
  const attempts: NetworkAttempt[] = []
  await using files = await temporaryWorkspace({
    'way.cjs': `${prelude}\n;(async () => { ${way.shell ? '' : way.program(outside)} })()`,
  })
  await using workspace = localWorkspace(files.root, { sandbox, onNetwork: (one) => attempts.push(one) })
  const command = way.shell ? way.program(outside) : ['node', 'way.cjs']
  const result = await workspace.run(command, { timeoutMs: 60_000 })
  return { result, attempts }
}

const sandboxes: readonly (readonly [string, boolean, (network: { allow: string[] }) => Sandbox])[] = [
  ['bubblewrap', hasBubblewrap, (network) => bubblewrapSandbox({ network })],
  [
    'containers (needs JURIST_TEST_IMAGE)',
    image !== undefined,
    (network) => dockerSandbox({ image: image ?? '', cli, network, readable: ['/usr'] }),
  ],
]

test('there are fifty ways out', () => {
  expect(ways).toHaveLength(50)
})

for (const [name, isThere, make] of sandboxes)
  describe.skipIf(!isThere)(`no way out of ${name}`, () => {
    test.each(ways.map((way, index) => [`${index + 1} ${way.name}`, way] as const))('%s', async (_, way) => {
      ;[arrived.length, asked.length, received, turns] = [0, 0, '', 0]
      const { result, attempts } = await tried(way, make({ allow: allow() }))
      const evidence = JSON.stringify({ result, attempts, received })
      expect(arrived, evidence).toEqual([])
      expect(result.stdout, evidence).not.toContain('THROUGH')
      expect(received, evidence).not.toMatch(/evil|SSH-|GET \/ /)
      expect(asked.filter((one) => !(one in addresses))).toEqual([])
      // The command itself failed.
      expect([result.status, result.exitCode], evidence).not.toEqual(['exited', 0])
      expect(result.exitCode, evidence).not.toBe(3)
      const reasons = attempts.map(({ outcome, reason }) => (outcome === 'allowed' ? 'allowed' : reason))
      expect([...new Set(reasons)].sort(), evidence).toEqual([...(way.events ?? [])].sort())
    })
  })

describe.skipIf(!hasBubblewrap)('the proxy of a command', () => {
  test('goes through the proxy that the machine itself needs, whose password stays outside', async () => {
    const heads: string[] = []
    const outer = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', (head) => {
        heads.push(head.toString('latin1'))
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        socket.on('data', () => socket.end('the answer'))
      })
    })
    await new Promise<void>((resolve) => outer.listen(0, '127.0.0.1', resolve))
    const { port } = outer.address() as AddressInfo
    const { HTTPS_PROXY: before } = process.env
    process.env.HTTPS_PROXY = `http://user:pass%20word@127.0.0.1:${port}`
    reachHostsBy({ resolve: async () => [publicAddress] })
    try {
      const program = () => `
        console.log(await connect('model.test:443', hello('model.test')))
        console.log(JSON.stringify(process.env))
        await refused('evil.test:443')`
      const way = { name: 'the proxy of the machine', program }
      const { result, attempts } = await tried(way, bubblewrapSandbox({ network: { allow: ['model.test'] } }))
      expect(result.stdout).toContain('the answer')
      expect(result.stdout).not.toMatch(/pass(?:%20| )word|THROUGH/)
      expect(heads).toEqual([
        `CONNECT model.test:443 HTTP/1.1\r\nHost: model.test:443\r\nProxy-Authorization: Basic ${btoa('user:pass word')}\r\n\r\n`,
      ])
      expect(attempts.map(({ host, outcome }) => [host, outcome])).toEqual([
        ['model.test', 'allowed'],
        ['evil.test', 'refused'],
      ])
    } finally {
      if (before === undefined) delete process.env.HTTPS_PROXY
      else process.env.HTTPS_PROXY = before
      outer.close()
    }
  })

  test('closes everything when it breaks: the command fails as infrastructure', async () => {
    const reached: string[] = []
    reachHostsBy({
      resolve: async (name) => (name === 'broken.test' ? (null as never) : [publicAddress]),
      connect(address, port) {
        reached.push(address)
        return connect({ host: '127.0.0.1', port: outside.open || port })
      },
    })
    const program = () => `await connect('broken.test:443'); await refused('model.test:443', hello('model.test'))`
    const sandbox = bubblewrapSandbox({ network: { allow: ['broken.test', 'model.test'] } })
    const { result } = await tried({ name: 'a proxy that breaks', program }, sandbox)
    expect(result).toMatchObject({
      status: 'not-started',
      stdout: '',
      failure: { code: 'egress-failed', infrastructure: true, message: expect.stringContaining('Run the trial again') },
    })
    expect(reached).toEqual([])
  })
})
