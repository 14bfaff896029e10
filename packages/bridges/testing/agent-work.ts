import { asText, type JournalEvent, type Json } from '@jurist/core'
import type { TestHarness } from '@jurist/core/testing'
import { agentScript, isForWork } from './agent-script.js'
import { type AgentRun, type AgentUnderTest, agentRun, inShort } from './agent-under-test.js'
import { expectSame, expectThat } from './expect-that.js'
import { scriptedServer } from './scripted-server.js'
import { type ScriptedRequest, scriptedUsage } from './scripted-turn.js'

const token = 'token-of-the-contract-1'

/**
 * One run, because each starts a program. A1: an agent works. A3: it sees only the parts of the host that it is given.
 * A7: the journal contains the run, and no secret. A8: the tokens are those that the server charged.
 */
export function workTests({ test }: TestHarness, subject: AgentUnderTest): void {
  const { can } = subject
  test('A1, A3, A7, A8: it works, and its environment, journal and tokens are right', async () => {
    await using workspace = await can.workspace()
    await workspace.write('greeting.txt', 'Hello\n')
    const script = agentScript(workspace.root, [
      { read: 'greeting.txt' },
      { edit: 'greeting.txt', from: 'Hello', to: 'Goodbye' },
      { write: 'made.txt', content: 'made' },
      { run: 'cat greeting.txt > seen.txt; env > environment.txt; echo "$SERVICE_TOKEN"' },
      { say: `It is done with ${token}.` },
    ])
    const events: JournalEvent[] = []
    const task = { prompt: 'Tell the token.', record: (event: JournalEvent) => void events.push(event) }
    const set = { GIVEN_TO_IT: 'given', SERVICE_TOKEN: token }
    process.env['HOST_SECRET'] = 'planted-by-the-contract'
    const run = await agentRun(subject, { workspace, script, set, task }).finally(() => {
      delete process.env['HOST_SECRET']
    })
    expectSame(run.invocation.status, 'completed', `status of ${inShort(run.invocation)}`)
    for (const [path, content] of [
      ['greeting.txt', 'Goodbye'],
      ['made.txt', 'made'],
      ['seen.txt', 'Goodbye'],
    ] as const)
      expectSame((await workspace.read(path)).trim(), content, path)
    expectSame(asText(run.invocation.output), 'It is done with ***.', 'output')
    if (can.tools) expectTools(run, can.fileTools ?? true)
    await expectEnvironment(await workspace.read('environment.txt'))
    expectJournal(events, run, can.tools)
    if (can.usage) expectCharged(run, can.cost)
  })
  readOnlyTest({ test }, subject)
  if (can.fileTools ?? true) outsideTest({ test }, subject)
}

function expectTools({ facts, invocation }: AgentRun, hasFileTools: boolean): void {
  const { toolExecutions = [] } = facts
  expectThat(toolExecutions.length >= 4, `four tools were used, not ${JSON.stringify(toolExecutions)}`)
  for (const { name, status } of toolExecutions) expectSame(status, 'completed', `status of ${name}`)
  const paths = toolExecutions.flatMap((execution) => execution.paths ?? [])
  if (hasFileTools) expectThat(paths.includes('greeting.txt'), `greeting.txt is not among ${paths}`)
  expectSame(invocation.phases?.[0]?.toolUses?.length, toolExecutions.length, 'tool uses of the phase')
}

function readOnlyTest({ test }: Pick<TestHarness, 'test'>, subject: AgentUnderTest): void {
  test('A2: read-only leaves the workspace as it was, and nothing waits', async () => {
    await using workspace = await subject.can.workspace()
    await workspace.write('greeting.txt', 'Hello\n')
    const steps = [{ write: 'made.txt', content: 'made' }, { run: 'echo x > made-too.txt' }, { say: 'I may not.' }]
    const script = agentScript(workspace.root, steps)
    const { invocation, facts } = await agentRun(subject, { workspace, script, permissions: 'read-only' })
    const entries = []
    for await (const { path } of workspace.list()) entries.push(path)
    expectSame(entries, ['greeting.txt'], `entries after ${inShort(invocation)}`)
    if (!subject.can.tools || subject.can.refusals === false) return
    const { toolExecutions = [], permissionDenials = [] } = facts
    const denied = toolExecutions.filter(({ status }) => status === 'denied')
    const refused = toolExecutions.filter(({ status }) => status === 'denied' || status === 'failed')
    expectThat(refused.length > 0, `no tool was refused: ${JSON.stringify(toolExecutions)}`)
    expectSame(permissionDenials.length, denied.length, 'permission denials')
  })
}

function outsideTest({ test }: Pick<TestHarness, 'test'>, subject: AgentUnderTest): void {
  test('A2: an edit tool does not write outside the workspace', async () => {
    await using workspace = await subject.can.workspace()
    await using elsewhere = await subject.can.workspace()
    const path = `${elsewhere.root}/outside.txt`
    const script = agentScript(workspace.root, [{ write: path, content: 'made' }, { say: 'I may not.' }])
    const { invocation } = await agentRun(subject, { workspace, script })
    expectThat(!(await elsewhere.exists('outside.txt')), `outside.txt was written by ${inShort(invocation)}`)
  })
}

