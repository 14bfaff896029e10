import type { TestHarness } from '@jurist/core/testing'
import { agentScript, isForWork } from './agent-script.js'
import type { AgentUnderTest } from './agent-under-test.js'
import { agentRun, inShort } from './agent-under-test.js'
import { expectSame, expectThat } from './expect-that.js'
import { scriptedServer } from './scripted-server.js'

/** Grace, SIGTERM, SIGKILL and the sweep, on a busy machine. */
const mostMs = 15_000
/** The agent has begun its command by then. */
const settleMs = 1_500

/** A4: an agent ends when it is told to, with everything it started. */
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
    const tookMs = performance.now() - (await firing)
    expectSame(await processesWith(mark), [], 'processes left')
    expectThat(tookMs < mostMs, `the agent ended ${Math.round(tookMs)} ms after it was told to`)
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

/** Fires once the command has begun; when it did. */
async function stopWhenBegun(
  stop: AbortController,
  reason: unknown,
  hasBegun: () => Promise<boolean>,
): Promise<number> {
  const end = performance.now() + 60_000
  while (performance.now() < end && !(await hasBegun())) await pause(50)
  await pause(settleMs)
  stop.abort(reason)
  return performance.now()
}

/** The command lines of processes that name the mark, where the system tells them. */
async function processesWith(mark: string): Promise<readonly string[]> {
  if (process.platform !== 'linux') return []
  const { readdirSync, readFileSync } = await import('node:fs')
  const lines = readdirSync('/proc').flatMap((id) => {
    if (!/^\d+$/.test(id)) return []
    try {
      return [readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ')]
    } catch {
      // It ended in between.
      return []
    }
  })
  return lines.filter((line) => line.includes(mark))
}
