import { fileURLToPath } from 'node:url'
import {
  claudeAgent,
  claudeCommand,
  claudeModel,
  contextFromClaudeAgent,
  evaluateClaudeAgent,
} from '@jurist/bridges/claude-agent'
import { asText, type JournalEvent } from '@jurist/core'
import { stepsOfEvents } from '@jurist/core/internal'
import { userRequest } from '@jurist/core/llm'
import { bubblewrapSandbox, emptyDirectory } from '@jurist/workspace'
import { describe, expect, test } from 'vitest'
import type { ClaudeMessage } from '../../src/claude-agent/agent.js'
import { agentBridgeContract, contextBridgeContract, scriptedServer } from '../../testing/index.js'
import { query } from '../fixtures/claude-query.mjs'

const hasBubblewrap = await bubblewrapSandbox()
  .probe()
  .then(
    () => true,
    () => false,
  )
const program = fileURLToPath(new URL('../fixtures/claude.mjs', import.meta.url))
const abilities = { usage: true, cost: true, tools: true, maxTurns: true, workspace: () => emptyDirectory() }

agentBridgeContract(
  { describe, test },
  'claudeAgent',
  ({ server, environment, permissions, maxTurns }) =>
    claudeAgent({
      query,
      permissions,
      graceMs: 1_000,
      options: { maxTurns },
      environment: { ...environment, set: { ...environment.set, ANTHROPIC_BASE_URL: server.url } },
    }),
  abilities,
)

agentBridgeContract(
  { describe, test },
  'claudeCommand',
  ({ server, environment, permissions, maxTurns }) =>
    claudeCommand({
      command: [process.execPath, program],
      permissions,
      maxTurns,
      graceMs: 1_000,
      environment: { ...environment, set: { ...environment.set, ANTHROPIC_BASE_URL: server.url } },
    }),
  abilities,
)

const init = { type: 'system', subtype: 'init', model: 'claude-test', session_id: 's-1', claude_code_version: '1.0.0' }
const usage = { input_tokens: 10, output_tokens: 4, cache_read_input_tokens: 3, cache_creation_input_tokens: 2 }
const answer = (...content: readonly object[]) => ({
  type: 'assistant',
  message: { id: 'm-1', model: 'x', content, usage },
})
const result = (parts: object): ClaudeMessage => ({
  ...{
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'Hello',
    stop_reason: 'end_turn',
    session_id: 's-1',
  },
  ...{ num_turns: 1, usage, total_cost_usd: 0.01, permission_denials: [] },
  ...parts,
})
const called = answer({ type: 'tool_use', id: 'a', name: 'Read', input: { file_path: 'a.txt' } })
const returned = { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 'a', content: 'text' }] } }

contextBridgeContract({ describe, test }, 'claude-agent', {
  prefix: 'claude',
  contextFrom: contextFromClaudeAgent,
  evaluate: evaluateClaudeAgent,
  samples: {
    ok: [init, answer({ type: 'text', text: 'Hello' }), result({})],
    truncated: result({ stop_reason: 'max_tokens' }),
    refused: result({ stop_reason: 'refusal' }),
    failed: result({ subtype: 'error_max_turns', is_error: true, errors: ['too many'] }),
    unknown: result({ stop_reason: 'brand-new' }),
    tools: [init, called, returned, result({})],
    empty: result({ result: '' }),
  },
})

