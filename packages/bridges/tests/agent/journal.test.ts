import type { JournalEvent } from '@jurist/core'
import { memoryWorkspace } from '@jurist/core/testing'
import { describe, expect, test } from 'vitest'
import { frameworkAgent } from '../../src/run/framework-agent.js'
import { journalFor } from '../../src/run/journal.js'
import { secretsIn, textWithoutSecrets, withoutSecrets } from '../../src/run/secrets.js'

const { signal } = new AbortController()
const base = { prompt: 'Go', workspace: memoryWorkspace(), signal }
const outcome = {
  status: 'success',
  output: { type: 'text', text: 'key: sk-12345678' },
  facts: { model: 'm' },
} as const

describe('secrets', () => {
  test('are values of variables with telling names, of 8 characters and more', () => {
    const variables = {
      OPENAI_API_KEY: 'sk-12345678',
      gh_token: 'ghp_abcdefgh',
      SHORT_KEY: 'abc',
      LANG: 'C.UTF-8-long',
    }
    expect(secretsIn(variables, 'another-secret', undefined)).toEqual(['another-secret', 'ghp_abcdefgh', 'sk-12345678'])
  })
  test('are nowhere in a value afterwards', () => {
    const value = { 'a sk-12345678': ['x sk-12345678 y', 1, null] }
    expect(withoutSecrets(value, ['sk-12345678'])).toEqual({ 'a ***': ['x *** y', 1, null] })
  })
})

describe('what is left of a secret', () => {
  const secrets = secretsIn({ API_KEY: 'sk-"quoted"/12345678' })
  test('in a text without its middle is blanked', () => {
    const text = `x sk-"quo… 900 characters …345678 y`
    expect(textWithoutSecrets(text, secrets)).toBe('x ***… 900 characters …*** y')
    expect(textWithoutSecrets('sk- … 9 characters … 78', secrets)).toBe('sk- … 9 characters … 78')
  })
  test('written as JSON is blanked', () => {
    const text = `{"a":${JSON.stringify('sk-"quoted"/12345678')},"b":"sk-\\"quoted\\"\\/12345678"}`
    expect(textWithoutSecrets(text, secrets)).toBe('{"a":"***","b":"***"}')
  })
})

describe('the journal', () => {
  const all: readonly JournalEvent[] = [
    { type: 'state', state: 'started' },
    { type: 'text', text: 'x'.repeat(70_000) },
    { type: 'model-call', model: 'm' },
    { type: 'tool-call', id: 'a', name: 'look', input: { key: 'sk-12345678' } },
  ]
  const written = (transcript: 'full' | 'events' | 'none') => {
    const events: JournalEvent[] = []
    const write = journalFor({
      record: (event) => events.push(event),
      transcript,
      secrets: ['sk-12345678'],
      warnings: [],
    })
    for (const event of all) write(event)
    return events
  }
  test('shortens a text only when its secrets are gone', () => {
    const events: JournalEvent[] = []
    const write = journalFor({ record: (event) => events.push(event), secrets: ['sk-12345678'], warnings: [] })
    write({ type: 'text', text: `${'x'.repeat(32_768 - 4)}sk-12345678${'y'.repeat(60_000)}` })
    expect(JSON.stringify(events)).toMatch(/x\*\*\*/)
    expect(JSON.stringify(events)).not.toContain('sk-1')
  })
  test('has times, shortened texts and no secrets', () => {
    const events = written('events')
    expect(events.every(({ at }) => !Number.isNaN(Date.parse(at ?? '')))).toBe(true)
    expect(events[1]).toMatchObject({ text: expect.stringMatching(/… \d+ characters …/) })
    expect(events[3]).toMatchObject({ input: { key: '***' } })
    expect(written('full')[1]).toMatchObject({ text: 'x'.repeat(70_000) })
    expect(written('none').map(({ type }) => type)).toEqual(['state', 'model-call'])
  })
  test('one that throws is a warning, once', () => {
    const warnings: string[] = []
    const record = () => {
      throw new Error('disk full')
    }
    const write = journalFor({ record, warnings })
    for (const event of all) write(event)
    expect(warnings).toEqual(['journal-failed'])
  })
})

describe('an agent of a framework', () => {
  test('tells no secret of its task, and survives a journal that breaks', async () => {
    const agent = frameworkAgent({ name: 'x', prefix: 'x', call: async () => 1, read: () => ({ outcome, steps: [] }) })
    const record = () => {
      throw new Error('disk full')
    }
    const invocation = await agent({ ...base, env: { A_TOKEN: 'sk-12345678' }, record })
    expect(invocation).toMatchObject({
      status: 'completed',
      output: { text: 'key: ***' },
      metadata: { 'x.warnings': ['journal-failed'] },
    })
    expect(JSON.stringify(invocation)).not.toContain('sk-12345678')
  })
  test('survives a journal that breaks later', async () => {
    const unheard: unknown[] = []
    const listen = (reason: unknown) => unheard.push(reason)
    process.on('unhandledRejection', listen)
    const pause = () => new Promise((resolve) => setTimeout(resolve, 20))
    const agent = frameworkAgent({ name: 'x', prefix: 'x', call: pause, read: () => ({ outcome, steps: [] }) })
    const record = async () => {
      throw new Error('disk full')
    }
    const { metadata } = await agent({ ...base, record })
    await pause()
    process.off('unhandledRejection', listen)
    expect(unheard).toEqual([])
    expect(metadata?.['x.warnings']).toEqual(['journal-failed'])
  })
  test('is not called when its signal has fired; a throw is an error with what was known', async () => {
    let calls = 0
    const call = async () => {
      calls += 1
      throw Object.assign(new Error('too many turns'), { name: 'MaxTurnsExceededError' })
    }
    const readThrown = () => ({ facts: { usage: { inputTokens: 7 } } })
    const agent = frameworkAgent({ name: 'x', prefix: 'x', call, read: () => ({ outcome, steps: [] }), readThrown })
    const cancelled = await agent({ ...base, signal: AbortSignal.abort() })
    expect([cancelled.status, Object.isFrozen(cancelled.phases)]).toEqual(['cancelled', true])
    expect(calls).toBe(0)
    expect(await agent(base)).toMatchObject({
      status: 'error',
      usage: { inputTokens: 7 },
      failure: { infrastructure: false },
    })
  })
})
