import type { TestHarness } from '@jurist/core/testing'
import { agentScript, isForWork } from './agent-script.js'
import type { AgentUnderTest } from './agent-under-test.js'
import { agentRun, inShort } from './agent-under-test.js'
import { expectSame } from './expect-that.js'

/** A5: what goes wrong with the model is told apart from what goes wrong with the agent. */
export function troubleTests({ test }: TestHarness, subject: AgentUnderTest): void {
  test('A5: a refused key is a failure of the surroundings', async () => {
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
