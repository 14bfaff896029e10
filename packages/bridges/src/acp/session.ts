import { optionInvalid } from '@jurist/core/internal'
import '../errors.js'
import { withTimeout } from '@jurist/kit/timers'
import { protocolError } from '../coding/failures.js'
import type { SafeReader } from '../context/safe-reader.js'
import { readSafely } from '../context/safe-reader.js'
import type { RpcConnection } from './json-rpc.js'

export interface SessionSettings {
  readonly cwd: string
  readonly mode: string | undefined
  readonly model: string | undefined
  readonly configuration: { readonly [id: string]: string }
  readonly authenticate: string | undefined
  readonly startTimeoutMs: number
  readonly mcpServers: McpServers
}

/** Programs that speak MCP, by name, as in `.mcp.json`. */
export interface McpServers {
  readonly [name: string]: {
    readonly command: string
    readonly args?: readonly string[]
    readonly env?: { readonly [name: string]: string }
  }
}

export interface Session {
  readonly sessionId: string
  readonly model: string | undefined
}

export interface AgentInfo {
  readonly frameworkVersion: string | undefined
  readonly loginMethods: readonly string[]
}

const protocolVersion = 1

/**
 * Initializes the connection, logs in if requested, opens a session, and sets its mode, model and configuration.
 *
 * @param received receives the agent's description of itself
 * @throws `option-invalid` for an unknown mode, `agent-protocol`, `RpcError`
 */
export async function openSession(
  connection: RpcConnection,
  settings: SessionSettings,
  warnings: string[],
  received: (agent: AgentInfo) => void,
): Promise<Session> {
  const hello = readSafely(await shakeHands(connection, settings.startTimeoutMs), warnings)
  const version = hello.get('protocolVersion').value
  if (version !== protocolVersion)
    throw protocolError(`it speaks version ${String(version)} of the protocol, not ${protocolVersion}`)
  received(infoOf(hello))
  if (settings.authenticate !== undefined) await connection.request('authenticate', { methodId: settings.authenticate })
  const opened = readSafely(
    await connection.request('session/new', { cwd: settings.cwd, mcpServers: listed(settings) }),
    warnings,
  )
  const sessionId = opened.get('sessionId').string()
  if (sessionId === undefined) throw protocolError('it opened a session without an id')
  return { sessionId, model: await configure(connection, sessionId, opened, settings, warnings) }
}

function listed({ mcpServers }: SessionSettings): readonly object[] {
  return Object.entries(mcpServers).map(([name, { command, args = [], env = {} }]) => {
    return { name, command, args, env: Object.entries(env).map(([variable, value]) => ({ name: variable, value })) }
  })
}

function infoOf(hello: SafeReader): AgentInfo {
  const info = hello.get('agentInfo')
  const methods = hello.get('authMethods').array()
  return {
    frameworkVersion: versionOf(info.get('name').string(), info.get('version').string()),
    loginMethods: methods.flatMap((method) => method.get('id').string() ?? []),
  }
}

function versionOf(name: string | undefined, version: string | undefined): string | undefined {
  return name === undefined || version === undefined ? version : `${name} ${version}`
}

async function shakeHands(connection: RpcConnection, startTimeoutMs: number): Promise<unknown> {
  const hello = connection.request('initialize', {
    protocolVersion,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'jurist', title: 'Jurist', version: '0.1.0' },
  })
  return withTimeout(hello, startTimeoutMs, () => {
    throw protocolError(
      `it did not answer "initialize" within ${startTimeoutMs} ms; allow more time with "startTimeoutMs"`,
    )
  })
}

/** Applies the settings that the agent supports. Returns the model that the agent reports afterwards. */
async function configure(
  connection: RpcConnection,
  sessionId: string,
  opened: SafeReader,
  settings: SessionSettings,
  warnings: string[],
): Promise<string | undefined> {
  if (settings.mode !== undefined) await setMode(connection, sessionId, opened, settings.mode)
  let offered = opened.get('configOptions').array()
  const changes = Object.entries(settings.configuration)
  const modelId = modelOption(offered)?.get('id').string()
  if (settings.model !== undefined && modelId !== undefined) changes.push([modelId, settings.model])
  let isReported = true
  for (const [configId, value] of changes) {
    if (offered.some((entry) => entry.get('id').string() === configId)) {
      const answer = await connection.request('session/set_config_option', { sessionId, configId, value })
      const updated = readSafely(answer, warnings, 'session/set_config_option').get('configOptions')
      if (updated.present) offered = updated.array()
      if (configId === modelId) isReported = updated.present
    } else warnings.push(`unsupported: configuration ${configId}`)
  }
  if (settings.model !== undefined && modelId === undefined)
    return setModel(connection, sessionId, opened, settings.model, warnings)
  const reported = isReported ? modelOption(offered)?.get('currentValue').string() : undefined
  return settings.model === undefined ? (reported ?? currentModel(opened)) : reported
}

function modelOption(offered: readonly SafeReader[]): SafeReader | undefined {
  return offered.find((entry) => entry.get('category').value === 'model' || entry.get('id').value === 'model')
}

const currentModel = (opened: SafeReader) => opened.get('models').get('currentModelId').string()

/** Older agents list their models outside the configuration, and do not report which one they use. */
async function setModel(
  connection: RpcConnection,
  sessionId: string,
  opened: SafeReader,
  model: string,
  warnings: string[],
): Promise<string | undefined> {
  const models = opened.get('models').get('availableModels').array()
  if (models.some((entry) => entry.get('modelId').value === model)) {
    await connection.request('session/set_model', { sessionId, modelId: model })
    return undefined
  }
  warnings.push('unsupported: model')
  return currentModel(opened)
}

async function setMode(connection: RpcConnection, sessionId: string, opened: SafeReader, mode: string): Promise<void> {
  const modes = opened.get('modes').get('availableModes').array()
  const offered = modes.flatMap((entry) => entry.get('id').string() ?? [])
  if (!offered.includes(mode))
    optionInvalid(
      'mode',
      `acpAgent: the agent has no mode ${JSON.stringify(mode)}. It offers: ${offered.join(', ') || 'none'}.`,
    )
  await connection.request('session/set_mode', { sessionId, modeId: mode })
}
