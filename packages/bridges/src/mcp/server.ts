import type { Socket } from 'node:net'
import type { AgentTask, JsonObject } from '@jurist/core'
import { JuristError } from '@jurist/core'
import '../errors.js'
import { scratchDirectory } from '../coding/environment.js'
import { lineReader, type Protocol } from './protocol.js'

/** The command with which an agent starts the server of its trial, and the settings of well-known agents. */
export interface McpServer {
  readonly command: string
  readonly args: readonly string[]
  /** For `.mcp.json`, Cursor's `mcp.json`, and the option `mcpServers` of the Claude Agent SDK. */
  readonly mcpServers: { readonly [name: string]: { readonly command: string; readonly args: readonly string[] } }
  /** Arguments of Claude Code: allow the tools of this server, and no other server. */
  readonly claude: readonly string[]
  /** Settings of Codex, as in `config.toml`. */
  readonly codex: JsonObject
}

/** The server of one trial. It listens on a socket of this process until it is disposed. */
export interface ListeningServer extends AsyncDisposable {
  readonly server: McpServer
}

export interface ServerParts {
  readonly name: string
  readonly task: Pick<AgentTask, 'workspace' | 'signal'>
  /** Where the agent's process runs: where the workspace runs commands, or on this machine. */
  readonly runs: 'workspace' | 'host'
  readonly maxMessageBytes: number
  readonly protocol: () => Protocol
}

/**
 * The program that the agent starts. It only passes on lines, so that the functions and the state of a fixture stay in
 * a process that the agent does not own. It enters the directory of the socket because socket paths must be short.
 */
const relay = [
  'const [, directory, name] = process.argv',
  'process.chdir(directory)',
  "const socket = require('node:net').connect(name)",
  "socket.on('error', (error) => { console.error(error.message); process.exit(1) })",
  "socket.on('close', () => process.exit())",
  'process.stdin.pipe(socket).pipe(process.stdout)',
].join('; ')

/**
 * Only this user can reach the socket. It is outside the workspace, or inside if the agent's sandbox shows nothing
 * else.
 *
 * @throws `agent-start` if no Node.js is installed where the agent runs, or no socket can be seen there
 */
export async function listen(parts: ServerParts): Promise<ListeningServer> {
  const outside = await listenOutside(parts)
  if (parts.runs === 'host') return listening(parts, process.execPath, outside.directory, outside)
  try {
    const place = await placeOf(parts, outside)
    if (place.isSeen) return listening(parts, place.node, outside.directory, outside)
    const inside = await listenInside(parts)
    await outside[Symbol.asyncDispose]()
    return listening(parts, place.node, place.root, inside)
  } catch (thrown) {
    await outside[Symbol.asyncDispose]()
    throw thrown
  }
}

/** Disposing ends its connections and removes the socket. */
interface Endpoint extends AsyncDisposable {
  readonly directory: string
  readonly name: string
}

/** @param directory of the socket, from the agent's point of view */
function listening({ name }: ServerParts, node: string, directory: string, endpoint: Endpoint): ListeningServer {
  const server = Object.freeze({ command: node, args: Object.freeze(['-e', relay, directory, endpoint.name]) })
  return { server: settingsOf(name, server), [Symbol.asyncDispose]: () => endpoint[Symbol.asyncDispose]() }
}

function settingsOf(name: string, server: Pick<McpServer, 'command' | 'args'>): McpServer {
  const mcpServers = { [name]: server }
  const claude = [
    '--mcp-config',
    JSON.stringify({ mcpServers }),
    '--strict-mcp-config',
    '--allowedTools',
    `mcp__${name}`,
  ]
  // Without it, `codex exec` cancels every call, because no user can approve it.
  const codex = { mcp_servers: { [name]: { ...server, default_tools_approval_mode: 'approve' } } }
  return Object.freeze({ ...server, mcpServers, claude, codex })
}

interface Place {
  readonly node: string
  /** Whether commands see the directory. */
  readonly isSeen: boolean
  /** The workspace, from the point of view of its commands. */
  readonly root: string
}

const question =
  'if [ -S "$1" ]; then echo seen; else echo hidden; fi; command -v "$2" || command -v node || echo; pwd -P'

async function placeOf({ name, task }: ServerParts, socket: Endpoint): Promise<Place> {
  const asked = ['sh', '-c', question, 'sh', `${socket.directory}/${socket.name}`, process.execPath]
  const { status, stdout, failure } = await task.workspace.run(asked, { signal: task.signal, timeoutMs: 60_000 })
  if (status !== 'exited') throw notStarted(name, `the workspace runs no commands (${failure?.message ?? status}).`)
  const [seen, node = '', ...root] = stdout.trimEnd().split('\n')
  if (node === '') throw notStarted(name, 'there is no Node.js where the workspace runs commands. Install it there.')
  return { node, isSeen: seen === 'seen', root: root.join('\n') }
}

async function listenOutside(parts: ServerParts): Promise<Endpoint> {
  const scratch = await scratchDirectory('mcp')
  try {
    const close = await listenAt(`${scratch.path}/socket`, parts)
    const end = () => close().then(() => scratch[Symbol.asyncDispose]())
    return { directory: scratch.path, name: 'socket', [Symbol.asyncDispose]: end }
  } catch (thrown) {
    await scratch[Symbol.asyncDispose]()
    throw thrown
  }
}

async function listenInside(parts: ServerParts): Promise<Endpoint> {
  const { root } = parts.task.workspace
  if (root === undefined) throw notStarted(parts.name, 'the workspace is not in a local directory.')
  const { open } = await import('node:fs/promises')
  // A socket path has at most 107 bytes. This one is short, however long the path of the workspace is.
  const directory = await open(root)
  const name = `.jurist-mcp-${globalThis.crypto.randomUUID()}`
  try {
    const close = await listenAt(`/proc/self/fd/${directory.fd}/${name}`, parts)
    return { directory: root, name, [Symbol.asyncDispose]: () => close().then(() => directory.close()) }
  } catch (thrown) {
    await directory.close()
    throw thrown
  }
}

function notStarted(name: string, reason: string): JuristError {
  return new JuristError('agent-start', `The MCP server "${name}" cannot be offered to the agent: ${reason}`, {
    command: name,
  })
}

/** The returned function ends the connections and removes the socket. */
async function listenAt(path: string, parts: ServerParts): Promise<() => Promise<void>> {
  const { createServer } = await import('node:net')
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    serve(socket, parts)
  })
  server.maxConnections = 16
  await new Promise<void>((resolve, reject) => void server.once('error', reject).listen(path, resolve))
  server.unref()
  return async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
}

function serve(socket: Socket, { protocol, maxMessageBytes }: ServerParts): void {
  const { receive } = protocol()
  const answer = async (line: string | null) => {
    const message = await receive(line)
    if (message === undefined || socket.destroyed) return
    // An agent that does not read its answers sends no more requests.
    if (socket.write(`${JSON.stringify(message)}\n`)) return
    socket.pause()
    socket.once('drain', () => socket.resume())
  }
  const take = lineReader(maxMessageBytes, (line) => void answer(line))
  // The end of its messages shows that an agent has ended.
  socket.on('error', () => {})
  socket.on('data', take)
}
