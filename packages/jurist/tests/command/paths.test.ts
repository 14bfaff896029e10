import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import * as bridges from '@jurist/bridges/agent'
import { dataset, fileContent, fileExists, judgmentContext, jury, matchesReference, runJudge, supersetOf } from 'jurist'
import { evaluateAgent } from 'jurist/agent'
import { observeAiSdk } from 'jurist/ai-sdk'
import { calibrate } from 'jurist/calibrate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const directory = mkdtempSync(join(tmpdir(), 'jurist-paths-'))
beforeAll(() => writeFileSync(join(directory, 'a.txt'), 'x'))
afterAll(() => rmSync(directory, { recursive: true }))

const judge = fileExists('a.txt')
const missing = fileExists('b.txt')

describe('a path is a workspace', () => {
  const forms = [directory, `${directory}/`, pathToFileURL(directory), pathToFileURL(directory).href]

  test.each(forms)('in a context: %s', async (workspace) => {
    expect((await runJudge(judge, { workspace })).status).toBe('pass')
    expect((await runJudge(judge, judgmentContext({ workspace }))).status).toBe('pass')
    expect((await jury({ judges: { judge, missing } }).vote({ workspace })).individual).toMatchObject({
      judge: { status: 'pass' },
      missing: { status: 'fail' },
    })
  })

  test('as the right answer and as what the agent began with', async () => {
    const equal = fileContent('a.txt', { equals: 'x' })
    for (const reference of forms) {
      expect((await runJudge(supersetOf(), { workspace: directory, reference })).status).toBe('pass')
      expect((await runJudge(supersetOf({ reference }), { workspace: directory })).status).toBe('pass')
      expect((await runJudge(matchesReference(), { workspace: directory, reference, before: reference })).status).toBe(
        'pass',
      )
    }
    expect((await runJudge(({ before }) => before?.exists('a.txt') ?? false, { before: directory })).status).toBe(
      'pass',
    )
    expect((await runJudge(equal, { workspace: directory })).status).toBe('pass')
  })

  test('for an agent and a framework', async () => {
    const agent = async ({
      workspace,
    }: {
      readonly workspace: { write(path: string, text: string): Promise<void> }
    }) => {
      await workspace.write('c.txt', 'y')
      return { status: 'completed' } as const
    }
    const extras = { goal: 'Write c.txt', workspace: directory }
    expect((await evaluateAgent(agent, fileContent('c.txt', { equals: 'y' }), extras)).status).toBe('pass')
    const { context } = await observeAiSdk(async () => ({ text: 'done', finishReason: 'stop' }), extras)
    expect((await runJudge(judge, context)).status).toBe('pass')
    expect(bridges.contextFromInvocation({ status: 'completed' }, extras).workspace.root).toBe(
      bridges.contextFromInvocation({ status: 'completed' }, { ...extras, workspace: forms[2] as URL }).workspace.root,
    )
  })

  test('in a calibration', async () => {
    const { agreementRate } = await calibrate({
      name: 'paths',
      candidate: judge,
      items: dataset({ name: 'files', items: [{ id: 'a', task: 'Write a.txt', metadata: { label: 'pass' } }] }),
      input: () => ({ workspace: directory }),
    })
    expect(agreementRate).toBe(1)
  })

  test('one that is not there, or is a file, is a mistake of the caller', async () => {
    for (const workspace of [join(directory, 'none'), join(directory, 'a.txt'), '']) {
      await expect(runJudge(judge, { workspace })).rejects.toThrow('"workspace" cannot be opened')
      await expect(jury({ judges: { judge } }).vote({ workspace })).rejects.toThrow('is not a directory')
    }
    await expect(runJudge(judge, { workspace: new URL('https://example.com') })).rejects.toThrow('cannot be opened')
  })
})

test('every door of a bridge that takes a context opens paths', async () => {
  const source = fileURLToPath(new URL('../../src', import.meta.url))
  const doors = ['agent', 'ai-sdk', 'anthropic', 'claude-agent', 'codex', 'langchain', 'mastra', 'mcp', 'otel'].concat(
    ...['acp', 'command', 'openai-agents', 'openai-compatible'],
  )
  for (const door of doors) {
    const names = Object.keys(await import(`@jurist/bridges/${door}`))
    const takesContexts = names.some((name) => /^(contextFrom|evaluate|observe)/.test(name))
    const text = readFileSync(join(source, `${door}.ts`), 'utf8')
    expect([door, text.includes("import '@jurist/workspace'")]).toEqual([door, takesContexts || door === 'otel'])
  }
})