async function expectEnvironment(seen: string): Promise<void> {
  expectThat(!seen.includes('planted-by-the-contract'), 'a secret of the host was seen')
  expectThat(seen.includes('GIVEN_TO_IT=given'), 'a variable that was set is not there')
  expectThat(/^JURIST_RUN=./m.test(seen), 'JURIST_RUN is not there')
  const { access } = await import('node:fs/promises')
  const home = /^HOME=(.*)$/m.exec(seen)?.[1] ?? ''
  const isThere = await access(home).then(
    () => true,
    () => false,
  )
  expectThat(!isThere, `the scratch home ${home} is still there`)
}

function expectJournal(events: readonly JournalEvent[], { invocation, facts }: AgentRun, hasTools: boolean): void {
  const [prompt] = events.flatMap((event) => (event.type === 'prompt' ? [event.text] : []))
  expectSame(prompt, 'Tell the token.', 'prompt')
  const states = events.flatMap((event) => (event.type === 'state' ? [event.state] : []))
  expectSame([states[0], states.at(-1)], ['started', 'finished'], 'first and last state')
  expectThat(!JSON.stringify([events, invocation]).includes(token), 'a secret was shown')
  if (!hasTools) return
  const ids = events.flatMap((event) => (event.type === 'tool-call' || event.type === 'tool-result' ? [event.id] : []))
  const expected = (facts.toolExecutions ?? []).flatMap(({ id }) => [id, id])
  expectSame(ids, expected, 'ids of the calls and their results')
}

function expectCharged({ invocation, requests }: AgentRun, hasCost: boolean): void {
  const charged = requests.filter(isForWork).length
  const { inputTokens, outputTokens, cacheReadTokens } = invocation.usage ?? {}
  const { inputTokens: input, outputTokens: output } = scriptedUsage
  expectSame([inputTokens, outputTokens], [charged * input, charged * output], `tokens of ${inShort(invocation)}`)
  if (cacheReadTokens !== undefined) expectSame(cacheReadTokens, charged * scriptedUsage.cacheReadTokens, 'cached')
  expectSame(invocation.costUsd !== undefined, hasCost, 'whether there is a cost')
}

const hostilePrompt = `-x --help "double" 'single' $(touch pwned) \`touch pwned\` \\ \${HOME} {{prompt}} 🙂\nsecond line\n${'long '.repeat(40_000)}end`

/** A7: a journal that cannot be written does no harm. A8: prompts arrive unchanged, simultaneous runs do not mix. */
export function promptTests({ test }: TestHarness, subject: AgentUnderTest): void {
  const { can } = subject
  test('A7, A8: the prompt arrives byte for byte, and a record that throws does no harm', async () => {
    await using workspace = await can.workspace()
    const record = () => {
      throw new Error('the disk is full')
    }
    const { invocation, facts, requests } = await agentRun(subject, {
      workspace,
      script: () => ({ text: 'Read.' }),
      task: { prompt: hostilePrompt, record },
    })
    expectThat((facts.warnings ?? []).includes('journal-failed'), `no warning among ${facts.warnings}`)
    expectSame(invocation.status, 'completed', `status of ${inShort(invocation)}`)
    const texts = requests.filter(isForWork).flatMap(({ body }) => textsIn(body))
    expectThat(
      texts.some((text) => text.includes(hostilePrompt)),
      'the prompt did not reach the model as it was',
    )
    expectThat(!(await workspace.exists('pwned')), 'the prompt was given to a shell')
  })
  togetherTest({ test }, subject)
}

function togetherTest({ test }: Pick<TestHarness, 'test'>, { make, can }: AgentUnderTest): void {
  test('A8: two simultaneous runs in two workspaces do not mix', async () => {
    await using first = await can.workspace()
    await using second = await can.workspace()
    const places = [first, second]
    const placeOf = (request: ScriptedRequest) => (JSON.stringify(request.body).includes('task-of-second') ? 1 : 0)
    await using server = await scriptedServer((request) => {
      const place = placeOf(request)
      const root = places[place]?.root ?? ''
      return agentScript(root, [{ write: 'mine.txt', content: `of ${place}` }, { say: `This was ${place}.` }])(request)
    })
    const agent = await make({ server, environment: {}, permissions: 'workspace', maxTurns: 20 })
    const { signal } = new AbortController()
    const [one, two] = await Promise.all([
      agent({ prompt: 'task-of-first', workspace: first, signal }),
      agent({ prompt: 'task-of-second', workspace: second, signal }),
    ])
    expectSame(
      [one, two].map(({ output }) => asText(output)),
      ['This was 0.', 'This was 1.'],
      `outputs of ${inShort(one)}`,
    )
    const files = await Promise.all(places.map(async (place) => (await place.read('mine.txt')).trim()))
    expectSame(files, ['of 0', 'of 1'], 'files')
  })
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap((part) => textsIn(part as Json))
}
