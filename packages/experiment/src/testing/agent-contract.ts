import { setTimeout } from 'node:timers/promises'
import type { Agent, AgentTask, Invocation } from '@jurist/core'
import { isInvocationStatus } from '@jurist/core/internal'
import type { TestHarness } from '@jurist/core/testing'
import { expectSame, expectThat } from './records.js'

/** The agent to be tested, and a task for it: a new one for each call, with its own workspace. */
export interface AgentContractSetup {
  readonly agent: Agent
  readonly task: () => Promise<AgentTask>
}

const graceMs = 10_000

/**
 * The contract of every agent: it returns an invocation that survives JSON, needs no listener, stops within ten
 * seconds after its signal fires, leaves its task unchanged, and its calls do not affect each other.
 *
 * @example
 * import { completed } from '@jurist/experiment'
 * import { agentContract } from '@jurist/experiment/testing'
 * import { localWorkspace } from '@jurist/workspace'
 * import { describe, test } from 'vitest'
 *
 * const signal = new AbortController().signal
 * agentContract({ describe, test }, 'my agent', {
 *   agent: async () => completed('done'),
 *   task: async () => ({ prompt: 'Write a README.', workspace: localWorkspace('.'), signal }),
 * })
 */
export function agentContract({ describe, test }: TestHarness, name: string, setup: AgentContractSetup): void {
  const { agent, task } = setup
  describe(`${name} keeps the agent contract`, () => {
    test('answers with an invocation that survives JSON', async () => {
      expectInvocation(await agent(await task()))
    })
    test('needs no listener', async () => {
      const { record, ...silent } = await task()
      expectInvocation(await agent(silent))
    })
    test('stops when its signal fires', async () => {
      const stop = new AbortController()
      const ending = stopped(agent, { ...(await task()), signal: stop.signal })
      stop.abort(new Error('enough'))
      await expectToEnd(ending)
    })
    test('does not begin when the signal has fired already', async () => {
      await expectToEnd(stopped(agent, { ...(await task()), signal: AbortSignal.abort(new Error('enough')) }))
    })
    test('two calls together do not disturb each other', async () => {
      const tasks = [await task(), await task()]
      const alone = (await agent(await task())).status
      const both = await Promise.all(tasks.map(async (one) => await agent(one)))
      expectSame(
        both.map(({ status }) => status),
        [alone, alone],
        'statuses',
      )
    })
    test('the task is not changed', async () => {
      const given = await task()
      const before = { ...given }
      await agent(given)
      for (const key of Object.keys(before) as (keyof AgentTask)[])
        expectThat(given[key] === before[key], `task.${key} was changed`)
    })
  })
}

/** Ends when the agent does; a throw is an end as well. */
async function stopped(agent: Agent, task: AgentTask): Promise<'ended'> {
  try {
    await agent(task)
  } catch {
    // A stopped agent may throw anything.
  }
  return 'ended'
}

async function expectToEnd(ending: Promise<'ended'>): Promise<void> {
  const enough = new AbortController()
  const late = setTimeout(graceMs, 'late', { signal: enough.signal }).catch(() => 'late')
  const outcome = await Promise.race([ending, late])
  enough.abort()
  expectThat(outcome === 'ended', `still running ${graceMs / 1_000} s after the signal`)
}

function expectInvocation(invocation: Invocation): void {
  expectThat(typeof invocation === 'object' && invocation !== null, 'the answer is not an object')
  expectThat(isInvocationStatus(invocation.status), `unknown status ${JSON.stringify(invocation.status)}`)
  expectThat(
    invocation.status !== 'error' || typeof invocation.failure?.message === 'string',
    'an invocation of status "error" has no failure',
  )
  const { costUsd = 0, elapsedMs = 0, usage = {} } = invocation
  for (const [what, amount] of Object.entries({ costUsd, elapsedMs, ...usage }))
    expectThat(Number.isFinite(amount) && amount >= 0, `${what} is ${amount}`)
  expectSame(JSON.parse(JSON.stringify(invocation)), invocation, 'read back')
}
