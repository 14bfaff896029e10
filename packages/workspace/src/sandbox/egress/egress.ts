import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { JuristError } from '@jurist/core'
import { failureOf, isPlainObject } from '@jurist/core/internal'
import { isInside } from '../../containment.js'
import { deleteOrWarn, temporaryDirectory } from '../../temporary-directory.js'
import { unavailable } from '../prerequisites.js'
import type { SandboxCommand } from '../sandbox.js'
import type { AllowList, NetworkAllowList } from './allow-list.js'
import { listening, startProxy } from './proxy.js'

/** The port of the loopback inside at which programs find the proxy. */
const forwarderPort = 39_128

/** The directory inside that has the forwarder, its instructions and the sockets of the proxy. */
const egressAt = '/run/jurist/egress'

/** The instructions of the forwarder. They are a file beside the sockets that only the sandbox of one command sees. */
interface ForwarderInstructions {
  readonly file: string
  readonly args: readonly string[]
  readonly env: { readonly [name: string]: string }
  readonly port: number
  readonly localPorts: readonly number[]
  /** Variables for Java, which prints them whenever it starts, so they are set only where there is a Java. */
  readonly javaEnv: { readonly [name: string]: string }
  /** Whether to prove first that nothing but the proxy can be reached. */
  readonly isProbe: boolean
}

/**
 * The program that runs inside before the command, on the Node of this machine: it copies connections on the loopback to
 * the proxy, and ends with the command or with the proxy. It is text because it must run where this package is not.
 */
const forwarder: string = String.raw`'use strict'
const { spawn } = require('node:child_process')
const { accessSync, closeSync, constants, readdirSync, readFileSync } = require('node:fs')
const net = require('node:net')
const { constants: system } = require('node:os')
const { join } = require('node:path')
const instructions = JSON.parse(readFileSync(join(__dirname, 'command.json'), 'utf8'))
const { file, args, port, localPorts, javaEnv, isProbe } = instructions
const toProxy = () => net.connect({ path: join(__dirname, 'proxy.sock'), allowHalfOpen: true })
const end = (code, message) => {
  if (message) process.stderr.write('jurist: ' + message + '\n')
  process.exit(code)
}
const joined = (one, other) => {
  for (const [from, to] of [[one, other], [other, one]]) {
    from.pipe(to)
    from.on('error', () => to.destroy())
    from.on('close', () => to.destroySoon())
  }
}
const listen = (number, host, accept) =>
  new Promise((resolve, reject) => {
    const server = net.createServer({ allowHalfOpen: true }, accept)
    server.on('error', reject)
    server.listen(number, host, () => resolve())
  })
const local = (number) => (client) => {
  const proxy = toProxy()
  proxy.write('CONNECT localhost:' + number + ' HTTP/1.1\r\nHost: localhost:' + number + '\r\n\r\n')
  let head = Buffer.alloc(0)
  client.on('error', () => proxy.destroy())
  proxy.on('error', () => client.destroy())
  const read = (chunk) => {
    head = Buffer.concat([head, chunk])
    const at = head.indexOf('\r\n\r\n')
    if (at < 0) return
    proxy.off('data', read)
    if (!head.toString('latin1').startsWith('HTTP/1.1 200')) return client.destroy()
    client.write(head.subarray(at + 4))
    joined(client, proxy)
  }
  proxy.on('data', read)
}
const answer = (options, text) =>
  new Promise((resolve) => {
    const socket = net.connect(options, () => (text === undefined ? resolve('connected') : socket.write(text)))
    socket.setTimeout(5000, () => resolve('timeout'))
    socket.on('data', (chunk) => resolve(chunk.toString('latin1')))
    socket.on('error', (error) => resolve(error.code))
  })
const proved = async () => {
  const refused = await answer({ host: '127.0.0.1', port }, 'CONNECT jurist.invalid:443 HTTP/1.1\r\nHost: jurist.invalid:443\r\n\r\n')
  if (!refused.startsWith('HTTP/1.1 403')) end(1, 'the proxy did not refuse a host that is not allowed (' + refused.slice(0, 40) + ')')
  for (const host of ['192.0.2.1', '2001:db8::1']) {
    const direct = await answer({ host, port: 443 })
    if (direct === 'connected' || direct === 'timeout') end(1, 'the address ' + host + ' has a route')
  }
}
const isThere = (path) => {
  try {
    return accessSync(path, constants.X_OK) === undefined
  } catch {
    return false
  }
}
const closeInherited = () => {
  for (const name of readdirSync('/proc/self/fdinfo')) {
    try {
      const flags = parseInt(/flags:\s*(\d+)/.exec(readFileSync('/proc/self/fdinfo/' + name, 'utf8'))[1], 8)
      if (Number(name) > 2 && (flags & 0o2000000) === 0) closeSync(Number(name))
    } catch {}
  }
}
const main = async () => {
  // What the parents of this machine's process left open would be open to the command.
  closeInherited()
  const alive = net.connect(join(__dirname, 'alive.sock'))
  await new Promise((resolve) => alive.once('connect', resolve).once('error', (error) => end(1, 'the proxy cannot be reached (' + error.code + ')')))
  let child
  // Without the proxy nothing works, and the process that waits for the command may have been killed.
  alive.on('close', () => {
    child?.kill('SIGKILL')
    end(125, 'the proxy has ended')
  })
  alive.on('error', () => {})
  await listen(port, '127.0.0.1', (client) => joined(client, toProxy()))
  for (const number of localPorts) {
    await listen(number, '127.0.0.1', local(number))
    await listen(number, '::1', local(number)).catch(() => {})
  }
  if (isProbe) await proved()
  const env = { ...process.env, ...instructions.env }
  const hasJava = (env.PATH ?? '').split(':').some((directory) => directory.startsWith('/') && isThere(join(directory, 'java')))
  child = spawn(file, args, { stdio: 'inherit', env: hasJava ? { ...javaEnv, ...env } : env })
  child.on('error', (error) => end(error.code === 'EACCES' ? 126 : 127, file + ' could not be started (' + error.code + ')'))
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2']) process.on(signal, () => child.kill(signal))
  // The first process of a namespace cannot end itself by a signal; shells report it by this code.
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (system.signals[signal] ?? 0)))
}
main().catch((error) => end(1, error.message))
`

