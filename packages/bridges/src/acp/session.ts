import { JuristError } from '@jurist/core'
import '../errors.js'
import { longestTimerMs } from '@jurist/kit/timers'
import type { Look } from '../context/safe-reader.js'
import { lookInto } from '../context/safe-reader.js'
import type { RpcConnection } from './json-rpc.js'

/** How a session is to begin. */
export interface SessionWishes {
  readonly cwd: string
  readonly mode: string | undefined
  readonly model: string | undefined
  readonly configuration: { readonly [id: string]: string }
  readonly authenticate: string | undefined
  readonly startTimeoutMs: number
}

/** A session that waits for a prompt. */
export interface Session {
  readonly sessionId: string
  readonly model: string | undefined
}

/** What an agent says of itself. */
export interface AgentInfo {
  readonly frameworkVersion: string | undefined
  readonly loginMethods: readonly string[]
}

const protocolVersion = 1

/**
 * Shakes hands, logs in where that was asked for, opens a session and sets its mode, model and configuration.
 *
 * @param heard told which methods of login the agent offers, and what it is
 * @throws `option-invalid` for a mode that is not offered, `agent-protocol`, `RpcError`
 */
export async function openSession(
  connection: RpcConnection,
  wishes: SessionWishes,
  warnings: string[],
  heard: (agent: AgentInfo) => void,
): Promise<Session> {
  const hello = lookInto(await shakeHands(connection, wishes.startTimeoutMs), warnings)
  const version = hello.get('protocolVersion').value
  if (version !== protocolVersion)
    throw protocolProblem(`it speaks version ${String(version)} of the protocol, not ${protocolVersion}`)
  heard(infoOf(hello))
  if (wishes.authenticate !== undefined) await connection.request('authenticate', { methodId: wishes.authenticate })
  const opened = lookInto(await connection.request('session/new', { cwd: wishes.cwd, mcpServers: [] }), warnings)
  const sessionId = opened.get('sessionId').text()
  if (sessionId === undefined) throw protocolProblem('it opened a session without an id')
  return { sessionId, model: await configure(connection, sessionId, opened, wishes, warnings) }
}

function infoOf(hello: Look): AgentInfo {
  const info = hello.get('agentInfo')
  const methods = hello.get('authMethods').list()
  return {
    frameworkVersion: versionOf(info.get('name').text(), info.get('version').text()),
    loginMethods: methods.flatMap((method) => method.get('id').text() ?? []),
  }
}

function versionOf(name: string | undefined, version: string | undefined): string | undefined {
  return name === undefined || version === undefined ? version : `${name} ${version}`
}

async function shakeHands(connection: RpcConnection, startTimeoutMs: number): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    const reason = `it did not answer "initialize" within ${startTimeoutMs} ms; give it more time with "startTimeoutMs"`
    if (startTimeoutMs <= longestTimerMs) timer = setTimeout(() => reject(protocolProblem(reason)), startTimeoutMs)
  })
  const hello = connection.request('initialize', {
    protocolVersion,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'jurist', title: 'Jurist', version: '0.1.0' },
  })
  try {
    return await Promise.race([hello, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Sets what the agent offers to set; the model that it says it uses then. */
async function configure(
  connection: RpcConnection,
  sessionId: string,
  opened: Look,
  wishes: SessionWishes,
  warnings: string[],
): Promise<string | undefined> {
  if (wishes.mode !== undefined) await setMode(connection, sessionId, opened, wishes.mode)
  let offered = opened.get('configOptions').list()
  const settings = Object.entries(wishes.configuration)
  const modelId = modelOption(offered)?.get('id').text()
  if (wishes.model !== undefined && modelId !== undefined) settings.push([modelId, wishes.model])
  let isReported = true
  for (const [configId, value] of settings) {
    if (offered.some((entry) => entry.get('id').text() === configId)) {
      const answer = await connection.request('session/set_config_option', { sessionId, configId, value })
      const told = lookInto(answer, warnings, 'session/set_config_option').get('configOptions')
      if (told.present) offered = told.list()
      if (configId === modelId) isReported = told.present
    } else warnings.push(`unsupported: configuration ${configId}`)
  }
  if (wishes.model !== undefined && modelId === undefined)
    return setModel(connection, sessionId, opened, wishes.model, warnings)
  const told = isReported ? modelOption(offered)?.get('currentValue').text() : undefined
  return wishes.model === undefined ? (told ?? currentModel(opened)) : told
}

function modelOption(offered: readonly Look[]): Look | undefined {
  return offered.find((entry) => entry.get('category').value === 'model' || entry.get('id').value === 'model')
}

const currentModel = (opened: Look) => opened.get('models').get('currentModelId').text()

/** Older agents offer their models apart from the configuration, and do not say which one they have taken. */
async function setModel(
  connection: RpcConnection,
  sessionId: string,
  opened: Look,
  model: string,
  warnings: string[],
): Promise<string | undefined> {
  const models = opened.get('models').get('availableModels').list()
  if (models.some((entry) => entry.get('modelId').value === model)) {
    await connection.request('session/set_model', { sessionId, modelId: model })
    return undefined
  }
  warnings.push('unsupported: model')
  return currentModel(opened)
}

async function setMode(connection: RpcConnection, sessionId: string, opened: Look, mode: string): Promise<void> {
  const modes = opened.get('modes').get('availableModes').list()
  const offered = modes.flatMap((entry) => entry.get('id').text() ?? [])
  if (!offered.includes(mode))
    throw new JuristError(
      'option-invalid',
      `acpAgent: the agent has no mode ${JSON.stringify(mode)}. It offers: ${offered.join(', ') || 'none'}.`,
      { option: 'mode' },
    )
  await connection.request('session/set_mode', { sessionId, modeId: mode })
}

function protocolProblem(reason: string): JuristError<'agent-protocol'> {
  return new JuristError('agent-protocol', `The agent cannot be understood: ${reason}.`, { reason })
}