describe('endings of Claude', () => {
  const ended = (parts: object) => contextFromClaudeAgent(result(parts), { goal: 'x' }).failure
  const failing = { subtype: 'success', is_error: true, result: 'No.' }

  test('an error of the service says which', () => {
    expect(ended({ ...failing, api_error_status: 401 })).toMatchObject({ code: 'http-401', infrastructure: true })
    expect(ended({ ...failing, api_error_status: 529 })).toMatchObject({ code: 'http-529', infrastructure: true })
    expect(ended({ ...failing, api_error_status: 400 })).toMatchObject({ code: 'http-400', infrastructure: false })
    expect(ended({ ...failing, terminal_reason: 'model_error' })).toMatchObject({
      code: 'model_error',
      infrastructure: true,
    })
  })

  test.each([
    ['error_max_turns', 'max-turns'],
    ['error_max_budget_usd', 'max-budget-usd'],
    ['error_max_structured_output_retries', 'max-structured-output-retries'],
  ])('%s is %s', (subtype, code) => {
    expect(ended({ subtype, is_error: true })).toMatchObject({ code, infrastructure: false })
  })

  test('without a result the usage is that of the answers, each once', () => {
    const { metadata } = contextFromClaudeAgent([init, called, called], { goal: 'x' })
    expect(metadata['claude.usage']).toEqual({
      inputTokens: 15,
      outputTokens: 4,
      cacheReadTokens: 3,
      cacheWriteTokens: 2,
    })
    expect(metadata['claude.warnings']).toEqual(['usage-partial'])
    expect(metadata['claude.status']).toBe('unknown')
  })

  test('a denied tool is denied', () => {
    const denial = { tool_name: 'Read', tool_use_id: 'a' }
    const refused = { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 'a', is_error: true }] } }
    const { metadata } = contextFromClaudeAgent([called, refused, result({ permission_denials: [denial] })], {
      goal: 'x',
    })
    expect(metadata['claude.toolExecutions']).toMatchObject([{ status: 'denied' }])
    expect(metadata['claude.permissionDenials']).toEqual([{ tool: 'Read', id: 'a' }])
    const silent = contextFromClaudeAgent([called, result({ permission_denials: [denial] })], { goal: 'x' })
    expect(silent.toolSteps).toMatchObject([{ name: 'Read', status: 'denied' }])
    expect(silent.metadata['claude.toolExecutions']).toMatchObject([{ id: 'a', status: 'denied' }])
  })
})

describe('faults of Claude', () => {
  const run = async (agent: ReturnType<typeof claudeAgent>) => {
    await using workspace = await emptyDirectory()
    return await agent({ prompt: 'x', workspace, signal: new AbortController().signal })
  }
  const set = { SCRIPTED_FAULT: 'dies', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' }

  test('a missing program', async () => {
    const commanded = await run(claudeCommand({ command: ['no-such-claude'] }))
    const asked = await run(claudeAgent({ query, options: { executable: '/no/such/node' } }))
    for (const { status, failure } of [commanded, asked]) {
      expect([status, failure?.code, failure?.infrastructure]).toEqual(['error', 'agent-start', true])
      expect(failure?.message).toMatch(/Install it/)
    }
  })

  test('a death tells the last words', async () => {
    for (const agent of [
      claudeCommand({ command: [process.execPath, program], environment: { set } }),
      claudeAgent({ query, environment: { set } }),
    ]) {
      const { failure } = await run(agent)
      expect(failure).toMatchObject({ code: 'agent-protocol', infrastructure: false })
      expect(failure?.message).toContain('out of memory: claude is dying')
    }
  })

  test('garbage between the lines is a warning; no login ends with the remedy', async () => {
    await using server = await scriptedServer(() => ({ status: 401 }))
    const environment = { set: { SCRIPTED_FAULT: 'garbage', ANTHROPIC_BASE_URL: server.url } }
    const { failure, metadata } = await run(claudeCommand({ command: [process.execPath, program], environment }))
    expect(metadata?.['claude.warnings']).toContain('output-not-json')
    expect(failure?.message).toContain("allow: ['ANTHROPIC_API_KEY']")
  })
})

test('Claude as a model answers in an empty directory', async () => {
  await using server = await scriptedServer(() => ({ text: 'Answer: YES' }))
  const model = claudeModel({ query, environment: { set: { ANTHROPIC_BASE_URL: server.url } } })
  const { text, usage: used, model: name } = await model(userRequest('Is it?', { temperature: 0 }))
  expect([text, name, used?.inputTokens]).toEqual(['Answer: YES', 'scripted', 100])
})

test('a call of the model is in the journal before what the model said, so that each tool call has its turn', async () => {
  const part = (id: string, block: object, tokens: number) => ({
    type: 'assistant',
    message: { id, model: 'x', content: [block], usage: { input_tokens: 10, output_tokens: tokens } },
  })
  const call = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command: 'ls' } })
  const returned = (id: string) => ({
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] },
  })
  async function* query() {
    yield { ...init, skills: ['pdf'], tools: ['Bash'] }
    yield part('m-1', { type: 'text', text: 'I look.' }, 1)
    yield part('m-1', call('t-1'), 9)
    yield { type: 'system', subtype: 'status' }
    yield returned('t-1')
    yield {
      type: 'user',
      message: { role: 'user', content: [{ type: 'text', text: 'Base directory for this skill: /x' }] },
    }
    yield part('m-2', call('t-2'), 5)
    yield returned('t-2')
    yield result({ result: 'done' })
  }
  await using workspace = await emptyDirectory()
  const events: JournalEvent[] = []
  const record = (event: JournalEvent) => void events.push(event)
  await claudeAgent({ query })({ prompt: 'x', workspace, signal: new AbortController().signal, record })
  const told = events.filter(({ type }) => !['prompt', 'state'].includes(type))
  expect(told.map(({ type }) => type)).toEqual([
    'custom',
    ...['model-call', 'text', 'tool-call', 'custom', 'tool-result', 'custom'],
    ...['model-call', 'tool-call', 'tool-result'],
  ])
  expect(told[1]).toMatchObject({ usage: { outputTokens: 9 } })
  const named = (name: string) => told.filter((event) => event.type === 'custom' && event.name === name)
  expect(named('claude.init')).toMatchObject([{ data: { skills: ['pdf'], tools: ['Bash'] } }])
  expect(named('claude.user')).toMatchObject([{ data: 'Base directory for this skill: /x' }])
  expect(stepsOfEvents(events)?.map(({ turn }) => turn)).toEqual([0, 1])
  const times = told.map(({ at = '' }) => at)
  expect(times).toEqual([...times].sort())
})

