import type { JournalEvent } from '@jurist/core'
import type { TestHarness } from '@jurist/core/testing'
import { agentScript } from './agent-script.js'
import type { AgentUnderTest } from './agent-under-test.js'
import { agentRun, inShort } from './agent-under-test.js'
import { expectSame, expectThat } from './expect-that.js'

const token = 'token-of-the-contract-1'

/** A7: a run is told to the journal, and no secret with it. */
export function journalTests({ test }: TestHarness, subject: AgentUnderTest): void {
  const run = async (record: (event: JournalEvent) => void) => {
    await using workspace = await subject.can.workspace()
    const steps = [{ run: 'echo "$SERVICE_TOKEN"' }, { say: `The token is ${token}.` }]
    const task = { record, prompt: 'Tell the token.' }
    const script = agentScript(workspace.root, steps)
    return await agentRun(subject, { workspace, script, set: { SERVICE_TOKEN: token }, task })
  }
  test('A7: prompt, calls and results stand in the journal, in order, and no secret', async () => {
    const events: JournalEvent[] = []
    const { invocation, facts } = await run((event) => events.push(event))
    expectSame(invocation.status, 'completed', `status of ${inShort(invocation)}`)
    const [prompt] = events.flatMap((event) => (event.type === 'prompt' ? [event.text] : []))
    expectSame(prompt, 'Tell the token.', 'prompt')
    const states = events.flatMap((event) => (event.type === 'state' ? [event.state] : []))
    expectSame([states[0], states.at(-1)], ['started', 'finished'], 'first and last state')
    expectThat(!JSON.stringify([events, invocation]).includes(token), 'a secret was told')
    if (!subject.can.tools) return
    const ids = events.flatMap((event) =>
      event.type === 'tool-call' || event.type === 'tool-result' ? [event.id] : [],
    )
    const [execution] = facts.toolExecutions ?? []
    expectSame(ids, [execution?.id, execution?.id], 'ids of the call and its result')
  })
  test('A7: a record that throws does no harm', async () => {
    const { invocation, facts } = await run(() => {
      throw new Error('the disk is full')
    })
    expectSame(invocation.status, 'completed', `status of ${inShort(invocation)}`)
    expectThat((facts.warnings ?? []).includes('journal-failed'), `no warning among ${facts.warnings}`)
  })
}
