import { fileURLToPath } from 'node:url'
import { codexAgent, codexCommand, codexModel, contextFromCodex, evaluateCodex } from '@jurist/bridges/codex'
import { type Agent, asText, type JournalEvent } from '@jurist/core'
import { userRequest } from '@jurist/core/llm'
import { bubblewrapSandbox, emptyDirectory } from '@jurist/workspace'
import { describe, expect, test } from 'vitest'
import { agentBridgeContract, contextBridgeContract, scriptedServer } from '../../testing/index.js'
import { codexClient } from '../fixtures/codex-client.mjs'

const hasBubblewrap = await bubblewrapSandbox()
  .probe()
  .then(
    () => true,
    () => false,
  )
const program = fileURLToPath(new URL('../fixtures/codex.mjs', import.meta.url))
const command = [process.execPath, program] as const
const codex = (environment: Record<string, string>) => codexClient(environment)
const abilities = { usage: true, cost: false, tools: true, workspace: () => emptyDirectory() }

agentBridgeContract(
  { describe, test },
  'codexAgent',
  ({ server, environment, permissions }) =>
    codexAgent({
      codex,
      permissions,
      graceMs: 1_000,
      environment: { ...environment, set: { ...environment.set, ANTHROPIC_BASE_URL: server.url } },
    }),
  abilities,
)

agentBridgeContract(
  { describe, test },
  'codexCommand',
  ({ server, environment, permissions }) =>
    codexCommand({
      command,
      permissions,
      graceMs: 1_000,
      environment: { ...environment, set: { ...environment.set, ANTHROPIC_BASE_URL: server.url } },
    }),
  abilities,
)

const usage = { input_tokens: 10, cached_input_tokens: 3, cache_write_input_tokens: 0, output_tokens: 4 }
const message = { id: 'm', type: 'agent_message', text: 'Hello' }
const shell = { id: 's', type: 'command_execution', command: 'ls', aggregated_output: 'a.txt', exit_code: 0 }
const done = (item: object) => ({ type: 'item.completed', item })
const completed = { type: 'turn.completed', usage }

contextBridgeContract({ describe, test }, 'codex', {
  prefix: 'codex',
  contextFrom: contextFromCodex,
  evaluate: evaluateCodex,
  samples: {
    ok: { items: [message], finalResponse: 'Hello', usage },
    // Codex tells no finish reason.
    truncated: null,
    refused: null,
    failed: [{ type: 'turn.failed', error: { message: 'no' } }] as never,
    unknown: [done(message)],
    tools: [done(shell), done(message), completed],
    empty: { items: [], finalResponse: '', usage },
  },
})

describe('events of Codex', () => {
  const facts = (...events: readonly { readonly type: string }[]) => contextFromCodex(events, { goal: 'x' })

  test('each item has its execution', () => {
    const items = [
      shell,
      { ...shell, id: 'f', exit_code: 2 },
      { ...shell, id: 'r', exit_code: null },
      { id: 'p', type: 'file_change', status: 'completed', changes: [{ path: 'a.txt', kind: 'add' }] },
      {
        id: 'c',
        type: 'mcp_tool_call',
        server: 'files',
        tool: 'list',
        arguments: { at: 1 },
        error: { message: 'no' },
        status: 'failed',
      },
      { id: 'w', type: 'web_search', query: 'cats' },
    ]
    const { metadata } = facts(...items.map(done), completed)
    expect(metadata['codex.toolExecutions']).toMatchObject([
      { name: 'shell', status: 'completed', input: { command: 'ls' }, output: 'a.txt' },
      { name: 'shell', status: 'failed' },
      { name: 'shell', status: 'unfinished' },
      { name: 'apply_patch', status: 'completed', paths: ['a.txt'] },
      { name: 'files.list', status: 'failed', input: { at: 1 }, output: 'no' },
      { name: 'web_search', status: 'completed', input: { query: 'cats' } },
    ])
  })

  test('what was declined is denied, and counted', () => {
    const declined = { ...shell, id: 'd', exit_code: null, status: 'declined' }
    const patch = { id: 'p', type: 'file_change', status: 'declined', changes: [] }
    const { metadata, toolSteps } = facts(done(declined), done(patch), completed)
    expect(toolSteps?.map(({ name, status }) => [name, status])).toEqual([
      ['shell', 'denied'],
      ['apply_patch', 'denied'],
    ])
    expect(metadata['codex.toolExecutions']).toMatchObject([{ status: 'denied' }, { status: 'denied' }])
    expect(metadata['codex.permissionDenials']).toEqual([
      { tool: 'shell', id: 'd' },
      { tool: 'apply_patch', id: 'p' },
    ])
  })

  test('advice is no error', () => {
    const { status, metadata } = facts(
      done({ id: 'e', type: 'error', message: 'metadata' }),
      { type: 'error', message: 'again' } as never,
      completed,
    )
    expect(status).toBe('success')
    expect(metadata['codex.warnings']).toEqual(['error: again', 'error: metadata'])
  })

  test.each([
    ['unexpected status 401 Unauthorized', 'http-401', true],
    ['unexpected status 400 Bad Request', 'http-400', false],
    ['stream disconnected', 'turn-failed', true],
    ["You've hit your usage limit.", 'turn-failed', true],
    ["Codex ran out of room in the model's context window.", 'turn-failed', false],
  ])('%s is %s', (told, code, infrastructure) => {
    expect(facts({ type: 'turn.failed', error: { message: told } } as never).failure).toMatchObject({
      code,
      infrastructure,
    })
  })
})

