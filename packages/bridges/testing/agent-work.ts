import { asText, type Json } from '@jurist/core'
import type { TestHarness } from '@jurist/core/testing'
import { agentScript, isForWork } from './agent-script.js'
import { type AgentRun, type AgentUnderTest, agentRun, inShort } from './agent-under-test.js'
import { expectSame, expectThat } from './expect-that.js'
import { scriptedServer } from './scripted-server.js'
import { type ScriptedRequest, scriptedUsage } from './scripted-turn.js'

/** A1 and A2: an agent works, and keeps its permissions. */
export function workTests({ test }: TestHarness, subject: AgentUnderTest): void {
  const { can } = subject
  test('A1: edits a file, makes one, runs a command', async () => {
    await using workspace = await can.workspace()
    await workspace.write('greeting.txt', 'Hello\n')
    const script = agentScript(workspace.root, [
      { read: 'greeting.txt' },
      { edit: 'greeting.txt', from: 'Hello', to: 'Goodbye' },
      { write: 'made.txt', content: 'made' },
      { run: 'cat greeting.txt > seen.txt' },
      { say: 'It is done.' },
    ])
    const run = await agentRun(subject, { workspace, script })
    expectSame(run.invocation.status, 'completed', `status of ${inShort(run.invocation)}`)
    for (const [path, content] of [
      ['greeting.txt', 'Goodbye'],
      ['made.txt', 'made'],
      ['seen.txt', 'Goodbye'],
    ] as const)
      expectSame((await workspace.read(path)).trim(), content, path)
    expectSame(asText(run.invocation.output), 'It is done.', 'output')
    if (can.tools) expectTools(run, can.fileTools ?? true)
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

/** A3: an agent sees only the parts of the host that it is given. */
export function environmentTests({ test }: TestHarness, subject: AgentUnderTest): void {
  test('A3: no variable of the host but the allowed, and a home that is gone afterwards', async () => {
    await using workspace = await subject.can.workspace()
    const script = agentScript(workspace.root, [{ run: 'env > seen.txt' }, { say: 'Done.' }])
    process.env['HOST_SECRET'] = 'planted-by-the-contract'
    try {
      const { invocation } = await agentRun(subject, { workspace, script, set: { GIVEN_TO_IT: 'given' } })
      expectThat(await workspace.exists('seen.txt'), `no command was run by ${inShort(invocation)}`)
    } finally {
      delete process.env['HOST_SECRET']
    }
    const seen = await workspace.read('seen.txt')
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
  })
}

const hostilePrompt = `-x --help "double" 'single' $(touch pwned) \`touch pwned\` \\ \${HOME} {{prompt}} 🙂\nsecond line\n${'long '.repeat(40_000)}end`

/** A8: the usage equals what the server charged, prompts arrive unchanged, simultaneous runs do not mix. */
export function usageTests({ test }: TestHarness, subject: AgentUnderTest): void {
  const { can } = subject
  if (can.usage)
    test('A8: the tokens are those that the server charged', async () => {
      await using workspace = await can.workspace()
      const script = agentScript(workspace.root, [
        { write: 'a.txt', content: 'A' },
        { run: 'cat a.txt' },
        { say: 'Done.' },
      ])
      const { invocation, requests } = await agentRun(subject, { workspace, script })
      const charged = requests.filter(isForWork).length
      const { inputTokens, outputTokens, cacheReadTokens } = invocation.usage ?? {}
      const { inputTokens: input, outputTokens: output } = scriptedUsage
      expectSame([inputTokens, outputTokens], [charged * input, charged * output], `tokens of ${inShort(invocation)}`)
      if (cacheReadTokens !== undefined) expectSame(cacheReadTokens, charged * scriptedUsage.cacheReadTokens, 'cached')
      expectSame(invocation.costUsd !== undefined, can.cost, 'whether there is a cost')
    })
  test('A8: the prompt arrives byte for byte', async () => {
    await using workspace = await can.workspace()
    const { invocation, requests } = await agentRun(subject, {
      workspace,
      script: () => ({ text: 'Read.' }),
      task: { prompt: hostilePrompt },
    })
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