describe('where the command runs', () => {
  /** Names a file below the directory it is in, and where its settings are. */
  const telling = `
  echo "{\\"type\\":\\"assistant\\",\\"message\\":{\\"id\\":\\"a\\",\\"content\\":[{\\"type\\":\\"tool_use\\",\\"id\\":\\"t\\",\\"name\\":\\"Edit\\",\\"input\\":{\\"file_path\\":\\"$PWD/src/a.ts\\"}}]}}"
  echo "{\\"type\\":\\"result\\",\\"subtype\\":\\"success\\",\\"is_error\\":false,\\"result\\":\\"$CLAUDE_CONFIG_DIR=$HOME\\"}"`
  const ran = async (options: object, set = {}) => {
    await using workspace = await emptyDirectory(options)
    const agent = claudeCommand({ command: ['sh', '-c', telling, 'sh'], environment: { set } })
    const events: JournalEvent[] = []
    const record = (event: JournalEvent) => void events.push(event)
    const { output, metadata } = await agent({ prompt: 'x', workspace, signal: new AbortController().signal, record })
    const [settings, home] = asText(output).split('=')
    return { settings, home, tools: metadata?.['claude.toolExecutions'], warnings: metadata?.['claude.warnings'] }
  }

  test('its settings are in its home, unless somebody says another place', async () => {
    const { settings, home } = await ran({})
    expect(settings).toMatch(/scratch/)
    expect(settings).toBe(home)
    expect((await ran({}, { CLAUDE_CONFIG_DIR: '/elsewhere' })).settings).toBe('/elsewhere')
  })

  test('settings, skills and CLAUDE.md are read from nowhere, unless the caller says where', async () => {
    const given = async (settingSources?: readonly ('user' | 'project')[]) => {
      await using workspace = await emptyDirectory()
      const command = ['sh', '-c', 'echo "$@" >&2', 'sh'] as const
      const agent = claudeCommand({ command, ...(settingSources && { settingSources }) })
      const { failure } = await agent({ prompt: 'x', workspace, signal: new AbortController().signal })
      return failure?.message
    }
    expect(await given()).toContain('--setting-sources  --')
    expect(await given(['user', 'project'])).toContain('--setting-sources user,project --')
    expect(() => claudeCommand({ settingSources: ['home' as 'user'] })).toThrow(/"user", "project" and "local"/)
  })

  test.skipIf(!hasBubblewrap)('paths of a sandbox are paths of the workspace (needs bubblewrap)', async () => {
    const { tools, warnings, settings } = await ran({ sandbox: bubblewrapSandbox() })
    expect(tools).toMatchObject([{ paths: ['src/a.ts'] }])
    expect([warnings, settings]).toEqual([undefined, ''])
  })
})