/** The only way out of a sandbox with an allow-list, for one command. */
export interface Egress {
  /** Directories and files of the machine that the sandbox mounts read-only. */
  readonly mounts: readonly { readonly from: string; readonly to: string }[]
  /** The command to run inside instead: the forwarder, which starts the real one. */
  readonly words: readonly string[]
  /** Closes it and deletes its directory. It may be called more than once. Rejects if the proxy had broken. */
  close(): Promise<void>
}

const nodeAt = '/run/jurist/node'
/** The longest path that a unix socket may have, in bytes. */
const longestSocket = 107

/**
 * Starts the proxy of one command, in a directory that only this user may enter. Its own entries may be read by everyone,
 * since the user inside a container may be another one.
 *
 * @throws `sandbox-unavailable` if this machine cannot enforce the list
 */
export async function openEgress(
  sandbox: string,
  list: AllowList,
  { file, args, env, onNetwork = () => {} }: SandboxCommand,
  { isContainer = false, isProbe = false }: { readonly isContainer?: boolean; readonly isProbe?: boolean },
): Promise<Egress> {
  const reason = whyNotHere()
  if (reason !== undefined) throw unavailable(sandbox, reason)
  const node = isContainer
    ? await portableNode(sandbox)
    : { mounts: [{ from: process.execPath, to: nodeAt }], words: [] }
  const outer = socketParent(sandbox)
  const directory = join(outer, 'in')
  mkdirSync(directory)
  chmodSync(directory, 0o755)
  const instructions: ForwarderInstructions = {
    ...{ file, args, isProbe, port: forwarderPort, localPorts: list.localPorts },
    env: { ...proxyVariables, ...withoutHostProxies(env) },
    javaEnv: { JAVA_TOOL_OPTIONS: javaOptions },
  }
  const write = (name: string, text: string) => writeFileSync(join(directory, name), text, { mode: 0o644 })
  write('forward.cjs', forwarder)
  write('command.json', JSON.stringify(instructions))
  const proxy = await startProxy(join(directory, 'proxy.sock'), list, isProbe ? () => {} : onNetwork)
  const alive = await aliveSocket(join(directory, 'alive.sock'))
  for (const name of ['proxy.sock', 'alive.sock']) chmodSync(join(directory, name), 0o666)
  return {
    mounts: [{ from: directory, to: egressAt }, ...node.mounts],
    words: [...node.words, nodeAt, `${egressAt}/forward.cjs`],
    async close() {
      const thrown = proxy.failure()
      proxy.close()
      alive.close()
      await deleteOrWarn(outer)
      if (thrown !== undefined) throw egressFailed(thrown)
    },
  }
}

function egressFailed(cause: unknown): JuristError<'egress-failed'> {
  const reason = failureOf(cause).message
  const message = `The proxy of the allow-list broke, so the command had no network: ${reason}. Run the trial again.`
  return new JuristError('egress-failed', message, { reason }, { cause })
}

/**
 * Returns the option `network` with further hosts, for a sandbox that has an allow-list.
 *
 * @throws `sandbox-unavailable` without one
 */
export function withHosts<Network>(
  sandbox: string,
  network: Network | NetworkAllowList | undefined,
  hosts: readonly string[] = [],
): { readonly network?: Network | NetworkAllowList } {
  if (hosts.length === 0) return network === undefined ? {} : { network }
  if (!isPlainObject(network))
    throw unavailable(sandbox, 'it has no allow-list to add hosts to; give it network: { allow: […] }')
  const list = network as unknown as NetworkAllowList
  return { network: { ...list, allow: [...list.allow, ...hosts] } }
}

