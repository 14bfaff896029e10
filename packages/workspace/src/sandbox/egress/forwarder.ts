/** The port of the loopback inside at which programs find the proxy. */
export const forwarderPort = 39_128
/** The directory inside that has the forwarder, its instructions and the sockets of the proxy. */
export const egressAt = '/run/jurist/egress'

/** The instructions of the forwarder. They are a file beside the sockets that only the sandbox of one command sees. */
export interface ForwarderInstructions {
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
export const forwarder: string = String.raw`'use strict'
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
