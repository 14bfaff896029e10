import type { TestHarness } from '@jurist/core/testing'
import { agentScript, isForWork } from './agent-script.js'
import { type AgentUnderTest, agentRun, inShort } from './agent-under-test.js'
import { expectSame, expectThat } from './expect-that.js'
import { scriptedServer } from './scripted-server.js'

/** A5: failures of the model are distinguished from failures of the agent. */
export function troubleTests({ test }: TestHarness, subject: AgentUnderTest): void {
  test('A5: a refused key is an infrastructure failure', async () => {
    await using workspace = await subject.can.workspace()
    const body = { type: 'error', error: { type: 'authentication_error', message: 'the key is not known' } }
    const { invocation } = await agentRun(subject, { workspace, script: () => ({ status: 401, body }) })
    const { status, failure } = invocation
    const isTold = subject.can.causes ?? true
    expectSame([status, failure?.infrastructure], ['error', isTold], `ending of ${inShort(invocation)}`)
  })
  test('A5: a server that is busy once does no harm', async () => {
    await using workspace = await subject.can.workspace()
    const work = agentScript(workspace.root, [{ write: 'made.txt', content: 'made' }, { say: 'Done.' }])
    let isBusy = true
    const { invocation } = await agentRun(subject, {
      workspace,
      script: (request) => {
        if (!isBusy || !isForWork(request)) return work(request)
        isBusy = false
        const error = { type: 'overloaded_error', message: 'busy' }
        return { status: 529, headers: { 'retry-after': '0' }, body: { type: 'error', error } }
      },
    })
    expectSame(invocation.status, 'completed', `status of ${inShort(invocation)}`)
  })
  if (subject.can.maxTurns === true)
    test('A5: an endless loop ends at the limit of turns', async () => {
      await using workspace = await subject.can.workspace()
      const script = agentScript(workspace.root, [{ run: 'echo again' }])
      const { invocation } = await agentRun(subject, { workspace, script, maxTurns: 3 })
      const { status, failure } = invocation
      const found = [status, failure?.code, failure?.infrastructure ?? false]
      expectSame(found, ['error', 'max-turns', false], `ending of ${inShort(invocation)}`)
    })
}

/** The agent has started its command by then. */
const settleMs = 500

/** A4: an abort ends an agent with everything it started. */
export function stopTests({ test }: TestHarness, subject: AgentUnderTest): void {
  const stopped = async (reason: unknown) => {
    await using workspace = await subject.can.workspace()
    const stop = new AbortController()
    // The name of a file marks the processes of this test.
    const mark = `mark-${globalThis.crypto.randomUUID()}`
    await workspace.write(mark, '')
    const waiting = `tail -f ${mark}`
    const steps = agentScript(workspace.root, [
      { run: `touch begun.txt; ${waiting} & setsid ${waiting} & ${waiting}`, text: 'I begin.' },
      { say: 'Done.' },
    ])
    const firing = stopWhenBegun(stop, reason, () => workspace.exists('begun.txt'))
    const run = await agentRun(subject, { workspace, script: steps, task: { signal: stop.signal } })
    await firing
    expectSame(await processesWith(mark), [], 'processes left')
    if (subject.can.tools)
      expectThat((run.facts.toolExecutions ?? []).length > 0, `the tool was forgotten: ${inShort(run.invocation)}`)
    return run.invocation.status
  }
  test('A4: a deadline ends the agent and everything it started', async () => {
    expectSame(await stopped(new DOMException('too late', 'TimeoutError')), 'timeout', 'status')
  })
  test('A4: the abort of the caller is cancelled', async () => {
    expectSame(await stopped(new Error('enough')), 'cancelled', 'status')
  })
  test('A4: an abort before the start starts nothing', async () => {
    await using workspace = await subject.can.workspace()
    await using server = await scriptedServer(() => ({ text: 'ok' }))
    const agent = await subject.make({ server, environment: {}, permissions: 'workspace', maxTurns: 5 })
    const signal = AbortSignal.abort(new Error('enough'))
    const { status } = await agent({ prompt: 'Do it.', workspace, signal })
    expectSame([status, server.requests.filter(isForWork).length], ['cancelled', 0], 'status and requests')
  })
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Fires once the command has started. */
async function stopWhenBegun(stop: AbortController, reason: unknown, hasBegun: () => Promise<boolean>): Promise<void> {
  while (!(await hasBegun())) await pause(50)
  await pause(settleMs)
  stop.abort(reason)
}

/** Empty on systems that do not list command lines. */
async function processesWith(mark: string): Promise<readonly string[]> {
  if (process.platform !== 'linux') return []
  const { readdirSync, readFileSync } = await import('node:fs')
  const lines = readdirSync('/proc').flatMap((id) => {
    if (!/^\d+$/.test(id)) return []
    try {
      return [readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ')]
    } catch {
      // The process ended in the meantime.
      return []
    }
  })
  return lines.filter((line) => line.includes(mark))
}
