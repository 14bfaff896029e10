import type { AgentTask, Invocation } from '@jurist/core'
import { runJudge } from '@jurist/core'
import { agentJudge } from '@jurist/core/llm'
import { aContext, memoryWorkspace } from '@jurist/core/testing'
import { describe, expect, test } from 'vitest'

const run = () => ({ status: 'exited', exitCode: 0, stdout: 'ran' }) as const
const workspace = memoryWorkspace({ 'a.txt': 'hello', 'd/b.txt': '' }, { root: '/the/place', run })
const context = aContext({ goal: 'Greet.', agentOutput: 'Hello!', workspace })
const criteria = 'It is friendly.'
const saying = (text: string): Invocation => ({ status: 'completed', output: { type: 'text', text } })
const judged = (invocation: Invocation, options = {}) =>
  runJudge(agentJudge({ agent: () => invocation, criteria, ...options }), context)

describe('what an agent says', () => {
  test.each([
    ['PASS: true\nSCORE: 8\nREASONING: warm', 'pass', 8],
    ['**PASS:** yes.\n**SCORE:** 8/10', 'pass', 8],
    ['PASS: FALSE', 'fail', false],
    ['pass = no\nscore: many', 'fail', false],
    ['PASS: true\nPASS: yes', 'pass', true],
    ['PASS: true\nPASS: false', 'abstain', undefined],
    ['PASS: true or false', 'abstain', undefined],
    ['PASS: perhaps', 'abstain', undefined],
    ['SCORE: 9', 'abstain', undefined],
    ['', 'abstain', undefined],
  ])('%j is %s', async (text, status, value) => {
    const judgment = await judged(saying(text))
    expect([judgment.status, judgment.score?.value]).toEqual([status, value])
  })
  test.each([
    ['SCORE: 8', 'pass'],
    ['PASS: true\nSCORE: 8', 'pass'],
    ['PASS: false\nSCORE: 3', 'fail'],
    ['PASS: false\nSCORE: 8', 'abstain'],
    ['PASS: true\nSCORE: 3', 'abstain'],
    ['PASS: true\nPASS: false\nSCORE: 8', 'abstain'],
    ['PASS: true', 'abstain'],
    ['PASS: true\nSCORE: 11', 'abstain'],
  ])('%j is %s by a threshold', async (text, status) => {
    expect((await judged(saying(text), { threshold: 0.7 })).status).toBe(status)
  })
  test('gives its reasons, its text and its cost', async () => {
    const text = 'PASS: true\nSCORE: 8\nREASONING: It says hello.'
    const usage = { inputTokens: 5 }
    expect(await judged({ ...saying(text), usage, costUsd: 2 })).toMatchObject({
      reasoning: 'It says hello.',
      usage,
      costUsd: 2,
      metadata: { rawText: text },
    })
  })
})

describe('an agent that does not judge', () => {
  test.each(['refused', 'timeout', 'error', 'cancelled'] as const)('%s is an ERROR, with its cost', async (status) => {
    const failure = { name: 'Quota', message: 'used up', code: 'quota', infrastructure: true }
    const judgment = await judged({ ...saying('PASS: true'), status, failure, costUsd: 1 })
    expect(judgment).toMatchObject({ status: 'error', failure, costUsd: 1 })
  })
  test('without output, or with a throw, is one too', async () => {
    expect(await judged({ status: 'completed' })).toMatchObject({
      status: 'error',
      failure: { message: 'the agent gave no output' },
    })
    const agent = () => Promise.reject(new TypeError('gone'))
    expect((await runJudge(agentJudge({ agent, criteria }), context)).status).toBe('error')
  })
})

describe('what an agent gets', () => {
  const taskOf = async (options = {}) => {
    const tasks: AgentTask[] = []
    const agent = (task: AgentTask) => {
      tasks.push(task)
      return saying('PASS: true')
    }
    await runJudge(agentJudge({ agent, criteria, ...options }), context)
    const [task] = tasks
    if (task === undefined) throw new Error('the agent was not asked')
    return task
  }
  test('a workspace to read, not to change', async () => {
    const { workspace: view } = await taskOf()
    expect(await view.read('a.txt')).toBe('hello')
    expect(new TextDecoder().decode(await view.readBytes('a.txt'))).toBe('hello')
    expect([await view.exists('d'), await view.isFile('d')]).toEqual([true, false])
    const paths: string[] = []
    for await (const { path } of view.list()) paths.push(path)
    expect(paths).toEqual(['a.txt', 'd', 'd/b.txt'])
    for (const change of [view.write('a.txt', 'x'), view.remove('a.txt')])
      await expect(change).rejects.toMatchObject({ code: 'read-only', details: { path: 'a.txt' } })
    expect(await workspace.read('a.txt')).toBe('hello')
  })
  test('no command and no directory, unless they are allowed', async () => {
    const { workspace: view } = await taskOf()
    expect(await view.run('ls')).toMatchObject({ status: 'not-started', failure: { code: 'not-started' } })
    expect(view.root).toBeUndefined()
    const { workspace: free } = await taskOf({ allowCommands: true })
    expect(await free.run('ls')).toMatchObject({ status: 'exited', stdout: 'ran' })
    expect(free.root).toBe('/the/place')
  })
  test('criteria, goal, status and output, the latter in marks, and how to answer', async () => {
    const { prompt } = await taskOf()
    expect(prompt).toContain(`Criteria: ${criteria}`)
    expect(prompt).toMatch(/<<goal [^>]+>>\nGreet\..*<<output [^>]+>>\nHello!\n.*<<status [^>]+>>\nsuccess\n/s)
    expect(prompt).toMatch(/REASONING: .*\nSCORE: .*\nPASS: true or false$/)
    expect(prompt).not.toContain('/the/place')
  })
})

test('bad options are refused', () => {
  const agent = () => saying('')
  for (const bad of [
    {},
    { agent },
    { agent, criteria: ' ' },
    { agent, criteria, threshold: 2 },
    { agent, criteria, model: 1 },
  ])
    expect(() => agentJudge(bad as never)).toThrow(expect.objectContaining({ code: 'option-invalid' }))
})