/** Returns why no allow-list can be enforced on this machine. */
function whyNotHere(): string | undefined {
  if (process.platform === 'linux') return undefined
  return `allow-lists of hosts need Linux, since ${process.platform} does not share unix sockets with sandboxes; use network "none" or a Linux machine`
}

/**
 * Refuses to share paths with the sockets of the machine's services, which an allow-list cannot close.
 *
 * @throws `sandbox-unavailable`
 */
export function refuseOpenPlaces(sandbox: string, shared: readonly string[]): void {
  const open = shared.find((path) => [path, realPathOf(path)].some(hasSockets))
  if (open === undefined) return
  const reason = `${open} has sockets of the machine, which an allow-list cannot close; share a directory below it`
  throw unavailable(sandbox, reason)
}

function hasSockets(path: string): boolean {
  const isAbove = ['/run', '/var/run', '/tmp', '/dev/shm'].some((place) => isInside(path, place))
  return isAbove || isInside('/run', path) || isInside('/var/run', path)
}

function realPathOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path
}

/** The directory of the sockets: below the temporary directory, unless its path is too long. */
function socketParent(sandbox: string): string {
  const own = temporaryDirectory()
  if (Buffer.byteLength(join(own, 'in', 'proxy.sock')) <= longestSocket) return own
  void deleteOrWarn(own)
  try {
    return temporaryDirectory('/tmp')
  } catch (thrown) {
    const reason = `the path of the temporary directory is too long for a socket, and /tmp cannot be used (${failureOf(thrown).message})`
    throw unavailable(sandbox, `${reason}; set TMPDIR to a shorter path`, thrown)
  }
}

/** A connection that lasts as long as the proxy does, so that the forwarder notices when this process is killed. */
async function aliveSocket(path: string): Promise<{ close(): void }> {
  const held = new Set<Socket>()
  const server = createServer((socket) => {
    socket.on('error', () => {})
    held.add(socket.resume())
    // One forwarder needs one; more would be a command that uses up descriptors of this process.
    server.close()
  })
  await listening(server, path)
  return {
    close() {
      server.close()
      for (const socket of held) socket.destroy()
    },
  }
}

const address = `http://127.0.0.1:${forwarderPort}`
const noProxy = 'localhost,127.0.0.1,::1'
/** The variables by which programs find the proxy. Those that ignore it reach nothing. */
const proxyVariables: { readonly [name: string]: string } = {
  ...Object.fromEntries(
    [
      'http_proxy',
      'https_proxy',
      'npm_config_proxy',
      'npm_config_https_proxy',
      'YARN_HTTP_PROXY',
      'YARN_HTTPS_PROXY',
    ].map((name) => [name, address]),
  ),
  ...{ HTTP_PROXY: address, HTTPS_PROXY: address, no_proxy: noProxy, NO_PROXY: noProxy, NODE_USE_ENV_PROXY: '1' },
}
const javaOptions = ['http', 'https']
  .flatMap((scheme) => [`-D${scheme}.proxyHost=127.0.0.1`, `-D${scheme}.proxyPort=${forwarderPort}`])
  .concat('-Dhttp.nonProxyHosts=localhost|127.*|[::1]')
  .join(' ')

const proxyName = /^(?:(?:https?|ftp|all|no)_proxy|npm_config_(?:https?-?_?)?proxy|npm_config_noproxy)$/i

/** The proxy of the machine means nothing inside, and its address may contain a password. */
function withoutHostProxies(env: SandboxCommand['env']): SandboxCommand['env'] {
  return Object.fromEntries(
    Object.entries(env).filter(([name, value]) => !(proxyName.test(name) && process.env[name] === value)),
  )
}

const run = promisify(execFile)
const libraries = '/run/jurist/lib'

/** The Node of this machine with its loader and libraries, for images that have other ones, or none. */
async function portableNode(sandbox: string): Promise<Pick<Egress, 'mounts'> & { readonly words: readonly string[] }> {
  const { stdout } = await run('ldd', [process.execPath]).catch((thrown: unknown) => {
    const reason = `the libraries of ${process.execPath} cannot be listed, so this Node cannot run in a container`
    throw unavailable(sandbox, `${reason} (${failureOf(thrown).message.trim()})`, thrown)
  })
  const files = [...stdout.matchAll(/(?:=> )?(\/\S+) \(0x[0-9a-f]+\)/g)].flatMap(([, path]) => path ?? [])
  const loader = files.find((path) => /^ld[-.]/.test(basename(path)))
  if (loader === undefined)
    throw unavailable(
      sandbox,
      `${process.execPath} has no loader among its libraries, so this Node cannot run in a container`,
    )
  const shared = [...new Set(files)].map((from) => ({ from, to: `${libraries}/${basename(from)}` }))
  return {
    mounts: [...shared, { from: process.execPath, to: nodeAt }],
    words: [`${libraries}/${basename(loader)}`, '--library-path', libraries],
  }
}
