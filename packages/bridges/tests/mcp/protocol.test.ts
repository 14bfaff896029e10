import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { callsOver } from '../../src/mcp/calls.js'
import { protocolOver } from '../../src/mcp/fixture.js'
import { lineReader } from '../../src/mcp/protocol.js'

const options = {
  name: 'shop',
  state: 0,
  tools: {
    count: {
      description: 'Counts.',
      run: (_: unknown, state: number) => ({ result: { count: state + 1 }, state: state + 1 }),
    },
  },
}

function opened() {
  const calls = callsOver<number>(options, 0)
  return { calls, ...protocolOver(options, calls) }
}

const request = (method: string, params: object = {}, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

describe('the protocol', () => {
  test.each([
    ['2025-06-18', '2025-06-18'],
    ['2024-11-05', '2024-11-05'],
    ['1999-01-01', '2025-11-25'],
    [undefined, '2025-11-25'],
  ])('a client of version %s is answered with %s', async (protocolVersion, answered) => {
    expect(await opened().receive(request('initialize', { protocolVersion }))).toMatchObject({
      id: 1,
      result: { protocolVersion: answered, capabilities: { tools: {} }, serverInfo: { name: 'shop' } },
    })
  })

  test.each<readonly [string, string | null, unknown, number]>([
    ['a line that is too long', null, null, -32_600],
    ['a line that is not JSON', '{"jsonrpc"', null, -32_700],
    ['a list of requests', `[${request('ping')}]`, null, -32_600],
    ['a bare value', '12', null, -32_600],
    ['another protocol', '{"id":1,"method":"ping"}', null, -32_600],
    ['an id that is an object', request('ping', {}, {}), null, -32_600],
    ['an unknown method', request('resources/list'), 1, -32_601],
    ['the name of a method of objects', request('constructor'), 1, -32_601],
    ['a call without a name', request('tools/call', { arguments: {} }), 1, -32_602],
    ['a call of an unknown tool', request('tools/call', { name: 'toString' }), 1, -32_602],
  ])('%s', async (_, line, id, code) => {
    expect(await opened().receive(line)).toMatchObject({
      jsonrpc: '2.0',
      id,
      error: { code, message: expect.any(String) },
    })
  })

  test.each([
    ['a notification', '{"jsonrpc":"2.0","method":"notifications/initialized"}'],
    ['an unknown notification', '{"jsonrpc":"2.0","method":"x"}'],
    ['a response', '{"jsonrpc":"2.0","id":1,"result":{}}'],
    ['a cancellation of nothing', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}'],
  ])('%s is not answered', async (_, line) => {
    expect(await opened().receive(line)).toBeUndefined()
  })

  test('a call that is cancelled before it runs does not run and is not answered', async () => {
    const { receive, calls } = opened()
    const answers = [1, 2, 3].map((id) => receive(request('tools/call', { name: 'count' }, id)))
    await receive('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}')
    expect((await Promise.all(answers)).map((answer) => answer?.['id'])).toEqual([1, undefined, 3])
    expect(calls.executions().map(({ status }) => status)).toEqual(['completed', 'unfinished', 'completed'])
    expect(calls.state()).toBe(2)
  })

  test('whatever a line holds, the answer is one message, and the next request is answered', async () => {
    const parts = fc.oneof(fc.jsonValue(), fc.constantFrom('2.0', 'tools/call', 'count', 'initialize', '__proto__'))
    const message = fc.dictionary(fc.constantFrom('jsonrpc', 'id', 'method', 'params', 'result', '__proto__'), parts)
    const line = fc.oneof(
      fc.string(),
      message.map((value) => JSON.stringify({ jsonrpc: '2.0', ...value })),
      fc.json(),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 20 }), async (lines) => {
        const { receive } = opened()
        for (const one of lines) {
          const answer = await receive(one)
          if (answer !== undefined) expect('result' in answer).not.toBe('error' in answer)
        }
        expect(await receive(request('ping', {}, 'last'))).toEqual({ jsonrpc: '2.0', id: 'last', result: {} })
      }),
      { numRuns: 200 },
    )
  })

  test('an input of 100,000 levels is an invalid call', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const line = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count","arguments":{"a":${deep}}}}`
    const { receive, calls } = opened()
    expect(await receive(line)).toMatchObject({ result: { isError: true } })
    expect(calls.executions()).toMatchObject([{ status: 'invalid' }])
  })
})

describe('lines', () => {
  const read = (most: number, chunks: readonly Uint8Array[]) => {
    const lines: (string | null)[] = []
    const take = lineReader(most, (line) => lines.push(line))
    for (const chunk of chunks) take(chunk)
    return lines
  }

  test('are the same however the bytes arrive, blank ones left out, long ones null', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((line) => !line.includes('\n'))
    fc.assert(
      fc.property(fc.array(text), fc.array(fc.nat(40)), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
        const places = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length]
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end))
        const expected = lines.flatMap((line) => {
          if (Buffer.byteLength(line) > 20) return [null]
          return line.trim() === '' ? [] : [line]
        })
        expect(read(20, chunks)).toEqual(expected)
      }),
    )
  })
})
