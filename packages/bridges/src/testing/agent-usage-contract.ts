import type { Json } from '@jurist/core'
import { asText } from '@jurist/core'
import type { TestHarness } from '@jurist/core/testing'
import { agentScript, isForWork } from './agent-script.js'
import type { AgentUnderTest } from './agent-under-test.js'
import { agentRun, inShort } from './agent-under-test.js'
import { expectSame, expectThat } from './expect-that.js'
import { scriptedServer } from './scripted-server.js'
import type { ScriptedRequest } from './scripted-turn.js'
import { scriptedUsage } from './scripted-turn.js'

const hostilePrompt = `-x --help "double" 'single' $(touch pwned) \`touch pwned\` \\ \${HOME} {{prompt}} 🙂\nsecond line\n${'long '.repeat(40_000)}end`

/** A8: what was charged is counted, prompts arrive as they are, runs at once stay apart. */
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
  test('A8: two runs at once in two workspaces stay apart', async () => {
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
