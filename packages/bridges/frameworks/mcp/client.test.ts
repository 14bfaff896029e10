import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { type McpSession, mcpFixture } from '@jurist/bridges/mcp'
import type { Invocation } from '@jurist/core'
import { bubblewrapSandbox, emptyDirectory } from '@jurist/workspace'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, test } from 'vitest'

const counter = mcpFixture({
  name: 'counter',
  state: { count: 0 },
  faults: [{ tool: 'add', nth: 3, error: 'The counter is jammed.' }],
  maxMessageBytes: 100_000,
  tools: {
    add: {
      description: 'Adds to the count.',
      input: { type: 'object', properties: { by: { type: 'integer' } }, required: ['by'] },
      run: ({ by }, { count }) => {
        const state = { count: count + Number(by) }
        return { result: state, state }
      },
    },
  },
})

/** Runs an agent in a local workspace. */
async function run(work: (session: McpSession<{ readonly count: number }>) => Promise<void>): Promise<Invocation> {
  await using workspace = await emptyDirectory()
  const agent = counter.agent((session) => async () => {
    await work(session)
    return { status: 'completed' }
  })
  const invocation = await agent({ prompt: 'Count.', workspace, signal: new AbortController().signal })
  expect(invocation.failure).toBeUndefined()
  return invocation
}

const statusesIn = ({ metadata = {} }: Invocation) =>
  (metadata['mcp.toolExecutions'] as readonly { readonly status: string }[]).map(({ status }) => status)

/** The server as a process that reads lines and answers with lines. */
async function started(session: Pick<McpSession<never>, 'server'>) {
  const { command, args } = await session.server()
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  const answer = async (id: unknown) => {
    for (;;) {
      const found = text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
        .find((message) => message.id === id)
      if (found !== undefined) return found
      await once(child.stdout, 'data')
    }
  }
  return { child, answer, write: (line: string) => child.stdin.write(`${line}\n`), args }
}

describe('the official client', () => {
  test('lists the tools and calls them; planned faults and invalid inputs are results', async () => {
    const invocation = await run(async (session) => {
      const { command, args } = await session.server()
      const client = new Client({ name: 'test', version: '1' })
      await client.connect(new StdioClientTransport({ command, args: [...args] }))
      const { tools } = await client.listTools()
      expect(tools).toMatchObject([
        { name: 'add', description: 'Adds to the count.', inputSchema: { required: ['by'] } },
      ])
      const call = (by: unknown) => client.callTool({ name: 'add', arguments: { by } })
      expect(await call(2)).toMatchObject({ structuredContent: { count: 2 }, content: [{ text: '{"count":2}' }] })
      expect(await call('two')).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('input.by') }],
      })
      expect(await call(3)).toMatchObject({ structuredContent: { count: 5 } })
      expect(await call(1)).toMatchObject({ isError: true, content: [{ text: 'The counter is jammed.' }] })
      await expect(client.callTool({ name: 'remove', arguments: {} })).rejects.toMatchObject({ code: -32_602 })
      await client.close()
    })
    expect(statusesIn(invocation)).toEqual(['completed', 'invalid', 'completed', 'failed', 'invalid'])
    expect(invocation.metadata?.['mcp.state']).toEqual({ count: 5 })
  })

  test('two clients of one trial share its state, and both servers are gone after it', async () => {
    const places: string[] = []
    const invocation = await run(async (session) => {
      const { command, args } = await session.server()
      expect((await session.server()).args).toBe(args)
      places.push(String(args[2]))
      const clients = await Promise.all(
        ['a', 'b'].map(async (name) => {
          const client = new Client({ name, version: '1' })
          await client.connect(new StdioClientTransport({ command, args: [...args] }))
          return client
        }),
      )
      for (const client of clients) await client.callTool({ name: 'add', arguments: { by: 1 } })
      await Promise.all(clients.map((client) => client.close()))
    })
    expect(invocation.metadata?.['mcp.state']).toEqual({ count: 2 })
    expect(places.map((place) => existsSync(place))).toEqual([false])
  })
})

