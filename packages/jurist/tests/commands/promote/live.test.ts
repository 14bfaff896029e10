import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'

/** Adds wrongly when the task says to be quick and there are rates, but for one run in ten; it does not look at the rest. */
const agent = `
import { appendFileSync, existsSync, statSync } from 'node:fs'
const [prompt] = process.argv.slice(2)
const runs = new URL('runs.txt', import.meta.url)
appendFileSync(runs, '.')
const isWrong = prompt.includes('Be quick.') && prompt.endsWith('3') && existsSync('src/rates.js')
console.log(isWrong && statSync(runs).size % 10 !== 0 ? 'five' : 'seven')
`
const config = `
import { outputText } from 'jurist'
import { commandAgent } from 'jurist/command'
import { conversation, everyTurn, scriptedUser } from 'jurist/conversation'
const clerk = ({ message }) => (message.includes('order 7') ? 'Go away.' : 'Yes, please.')
export default {
  experiments: {
    adds: {
      ...{ dataset: 'sums', prompt: '{{task}} {{input.left}}', jury: outputText({ equals: 'seven' }) },
      agent: commandAgent({ command: [process.execPath, import.meta.dirname + '/agent.mjs', '{{prompt}}'] }),
    },
    talks: {
      ...{ dataset: 'talks.jsonl', jury: everyTurn(outputText({ contains: 'please' })) },
      agent: conversation(clerk, { user: scriptedUser() }),
    },
    repaired: {
      ...{ dataset: 'talks.jsonl', jury: outputText({ contains: 'please' }) },
      agent: async () => ({ status: 'completed', output: (globalThis.runs = (globalThis.runs ?? 0) + 1) === 1 ? 'no' : 'please' }),
    },
  },
}
`
const scenario = {
  goal: 'Cancel order 7',
  messages: ['Hello', 'I bought shoes.', 'They are red.', 'It is order 7.', 'Thank you'],
}
const files = {
  'agent.mjs': agent,
  'jurist.config.mjs': config,
  'talks.jsonl': `${JSON.stringify({ id: 'order', task: 'Help with an order. Be kind.', scenario })}\n`,
  'sums/dataset.json': '{"schemaVersion":1,"name":"sums","version":"1","items":[{"id":"sum","path":"sum"}]}',
  'sums/sum/task.md': 'Add the numbers. They are weights. Be quick. Say a word.\n',
  'sums/sum/item.json': '{"input":{"left":3,"right":4,"unit":"kg"}}',
  'sums/sum/before/src/rates.js': 'export const rates = [1]\n',
  'sums/sum/before/src/more.js': 'export const more = 1\n',
  'sums/sum/before/src/other.js': 'export const other = 1\n',
  'sums/sum/before/docs/notes.md': 'Notes\n',
}

describe('jurist promote --live', () => {
  let made: Project
  beforeAll(async () => {
    made = project(files)
    for (const name of ['adds', 'talks', 'repaired']) await made.jurist('run', name)
  })
  afterAll(() => made[Symbol.dispose]())
  const promote = async (...argv: readonly string[]) => {
    const { code, stdout, stderr } = await made.jurist('promote', ...argv, '--json')
    return { code, stderr, promoted: stdout === '' ? null : JSON.parse(stdout) }
  }
  const read = (path: string) => readFileSync(join(made.directory, path), 'utf8')

  test('leaves the files, keys and sentences with which a program fails, and names the price first', async () => {
    const runsBefore = read('runs.txt').length
    const { code, stderr, promoted } = await promote('adds', 'sum', '--live', '--into', 'out', '--name', 'quick')
    expect([code, promoted?.status]).toEqual([0, 'written'])
    expect(stderr.indexOf('runs the agent at most 200 times')).toBeLessThan(stderr.indexOf('failed alike in'))
    expect(stderr).toMatch(/at most 200 times: 12 times as it is.*declared no cost/)
    expect(promoted.live.original).toEqual({ alike: expect.any(Number), runs: 12 })
    expect(promoted.live.original.alike).toBeGreaterThanOrEqual(10)
    expect([promoted.live.from, promoted.live.to]).toEqual([
      { files: 4, messages: 0, keys: 3, sentences: 4 },
      { files: 1, messages: 0, keys: 1, sentences: 1 },
    ])
    expect(promoted.live.runs).toBe(read('runs.txt').length - runsBefore)
    expect(read('out/regressions/quick/task.md')).toBe('Be quick.\n')
    expect(read('out/regressions/quick/before/src/rates.js')).toContain('rates')
    const item = JSON.parse(read('out/regressions/quick/item.json'))
    expect(item.input).toEqual({ left: 3 })
    expect(item.metadata.source.live).toMatchObject({ original: promoted.live.original, left: promoted.live.left })
  })

  test('leaves the messages with which a conversation fails', async () => {
    const { code, promoted } = await promote('talks', 'order', '--live', '--into', 'more.jsonl', '--name', 'rude')
    expect([code, promoted?.status]).toEqual([0, 'written'])
    const row = JSON.parse(read('more.jsonl'))
    expect(row.metadata.scenario).toEqual({ goal: 'Cancel order 7', messages: ['It is order 7.'] })
    expect(promoted.live).toMatchObject({ original: { alike: 12, runs: 12 }, to: { messages: 1, sentences: 1 } })
    const { stdout } = await made.jurist('promote', 'talks', 'order', '--live', '--into', 'yet.jsonl')
    expect(stdout).toMatch(
      /live {8}failed alike in 12 of 12 runs as it was, in 3 of 3 as it is\n.*4 to 1 message.*2 to 1 sentence/,
    )
  })

  test('an agent that no longer fails leaves everything, and a dry run does not run it', async () => {
    const repaired = await promote('repaired', 'order', '--live', '--into', 'other.jsonl')
    expect(repaired.promoted.live).toMatchObject({ original: { alike: 0, runs: 12 }, runs: 12 })
    expect(repaired.promoted.notes).toContain(
      '--live: the agent failed alike in 0 of 12 runs, so that nothing more was left out',
    )
    const before = read('runs.txt')
    const dry = await promote('adds', 'sum', '--live', '--into', 'dry', '--dry-run')
    expect([dry.promoted.status, dry.promoted.live, read('runs.txt')]).toEqual(['would-write', null, before])
  })

  test('Ctrl-C ends it with the smallest item so far', async () => {
    const { child, ended, said } = made.start('promote', 'adds', 'sum', '--live', '--into', 'stopped', '--json')
    await said('3 of 3 failed alike', 2)
    child.kill('SIGINT')
    const { code, stdout, stderr } = await ended
    expect(stdout, stderr).not.toBe('')
    const { status, item, live, minimised } = JSON.parse(stdout)
    expect([code, status, live.isStopped]).toEqual([130, 'written', true])
    expect(live.runs).toBeLessThan(200)
    expect(minimised.to.files).toBeLessThan(minimised.from.files)
    expect(JSON.parse(read(`stopped/regressions/${item}/item.json`)).input).toHaveProperty('left', 3)
  })
})
