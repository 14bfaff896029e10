import type { Failure } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import type { CodingCall } from './coding-run.js'
import { lastLine, protocolFailure, startFailure } from './failures.js'
import { untilStopped } from './stop-agent.js'

/** An agent that an SDK runs in processes of its own, and that streams messages. */
export interface SdkAgent<Message> {
  /** The agent's name, for error messages. */
  readonly name: string
  /** Starts the run. The SDK must stop it when the controller's signal fires. */
  readonly start: (controller: AbortController) => AsyncIterable<Message> | PromiseLike<AsyncIterable<Message>>
  /** Receives each message as it arrives. */
  readonly received: (message: Message) => void
  /** Called when the stream has ended, also when it threw. */
  readonly ended?: () => void
}

/** The messages of a run. */
export interface SdkRun<Message> {
  readonly messages: readonly Message[]
  /** What the SDK threw. It also throws after every error result, so the messages decide first. */
  readonly thrown?: unknown
}

/** Runs an agent through its SDK until it ends, or until the signal of the task ended it with every process it started. */
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
 * The failure of a run whose messages do not include its end.
 *
 * @param name the agent's name
 * @param reason such as `it ended without a result`
 * @param stderr what the agent wrote to its error stream
 */
export function failureWithoutEnd(name: string, { thrown }: SdkRun<unknown>, reason: string, stderr = ''): Failure {
  if (thrown === undefined) return protocolFailure(reason, lastLine(stderr))
  const { message, code } = failureOf(thrown)
  if (code === 'ENOENT') return startFailure(name, message)
  return protocolFailure(`${reason} (${message})`, lastLine(stderr))
}