describe('faults of Codex', () => {
  const run = async (agent: Agent) => {
    await using workspace = await emptyDirectory()
    return await agent({ prompt: 'x', workspace, signal: new AbortController().signal })
  }

  test('a missing program', async () => {
    const commanded = await run(codexCommand({ command: ['no-such-codex'] }))
    const asked = await run(codexAgent({ codex: (environment) => codexClient(environment, '/no/such/node') }))
    for (const { failure } of [commanded, asked]) {
      expect(failure).toMatchObject({ code: 'agent-start', infrastructure: true })
      expect(failure?.message).toMatch(/Install it/)
    }
  })

  test('a death tells the last words', async () => {
    const environment = { set: { SCRIPTED_FAULT: 'dies' } }
    for (const agent of [codexCommand({ command, environment }), codexAgent({ codex, environment })]) {
      const { failure } = await run(agent)
      expect(failure).toMatchObject({ code: 'agent-protocol', infrastructure: false })
      expect(failure?.message).toContain('out of memory: codex is dying')
    }
  })
})

test('Codex as a model answers in an empty directory', async () => {
  await using server = await scriptedServer(() => ({ text: '{"ok": true}' }))
  const model = codexModel({ codex, environment: { set: { ANTHROPIC_BASE_URL: server.url } } })
  const response = await model(userRequest('Is it?', { responseSchema: { type: 'object' } }))
  expect([response.data, response.usage?.inputTokens]).toEqual([{ ok: true }, 100])
})

test('no approval is asked for, whatever the thread receives', async () => {
  await using server = await scriptedServer(() => ({ text: 'Done.' }))
  await using workspace = await emptyDirectory()
  const threads: unknown[] = []
  const recording: typeof codex = (environment) => {
    const client = codex(environment)
    const startThread: typeof client.startThread = (options) => {
      threads.push(options)
      return client.startThread(options)
    }
    return { startThread }
  }
  const environment = { set: { ANTHROPIC_BASE_URL: server.url } }
  const agent = codexAgent({ codex: recording, environment, thread: { approvalPolicy: 'on-request' } })
  await agent({ prompt: 'x', workspace, signal: new AbortController().signal })
  expect(threads).toMatchObject([{ approvalPolicy: 'never' }])
})

test('prices are by the model that was asked', async () => {
  await using server = await scriptedServer(() => ({ text: 'Done.' }))
  await using workspace = await emptyDirectory()
  const prices = {
    m: { inputPerMillion: 10_000, outputPerMillion: 0, cacheReadPerMillion: 0, cacheWritePerMillion: 0 },
  }
  const agent = codexCommand({ command, prices, model: 'm', environment: { set: { ANTHROPIC_BASE_URL: server.url } } })
  const { costUsd } = await agent({ prompt: 'x', workspace, signal: new AbortController().signal })
  expect(costUsd).toBeCloseTo(0.5)
})

describe('where the command runs', () => {
  /** Names a file below the directory it is in, and where its settings are. */
  const telling = `
  echo "{\\"type\\":\\"item.completed\\",\\"item\\":{\\"id\\":\\"f\\",\\"type\\":\\"file_change\\",\\"status\\":\\"completed\\",\\"changes\\":[{\\"path\\":\\"$PWD/src/a.ts\\",\\"kind\\":\\"add\\"}]}}"
  echo "{\\"type\\":\\"item.completed\\",\\"item\\":{\\"id\\":\\"m\\",\\"type\\":\\"agent_message\\",\\"text\\":\\"$CODEX_HOME=$HOME\\"}}"
  echo "{\\"type\\":\\"turn.completed\\",\\"usage\\":{}}"`
  const ran = async (options: object, set = {}) => {
    await using workspace = await emptyDirectory(options)
    const agent = codexCommand({ command: ['sh', '-c', telling, 'sh'], environment: { set } })
    const events: JournalEvent[] = []
    const record = (event: JournalEvent) => void events.push(event)
    const { output, metadata } = await agent({ prompt: 'x', workspace, signal: new AbortController().signal, record })
    const [settings, home] = asText(output).split('=')
    return { settings, home, tools: metadata?.['codex.toolExecutions'], warnings: metadata?.['codex.warnings'] }
  }

  test('its settings are in its home, unless somebody says another place', async () => {
    const { settings, home } = await ran({})
    expect(settings).toMatch(/scratch/)
    expect(settings).toBe(home)
    expect((await ran({}, { CODEX_HOME: '/elsewhere' })).settings).toBe('/elsewhere')
  })

  test.skipIf(!hasBubblewrap)('paths of a sandbox are paths of the workspace (needs bubblewrap)', async () => {
    const { tools, warnings, settings } = await ran({ sandbox: bubblewrapSandbox() })
    expect(tools).toMatchObject([{ paths: ['src/a.ts'] }])
    expect([warnings, settings]).toEqual([undefined, ''])
  })
})
