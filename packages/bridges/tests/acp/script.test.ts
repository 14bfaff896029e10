import { fileURLToPath } from 'node:url'
import { acpAgent } from '@jurist/bridges/acp'
import { runFacts } from '@jurist/bridges/agent'
import { type AgentTask, asText, type JournalEvent } from '@jurist/core'
import { emptyDirectory } from '@jurist/workspace'
import { describe, expect, test } from 'vitest'

type AcpAgentOptions = Parameters<typeof acpAgent>[0]

const program = fileURLToPath(new URL('../fixtures/acp-script.mjs', import.meta.url))

/** Runs an agent that does what the script says. */
async function run(script: object, options: Partial<AcpAgentOptions> = {}, task: Partial<AgentTask> = {}) {
  await using workspace = await emptyDirectory()
  const events: JournalEvent[] = []
  const record = (event: JournalEvent) => void events.push(event)
  const agent = acpAgent({ command: [process.execPath, program, JSON.stringify(script)], graceMs: 300, ...options })
  const { signal } = new AbortController()
  const { status, output, failure, metadata, costUsd } = await agent({
    prompt: 'Go',
    workspace,
    signal,
    record,
    ...task,
  })
  return { status, text: asText(output), failure, facts: runFacts(metadata ?? {}), costUsd, events }
}

const chunk = (text: string, messageId?: string) => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
  ...(messageId === undefined ? {} : { messageId }),
})
const call = (more: object) => ({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'List', kind: 'read', ...more })

describe('MCP servers', () => {
  test('are offered in the form of the protocol', async () => {
    const mcpServers = { shop: { command: 'node', args: ['shop.js'] }, bank: { command: 'bank', env: { KEY: 'k' } } }
    expect(JSON.parse((await run({ tellsServers: true }, { mcpServers })).text)).toEqual([
      { name: 'shop', command: 'node', args: ['shop.js'], env: [] },
      { name: 'bank', command: 'bank', args: [], env: [{ name: 'KEY', value: 'k' }] },
    ])
    expect((await run({ tellsServers: true })).text).toBe('[]')
  })

  test.each([[{ shop: 'node shop.js' }], [{ shop: { args: [] } }], [{ shop: { command: 'a', cwd: '.' } }], [[]]])(
    '%j is refused',
    (mcpServers) => {
      const make = () => acpAgent({ command: ['agent'], mcpServers: mcpServers as never })
      expect(make).toThrow(expect.objectContaining({ code: 'option-invalid' }))
    },
  )
})

describe('an agent that is gone or does not listen', () => {
  test('a child that holds its output does not keep a dead agent alive', async () => {
    const { failure } = await run({ stderr: 'out of memory', child: true, exit: 3 })
    expect(failure).toMatchObject({ code: 'agent-protocol', infrastructure: false })
    expect(failure?.message).toContain('it ended before it answered. Its last output: out of memory')
  })

  test('one that stops reading is ended all the same', async () => {
    const { failure } = await run({ deaf: true }, {}, { prompt: 'x'.repeat(400_000) })
    expect(failure).toMatchObject({ code: 'agent-protocol', infrastructure: false })
  })

  test('a start that never comes to an end hears the abort', async () => {
    const start = () => new Promise<never>(() => {})
    expect((await run({}, { start }, { signal: AbortSignal.timeout(50) })).status).toBe('timeout')
  })

  test('limits of more than 24 days do not end immediately', async () => {
    const { status, text } = await run({ updates: [chunk('fine')] }, { startTimeoutMs: 2 ** 31, graceMs: 2 ** 31 })
    expect([status, text]).toEqual(['completed', 'fine'])
  })

  test('a message of more than 32 MiB ends the run, however it arrives', async () => {
    const { failure } = await run({}, { start: inOneChunk })
    expect(failure?.message).toContain('more than 33554432 bytes')
  })
})

