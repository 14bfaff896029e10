import type { Failure } from '@jurist/core'
import { JuristError } from '@jurist/core'
import { climb } from '../coding/abort-ladder.js'
import type { CodingCall } from '../coding/coding-run.js'
import { inlinedPrompt } from '../coding/coding-run.js'
import { endFailure, lastLine } from '../coding/failures.js'
import { pause } from '../coding/sweep.js'
import type { RunOutcome } from '../context/outcome.js'
import { textWithoutSecrets } from '../run/secrets.js'
import { thrownOutcome } from '../run/thrown.js'
import type { RpcConnection } from './json-rpc.js'
import { RpcError, rpcConnection } from './json-rpc.js'
import type { AnswerRule } from './messages.js'
import type { Permit } from './permission.js'
import { permissionAnswer } from './permission.js'
import { readAcp } from './reading.js'
import type { AgentInfo, Session, SessionWishes } from './session.js'
import { openSession } from './session.js'
import type { AcpPermissionOption, StartedProcess, StartProcess } from './shape.js'
import { asUpdate } from './tool-state.js'
import type { Transcript } from './transcript.js'
import { transcriptFor } from './transcript.js'

/** What one run over the protocol needs beside the common steps. */
export interface AcpRun {
  readonly command: readonly [string, ...string[]]
  readonly wishes: SessionWishes
  readonly permit: Permit
  readonly start: StartProcess
  readonly answer: AnswerRule
}

const endMs = 2_000
const maxErrors = 65_536
const maxNoise = 200

/** One run: a process, a session, a prompt, and the end of the process whatever happened. */
export async function runAcp(call: CodingCall, run: AcpRun): Promise<RunOutcome> {
  const { task, environment, graceMs, write } = call
  const { cwd } = run.wishes
  const agent = await run.start(run.command, { cwd, environment })
  const errors = lastErrors(agent, call.secrets)
  const transcript = transcriptFor(write, cwd)
  const connection = connect(call, run, agent, transcript, errors)
  const talk = talking(call, run, connection, transcript)
  const read = () => readAcp({ transcript, root: cwd, rule: run.answer, ...talk.heard })
  try {
    await climb(talk.ended, {
      signal: task.signal,
      graceMs,
      cancel: () => {
        write({ type: 'state', state: 'cancelling' })
        talk.cancel()
      },
      terminate: () => agent.kill('SIGTERM'),
      kill: () => agent.kill('SIGKILL'),
    })
    return read()
  } catch (thrown) {
    if (JuristError.is(thrown, 'option-invalid')) throw thrown
    const { status, failure } = thrownOutcome(thrown, task.signal)
    const isLogin = thrown instanceof RpcError && thrown.rpcCode === loginNeeded
    return { ...read(), status, failure: isLogin ? loginFailure(talk.heard.info) : failure }
  } finally {
    await endProcess(connection, agent)
    transcript.finish()
    const said = errors.text()
    if (said.trim() !== '') write({ type: 'custom', name: 'acp.stderr', data: said })
  }
}

const loginNeeded = -32_000

function loginFailure(info: AgentInfo | undefined): Failure {
  const methods = info?.loginMethods ?? []
  const offered = methods.length === 0 ? 'It offers no method.' : `It offers: ${methods.join(', ')}.`
  const remedy = `Give one as "authenticate", allow the agent's key by name (environment: { allow: [...] }), or let it use your own login with home: 'host'.`
  return endFailure('http-401', `it has no login. ${offered} ${remedy}`, true)
}

interface Talk {
  readonly ended: Promise<void>
  cancel(): void
  /** So far. */
  readonly heard: { readonly info?: AgentInfo; readonly session?: Session; readonly answer?: unknown }
}

function talking(call: CodingCall, { wishes }: AcpRun, connection: RpcConnection, transcript: Transcript): Talk {
  const heard: { info?: AgentInfo; session?: Session; answer?: unknown } = {}
  const talk = async () => {
    const session = await openSession(connection, wishes, transcript.warnings, (info) => {
      heard.info = info
    })
    heard.session = session
    const { sessionId } = session
    call.write({ type: 'state', state: 'session' })
    if (call.task.signal.aborted) return
    const text = inlinedPrompt(call)
    call.write({ type: 'prompt', text })
    heard.answer = await connection.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })
    transcript.finish()
    tellModelCall(call, session, heard.answer)
  }
  return {
    ended: talk(),
    cancel: () => heard.session && connection.notify('session/cancel', { sessionId: heard.session.sessionId }),
    heard,
  }
}

/** The protocol tells the tokens of a whole prompt, not of each answer. */
function tellModelCall({ write }: CodingCall, { model = 'unknown' }: Session, answer: unknown): void {
  const { stopReason } = (answer ?? {}) as { readonly stopReason?: unknown }
  write({ type: 'model-call', model, ...(typeof stopReason === 'string' ? { finishReason: stopReason } : {}) })
}

function connect(
  call: CodingCall,
  { permit }: AcpRun,
  agent: StartedProcess,
  transcript: Transcript,
  errors: LastErrors,
): RpcConnection {
  const { task, write, warnings, secrets } = call
  const ask = async ({ toolCall, options = [] }: Question) => {
    const tool = transcript.asked(toolCall)
    if (task.signal.aborted) return { outcome: { outcome: 'cancelled' } }
    const decision = await permit({ toolCall: asUpdate(tool), options }, task)
    const { outcome, isDenied } = permissionAnswer(decision, options)
    if (isDenied) transcript.denied(transcript.tools.get(tool.id) ?? tool)
    return { outcome }
  }
  return rpcConnection(agent, {
    notified: (method, params) => method === 'session/update' && transcript.update(params),
    requested: (method, params) =>
      method === 'session/request_permission' ? ask((params ?? {}) as Question) : undefined,
    noise: (line) => {
      if (!warnings.includes('output-not-json')) warnings.push('output-not-json')
      write({ type: 'custom', name: 'acp.noise', data: textWithoutSecrets(line, secrets).slice(0, maxNoise) })
    },
    lastWords: async () => {
      await Promise.race([errors.ended, pause(endMs)])
      return lastLine(errors.text())
    },
  })
}

interface Question {
  readonly toolCall?: unknown
  readonly options?: readonly AcpPermissionOption[]
}

interface LastErrors {
  readonly ended: Promise<void>
  text(): string
}

/** The last 64 KiB of what the agent writes to its error stream. */
function lastErrors({ errors }: StartedProcess, secrets: readonly string[]): LastErrors {
  let text = ''
  const listen = async () => {
    const decoder = new TextDecoder()
    const reader = errors.getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      text = textWithoutSecrets(text + decoder.decode(value, { stream: true }), secrets).slice(-maxErrors)
    }
  }
  return { ended: listen(), text: () => text }
}

/** The agent ends by itself when its input does, or is made to. */
async function endProcess(connection: RpcConnection, agent: StartedProcess): Promise<void> {
  await connection.close()
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const hasEnded = await Promise.race([agent.ended.then(() => true), pause(endMs).then(() => false)])
    if (hasEnded) break
    agent.kill(signal)
  }
  // Children in the group may outlive their leader.
  agent.kill('SIGKILL')
  await Promise.race([agent.ended, pause(endMs)])
}
