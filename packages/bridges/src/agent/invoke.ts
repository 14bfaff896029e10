import type { Agent, AgentTask, Invocation } from '@jurist/core'
import { JuristError } from '@jurist/core'
import { printed } from '@jurist/core/internal'
import '../errors.js'
import { deadline, withinGrace } from '../run/deadline.js'
import { thrownOutcome } from '../run/thrown.js'

/** An agent may have processes to end after its signal fired; then it is given up. */
const graceMs = 15_000

/**
 * Calls an agent once and always answers with an invocation: what it throws, or gives that is no
 * invocation, is an error, a deadline a timeout, the
 * caller's abort is cancelled. An agent that ignores its signal is given up 15 seconds after it fired. Not called at all
 * when the signal has fired before.
 *
 * @param signal the caller's
 */
export async function invoke(
  agent: Agent,
  task: Omit<AgentTask, 'signal'>,
  signal: AbortSignal | undefined,
): Promise<Invocation> {
  const clock = deadline(signal, task.timeoutMs)
  const start = performance.now()
  try {
    clock.signal.throwIfAborted()
    const invocation = await withinGrace(called(agent, { ...task, signal: clock.signal }), clock.signal, graceMs)
    return { elapsedMs: performance.now() - start, ...invocation }
  } catch (thrown) {
    const { invocation: status, failure } = thrownOutcome(thrown, clock.signal)
    return { status, failure, elapsedMs: performance.now() - start }
  } finally {
    clock.end()
  }
}

const statuses: ReadonlySet<unknown> = new Set<Invocation['status']>([
  ...(['completed', 'refused', 'timeout', 'error', 'cancelled'] as const),
])

async function called(agent: Agent, task: AgentTask): Promise<Invocation> {
  const invocation: Partial<Invocation> | null | undefined = await agent(task)
  if (statuses.has(invocation?.status)) return invocation as Invocation
  const reason = `it gave no invocation with a status, but ${printed(invocation)}`
  throw new JuristError('agent-failed', `The agent cannot be understood: ${reason}.`, { reason })
}
