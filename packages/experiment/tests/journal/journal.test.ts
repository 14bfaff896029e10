import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent, JournalEvent } from '@jurist/core'
import { describe, expect, it } from 'vitest'
import { completed, type ExperimentOptions, fromPhases, runExperiment } from '../../src/index.js'
import { readJournal } from '../../src/journal/index.js'
import { anExperiment, eventsOf, ofType, temporaryDirectory } from '../run-support.js'

/** What the journal of the only trial holds. */
async function journalOf(agent: Agent, options: Partial<ExperimentOptions> = {}) {
  const directory = temporaryDirectory()
  const run = runExperiment(anExperiment(1, { agent, store: directory, ...options }))
  const { id, items } = await run.result
  const journalPath = items[0]?.journalPath ?? null
  const path = journalPath === null ? null : join(directory, 'test', id, journalPath)
  return { run, journalPath, path, events: path === null ? [] : (await readJournal(path)).events }
}

describe('the journal of a trial', () => {
  it('keeps what the agent records, stamped, in a file with a header', async () => {
    const { run, journalPath, path, events } = await journalOf(async ({ record }) => {
      record?.({ type: 'prompt', text: 'hello' })
      record?.({
        type: 'tool-call',
        id: '1',
        name: 'read',
        input: { path: 'a' },
        phase: 'plan',
        at: '2026-01-01T00:00:00.000Z',
      })
      await new Promise((resolve) => setTimeout(resolve, 5))
      record?.({ type: 'tool-result', id: '1', failed: false, content: 'x' })
      return completed()
    })
    expect(journalPath).toBe('journal/item-1--1.jsonl')
    expect(events).toMatchObject([
      { type: 'prompt', text: 'hello', phase: 'agent', at: expect.stringMatching(/Z$/) },
      { type: 'tool-call', phase: 'plan', at: '2026-01-01T00:00:00.000Z' },
      { type: 'tool-result', content: 'x' },
    ])
    const [header] = readFileSync(String(path), 'utf8').split('\n')
    expect(JSON.parse(String(header))).toMatchObject({
      type: 'header',
      schemaVersion: 1,
      itemId: 'item-1',
      repetition: 1,
    })
    expect(ofType(await eventsOf(run), 'journal').map(({ event }) => event)).toEqual(events)
  })

  it('is there for failing trials alike, and not for those with nothing to say', async () => {
    const failing = await journalOf(async ({ record }) => {
      record?.({ type: 'text', text: 'last words' })
      throw new Error('broken')
    })
    expect(failing.events).toMatchObject([{ text: 'last words' }])
    const silent = await journalOf(async () => completed())
    expect(silent.journalPath).toBeNull()
  })

  it('is not written when it is switched off, but reported', async () => {
    const agent: Agent = async ({ record }) => {
      record?.({ type: 'text', text: 'hi' })
      return completed()
    }
    const { journalPath, run } = await journalOf(agent, { journal: false })
    expect(journalPath).toBeNull()
    expect(ofType(await eventsOf(run), 'journal')).toHaveLength(1)
  })

  it('tells the phases of an agent that recorded nothing', async () => {
    const phase = {
      name: 'execute',
      prompt: 'go',
      text: 'done',
      usage: { inputTokens: 3 },
      toolUses: [{ id: '1', name: 'bash', input: { command: 'ls' } }],
      toolResults: [
        { toolUseId: '1', content: 'a', failed: false },
        { toolUseId: '9', content: 'b', failed: true },
      ],
    }
    const { events } = await journalOf(async () => fromPhases([phase]), { model: 'small' })
    expect(events).toMatchObject([
      { type: 'prompt', text: 'go', phase: 'execute' },
      { type: 'model-call', model: 'small', usage: { inputTokens: 3 } },
      { type: 'tool-call', name: 'bash' },
      { type: 'tool-result', id: '1', failed: false },
      { type: 'tool-result', id: '9', failed: true },
      { type: 'text', text: 'done' },
    ])
    const own = await journalOf(async ({ record }) => {
      record?.({ type: 'state', state: 'own' })
      return fromPhases([phase])
    })
    expect(own.events).toMatchObject([{ type: 'state' }])
  })

  it('cuts texts above 64 KiB', async () => {
    const { events } = await journalOf(async ({ record }) => {
      record?.({ type: 'text', text: 'x'.repeat(70_000) })
      record?.({ type: 'custom', name: 'big', data: { list: Array.from({ length: 20_000 }, () => 'abc') } })
      return completed()
    })
    expect(events.map((event) => Reflect.get(event, 'truncated'))).toEqual([true, true])
    expect(events[0]).toHaveProperty('text', 'x'.repeat(65_536))
  })

  it('counts bytes, and cuts no character in two', async () => {
    const { events } = await journalOf(async ({ record }) => {
      record?.({ type: 'text', text: `x${'€'.repeat(30_000)}` })
      record?.({ type: 'text', text: '🦉'.repeat(16_384) })
      return completed()
    })
    expect(events.map((event) => [Reflect.get(event, 'text'), Reflect.get(event, 'truncated')])).toEqual([
      [`x${'€'.repeat(21_845)}`, true],
      ['🦉'.repeat(16_384), undefined],
    ])
  })

  it('leaves out what is no event, and what comes after the trial, with warnings', async () => {
    let late: ((event: JournalEvent) => void) | undefined
    const { run, journalPath } = await journalOf(
      async ({ record, prompt }) => {
        record?.({ type: 'song' } as never)
        record?.(undefined as never)
        if (prompt === 'task 1') late = record
        else for (const text of ['a', 'b']) late?.({ type: 'text', text })
        return completed()
      },
      {
        dataset: [
          { id: 'item-1', task: 'task 1' },
          { id: 'item-2', task: 'task 2' },
        ],
        concurrency: 1,
      },
    )
    expect(journalPath).toBeNull()
    const codes = ofType(await eventsOf(run), 'warning').map(({ code, itemId }) => `${code} ${itemId}`)
    expect(codes.filter((code) => code.startsWith('journal'))).toHaveLength(4)
    expect(codes.filter((code) => code.startsWith('record'))).toEqual(['record-late item-1'])
  })

  it('that cannot be written is a warning and fails nothing', async () => {
    const directory = temporaryDirectory()
    const run = runExperiment(
      anExperiment(1, {
        store: directory,
        async agent({ record }) {
          writeFileSync(join(directory, 'test', run.runId, 'journal'), 'in the way')
          record?.({ type: 'text', text: 'hi' })
          return completed()
        },
      }),
    )
    const { items, passRate } = await run.result
    expect([passRate, items[0]?.journalPath]).toEqual([1, null])
    expect(ofType(await eventsOf(run), 'warning')).toMatchObject([{ code: 'journal-failed' }])
  })
})

describe('reading a journal', () => {
  it('skips the header, and counts damaged lines and unknown types', async () => {
    const path = join(temporaryDirectory(), 'journal.jsonl')
    const lines = [
      '{"type":"header","schemaVersion":1}',
      '{"type":"text","text":"a"}',
      '{"type":"later"}',
      '',
      '{"type":"te',
    ]
    writeFileSync(path, lines.join('\n'))
    expect(await readJournal(path)).toEqual({ events: [{ type: 'text', text: 'a' }], dropped: 2 })
  })

  it('of a trial that has none says so', async () => {
    const path = join(temporaryDirectory(), 'none.jsonl')
    expect(existsSync(path)).toBe(false)
    await expect(readJournal(path)).rejects.toMatchObject({ code: 'not-found' })
  })
})
