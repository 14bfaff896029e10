import { climb } from '../coding/abort-ladder.js'
import type { CodingCall } from '../coding/coding-run.js'
import { inlinedPrompt } from '../coding/coding-run.js'
import { lastLine } from '../coding/failures.js'
import { pause } from '../coding/sweep.js'
import type { RunOutcome } from '../context/outcome.js'
import { thrownOutcome } from '../run/thrown.js'
import type { RpcConnection } from './json-rpc.js'
import { rpcConnection } from './json-rpc.js'
import type { AnswerRule } from './messages.js'
import type { Permit } from './permission.js'
import { permissionAnswer } from './permission.js'
import { readAcp } from './reading.js'
import type { Session, SessionWishes } from './session.js'
import { LoginNeeded, openSession } from './session.js'
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
  const errors = lastErrors(agent)
  const transcript = transcriptFor(write, cwd)
  const connection = connect(call, run, agent, transcript, errors)
  const talk = talking(call, run, connection, transcript)
  try {
    const { signal } = task
    await climb(talk.ended, {
      signal,
      graceMs,
      cancel: () => {
        write({ type: 'state', state: 'cancelling' })
        talk.cancel()
      },
      terminate: () => agent.kill('SIGTERM'),
      kill: () => agent.kill('SIGKILL'),
    })
    return readAcp({ transcript, root: cwd, rule: run.answer, session: talk.session(), answer: talk.answer() })
  } catch (thrown) {
    const { status, failure } = thrownOutcome(thrown, task.signal)
    if (failure.code === 'option-invalid') throw thrown
    const { output, facts, own = {} } = readAcp({ transcript, root: cwd, rule: run.answer, session: talk.session() })
    return { status, failure: thrown instanceof LoginNeeded ? thrown.failure : failure, output, facts, own }
  } finally {
    await endProcess(connection, agent)
    transcript.finish()
    const said = errors.text()
    if (said.trim() !== '') write({ type: 'custom', name: 'acp.stderr', data: said })
  }
}

interface Talk {
  readonly ended: Promise<void>
  cancel(): void
  session(): Session | undefined
  /** What the prompt was answered. */
  answer(): unknown
}

function talking(call: CodingCall, { wishes }: AcpRun, connection: RpcConnection, transcript: Transcript): Talk {
  let session: Session | undefined
  let answer: unknown
  const talk = async () => {
    session = await openSession(connection, wishes, transcript.warnings)
    const { sessionId } = session
    call.write({ type: 'state', state: 'session' })
    if (call.task.signal.aborted) return
    const text = inlinedPrompt(call)
    call.write({ type: 'prompt', text })
    answer = await connection.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })
    transcript.finish()
    tellModelCall(call, session, answer)
  }
  return {
    ended: talk(),
    cancel: () => session && connection.notify('session/cancel', { sessionId: session.sessionId }),
    session: () => session,
    answer: () => answer,
  }
}

/** The protocol tells the tokens of a whole prompt, not of each answer. */
function tellModelCall({ write }: CodingCall, { model = 'unknown' }: Session, answer: unknown): void {
  const { stopReason } = (answer ?? {}) as { readonly stopReason?: unknown }
  write({ type: 'model-call', model, ...(typeof stopReason === 'string' ? { finishReason: stopReason } : {}) })
}

function connect(
  { task, write, warnings }: CodingCall,
  { permit }: AcpRun,
  agent: StartedProcess,
  transcript: Transcript,
  errors: LastErrors,
): RpcConnection {
  const ask = async (params: { readonly toolCall?: unknown; readonly options?: readonly AcpPermissionOption[] }) => {
    const { toolCall, options = [] } = params
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
      method === 'session/request_permission' ? ask((params ?? {}) as object) : undefined,
    noise: (line) => {
      if (!warnings.includes('output-not-json')) warnings.push('output-not-json')
      write({ type: 'custom', name: 'acp.noise', data: line.slice(0, maxNoise) })
    },
    lastWords: async () => {
      await Promise.race([errors.ended, pause(endMs)])
      return lastLine(errors.text())
    },
  })
}

interface LastErrors {
  readonly ended: Promise<void>
  text(): string
}

/** The last 64 KiB of what the agent writes to its error stream. */
function lastErrors({ errors }: StartedProcess): LastErrors {
  let text = ''
  const listen = async () => {
    const decoder = new TextDecoder()
    const reader = errors.getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      text = (text + decoder.decode(value, { stream: true })).slice(-maxErrors)
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