/** An agent whose answer to anything is one piece of 33 MiB that ends with its line. */
const inOneChunk: NonNullable<AcpAgentOptions['start']> = async () => {
  let send: (line: string) => void = () => {}
  let close = () => {}
  const output = new ReadableStream<Uint8Array>({
    start(controller) {
      send = (line) => controller.enqueue(new TextEncoder().encode(line))
      close = () => controller.close()
    },
  })
  let end: (how: { exitCode: number; signal: null }) => void = () => {}
  const ended = new Promise<{ exitCode: number; signal: null }>((resolve) => {
    end = resolve
  })
  const write = () => send(`{"jsonrpc":"2.0","method":"x","params":"${'x'.repeat(34_000_000)}"}\n`)
  const input = new WritableStream<Uint8Array>({
    write,
    close: () => {
      close()
      end({ exitCode: 0, signal: null })
    },
  })
  const errors = new ReadableStream<Uint8Array>({ start: (controller) => controller.close() })
  return { input, output, errors, ended, kill: () => {} }
}

describe('failures', () => {
  test('end with the last line of its error stream', async () => {
    const broken = await run({ stderr: 'the disk is full', error: { code: -32_603, message: 'Internal error' } })
    expect(broken.failure?.message).toBe('Internal error. Its last output: the disk is full')
    const strange = await run({ stderr: 'I am from the future', hello: { protocolVersion: 9 } })
    expect(strange.failure?.message).toMatch(/version 9.* Its last output: I am from the future$/)
  })

  test('of a refused key end with the remedy', async () => {
    const error = { code: -32_603, message: 'invalid x-api-key', data: { status: 401 } }
    const { failure } = await run({ error })
    expect(failure).toMatchObject({ code: 'http-401', infrastructure: true })
    expect(failure?.message).toMatch(/^invalid x-api-key\. Allow the agent's key by name .* home: 'host'\.$/)
  })
})

describe('permissions and the end', () => {
  test('what is asked is cancelled as soon as the caller has aborted', async () => {
    const caller = new AbortController()
    const permit = () => {
      setImmediate(() => caller.abort())
      return new Promise<'once'>(() => undefined)
    }
    const { status, text } = await run(
      { asks: { toolCallId: 't' } },
      { permit, graceMs: 300_000 },
      { signal: caller.signal },
    )
    expect([status, text]).toEqual(['cancelled', '{"outcome":"cancelled"}'])
  })
})

describe('what is reported', () => {
  test('secrets are blanked before noise is cut', async () => {
    const noise = `${'x'.repeat(190)}SUPER-SECRET-VALUE`
    const environment = { set: { MY_TOKEN: 'SUPER-SECRET-VALUE' } }
    const { events } = await run({ noise }, { environment })
    expect(events).toContainEqual(expect.objectContaining({ name: 'acp.noise', data: `${'x'.repeat(190)}***` }))
  })

  test('a model is the one that the agent says it uses', async () => {
    const configOptions = [{ id: 'model', category: 'model', currentValue: 'small' }]
    const model = async (script: object) => (await run({ configOptions, ...script }, { model: 'large' })).facts?.model
    expect(await model({ settles: 'large-2' })).toBe('large-2')
    expect(await model({})).toBeUndefined()
  })

  test('a cost in another currency is a warning', async () => {
    const update = { sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: 1, currency: 'EUR' } }
    const { costUsd, facts } = await run({ updates: [update] })
    expect([costUsd, facts?.warnings]).toEqual([undefined, ['cost-unknown: it is in EUR']])
  })

  test('the answer is the message that was spoken last', async () => {
    const mixed = [chunk('a', 'one'), chunk('b', 'two'), chunk('c', 'one')]
    expect((await run({ updates: mixed })).text).toBe('ac')
    expect((await run({ updates: [chunk('Advice.'), { sessionUpdate: 'plan', entries: [] }] })).text).toBe('')
  })

  test('empty arguments are arguments; without any there is a title', async () => {
    const input = async (more: object) => (await run({ updates: [call(more)] })).facts?.toolExecutions?.[0]?.input
    expect(await input({ rawInput: {}, status: 'completed' })).toEqual({})
    expect(await input({ status: 'completed' })).toEqual({ title: 'List' })
  })
})