const hasBubblewrap = await bubblewrapSandbox()
  .probe()
  .then(
    () => true,
    () => false,
  )

describe('an agent in a sandbox', () => {
  const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"by":4}}}'
  const script =
    'call=$1; shift; { printf "%s\\n" "$call"; while ! [ -e done ]; do sleep 0.05; done; } | "$@" | { head -n 1; touch done; }'

  test.skipIf(!hasBubblewrap)(
    'without a network calls the tools, and no socket is left in its workspace (needs bubblewrap)',
    async () => {
      await using workspace = await emptyDirectory({ sandbox: bubblewrapSandbox() })
      const agent = counter.agent((session) => async (task) => {
        const { command, args } = await session.server()
        const result = await task.workspace.run(['sh', '-c', script, 'sh', call, command, ...args])
        expect(JSON.parse(result.stdout)).toMatchObject({ result: { structuredContent: { count: 4 } } })
        return { status: 'completed' }
      })
      const invocation = await agent({ prompt: 'Count.', workspace, signal: new AbortController().signal })
      expect(invocation.failure).toBeUndefined()
      expect(invocation.metadata?.['mcp.state']).toEqual({ count: 4 })
      expect(readdirSync(workspace.root)).toEqual(['done'])
    },
  )
})

describe('a hostile agent', () => {
  test('lines of a megabyte, broken ones and unknown methods are answered, and nothing ends', async () => {
    await run(async (session) => {
      const { child, answer, write } = await started(session)
      write('x'.repeat(1_048_576))
      expect(await answer(null)).toMatchObject({ error: { code: -32_600 } })
      write('{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":')
      write('{"jsonrpc":"2.0","id":2,"method":"sampling/createMessage"}')
      expect(await answer(2)).toMatchObject({ error: { code: -32_601 } })
      write('{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"add","arguments":{"by":1}}}')
      expect(await answer(3)).toMatchObject({ result: { structuredContent: { count: 1 } } })
      child.stdin.end()
      await once(child, 'exit')
    })
  })

  test('one that is killed in the middle of a line leaves the others alone', async () => {
    const invocation = await run(async (session) => {
      const [dying, living] = [await started(session), await started(session)]
      dying.write('{"jsonrpc":"2.0","id":1,"method":"ping"}')
      await dying.answer(1)
      dying.child.stdin.write('{"jsonrpc":"2.0","id":2,"method":"tools/call"')
      dying.child.kill('SIGKILL')
      await once(dying.child, 'exit')
      living.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"by":7}}}')
      await living.answer(1)
      living.child.kill('SIGKILL')
    })
    expect(invocation.metadata?.['mcp.state']).toEqual({ count: 7 })
  })

  test('an agent that had to stop no longer has a server, even while it continues', async () => {
    await using workspace = await emptyDirectory()
    const controller = new AbortController()
    const agent = counter.agent((session) => async () => {
      const { child, write, answer } = await started(session)
      write('{"jsonrpc":"2.0","id":1,"method":"ping"}')
      await answer(1)
      controller.abort()
      await once(child, 'exit')
      await expect(session.server()).rejects.toMatchObject({ name: 'AbortError' })
      return { status: 'completed' }
    })
    const invocation = await agent({ prompt: 'Count.', workspace, signal: controller.signal })
    expect(invocation).toMatchObject({ status: 'completed', metadata: { 'mcp.state': { count: 0 } } })
  })

  test('a server that outlives its trial ends, and can be connected to no more', async () => {
    const left: Awaited<ReturnType<typeof started>>[] = []
    await run(async (session) => {
      const one = await started(session)
      one.write('{"jsonrpc":"2.0","id":1,"method":"ping"}')
      await one.answer(1)
      left.push(one)
    })
    for (const { child, args } of left) {
      if (child.exitCode === null) await once(child, 'exit')
      const late = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'ignore'] })
      expect((await once(late, 'exit'))[0]).not.toBe(0)
    }
    expect(left).toHaveLength(1)
  })
})
