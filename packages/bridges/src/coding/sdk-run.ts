import { type Agent, type Failure, type Json, JuristError, type WritableWorkspace } from '@jurist/core'
import { emptyWorkspace, failureOf } from '@jurist/core/internal'
import type { JudgeModel } from '@jurist/core/llm'
import { agentModel } from '../agent/model.js'
import { dataIn } from '../run/model-call.js'
import type { CodingCall } from './coding-run.js'
import { scratchDirectory } from './environment.js'
import { lastLine, protocolFailure, startFailure } from './failures.js'
import { untilStopped } from './stop-agent.js'

/** An agent that an SDK runs in separate processes, and that streams messages. */
interface SdkAgent<Message> {
  /** For error messages. */
  readonly name: string
  /** The SDK must stop the run when the controller's signal fires. */
  readonly start: (controller: AbortController) => AsyncIterable<Message> | PromiseLike<AsyncIterable<Message>>
  readonly received: (message: Message) => void
  /** Called when the stream has ended, also when it threw. */
  readonly ended?: () => void
}

interface SdkRun<Message> {
  readonly messages: readonly Message[]
  /** The exception of the SDK. It also throws after every error result, so the messages decide first. */
  readonly thrown?: unknown
}

/** When the signal of the task fires, the agent is ended with every process it started. */
export async function runSdk<Message>(call: CodingCall, agent: SdkAgent<Message>): Promise<SdkRun<Message>> {
  const { task, graceMs, marker, write } = call
  const { signalRun } = await import('@jurist/kit/processes')
  const controller = new AbortController()
  const run: { readonly messages: Message[]; thrown?: unknown } = { messages: [] }
  await untilStopped(receive(agent, controller, run), {
    signal: task.signal,
    graceMs,
    cancel: () => {
      write({ type: 'state', state: 'cancelling' })
      controller.abort()
    },
    terminate: () => signalRun({ marker }, 'SIGTERM'),
    kill: () => signalRun({ marker }, 'SIGKILL'),
  })
  return run
}

async function receive<Message>(
  { start, received, ended }: SdkAgent<Message>,
  controller: AbortController,
  run: { readonly messages: Message[]; thrown?: unknown },
): Promise<void> {
  try {
    for await (const message of await start(controller)) {
      run.messages.push(message)
      received(message)
    }
  } catch (thrown) {
    run.thrown = thrown
  } finally {
    ended?.()
  }
}

/**
 * For a run whose messages do not include its end.
 *
 * @param name the agent's name
 * @param reason such as `it ended without a result`
 * @param stderr the agent's error stream
 */
export function failureWithoutEnd(name: string, { thrown }: SdkRun<unknown>, reason: string, stderr = ''): Failure {
  if (thrown === undefined) return protocolFailure(reason, lastLine(stderr))
  const { message, code } = failureOf(thrown)
  if (code === 'ENOENT') return startFailure(name, message)
  return protocolFailure(`${reason} (${message})`, lastLine(stderr))
}

/**
 * Each request runs in an empty directory.
 *
 * @param agentFor creates the agent for a schema, or without one
 */
export function structuredModel(agentFor: (schema: Json | undefined) => Agent): JudgeModel {
  return async function structuredModel(request) {
    const { responseSchema, ...options } = request.options
    const model = agentModel(agentFor(responseSchema), { workspace: scratchWorkspace })
    const response = await model({ ...request, options })
    const data = responseSchema === undefined ? undefined : dataIn(response.text)
    return data === undefined ? response : Object.freeze({ ...response, data })
  }
}

async function scratchWorkspace(): Promise<WritableWorkspace & AsyncDisposable> {
  const directory = await scratchDirectory('model')
  return {
    ...emptyWorkspace(),
    root: directory.path,
    write: refused,
    remove: refused,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  }
}

async function refused(path: string): Promise<never> {
  throw new JuristError('read-only', `${path} cannot be changed: the workspace of a model is read-only.`, { path })
}
