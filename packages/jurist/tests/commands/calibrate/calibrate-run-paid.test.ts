import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ScriptedServer, scriptedServer } from '../../../../bridges/testing/index.js'
import { type Project, project } from '../../project.js'

const rows = Array.from({ length: 6 }, (_, index) => {
  return `${JSON.stringify({ id: `q${index}`, task: `Question ${index}`, output: `answer ${index}` })}\n`
}).join('')

/** Every answer is paid for by its tokens, a dollar each. */
const configOf = (url: string) => `
models:
  paid:
    provider: openai-compatible
    baseUrl: ${url}/v1
    model: judge-1
    prices: { inputUsdPerMillion: 1000000, outputUsdPerMillion: 1000000, asOf: 2026-11-01 }
juries:
  paid: { type: correctness, model: paid }
  twice: { type: criteria, model: paid, criterion: It is an answer. }
calibrations:
  answers: { tiers: [{ name: paid, candidate: { type: correctness, model: paid } }] }
experiments:
  all: { dataset: rows.jsonl, repetitions: 2, jury: { type: output-text, contains: answer } }
  judged: { dataset: rows.jsonl, jury: { type: correctness, model: paid } }
  files:
    dataset: [{ id: f0, task: x, before: before }]
    agent: { command: ['echo', 'done'] }
    jury: { type: file-exists, path: a.txt }
    preserveWorkspaces: none
`

let server: ScriptedServer
let made: Project
beforeAll(async () => {
  server = await scriptedServer(() => ({ text: 'Answer: YES' }))
  const labels = Array.from({ length: 12 }, (_, index) => `q${index % 6},${index < 6 ? 1 : 2},pass`)
  made = project({
    'rows.jsonl': rows,
    'before/a.txt': 'x',
    'jurist.config.yaml': configOf(server.url),
    'labels.csv': ['itemId,repetition,label', ...labels].join('\n'),
    'file.csv': 'itemId,label\nf0,pass\n',
  })
  await made.jurist('run', 'all')
  await made.jurist('run', 'files')
})
afterAll(async () => {
  made[Symbol.dispose]()
  await server[Symbol.asyncDispose]()
})

const calibrated = async (...argv: readonly string[]) => {
  const before = server.requests.length
  const ran = await made.jurist('calibrate', '--run', 'all', '--labels', 'labels.csv', '-j', '1', '--json', ...argv)
  return { ...ran, document: JSON.parse(ran.stdout), asked: server.requests.length - before }
}
const scoredOf = ({ table }: { table: readonly { judge: string; scored: number }[] }) =>
  Object.fromEntries(table.map(({ judge, scored }) => [judge, scored]))

describe('calibrate --run with a judge that costs money', () => {
  let eachUsd = 0
  test('asks once for each repetition, and nothing for what is stored', async () => {
    const { code, document, asked } = await calibrated('--judge', 'paid')
    expect([code, asked]).toEqual([0, 12])
    expect(scoredOf(document)).toEqual({ paid: 12, jury: 12, outputText: 12 })
    eachUsd = document.table[0].costUsd / 12
    expect(eachUsd).toBeGreaterThan(0)
  })

  test('stops within its budget, which all judges share', async () => {
    const { code, document, asked } = await calibrated(
      ...['--judge', 'paid', '--judge', 'twice', '--budget', String(eachUsd * 3)],
    )
    expect([code, asked]).toEqual([130, 3])
    expect(scoredOf(document)).toEqual({ paid: 3, jury: 12, outputText: 12 })
    expect(document.notes[0]).toBe('twice is not measured: judging was stopped.')
  })

  test('calibrate --certify --run stops as well, and certifies nothing', async () => {
    const before = server.requests.length
    const argv = ['--run', 'all', '--labels', 'labels.csv', '-j', '1', '--budget', String(eachUsd * 3)]
    const { code, stdout } = await made.jurist('calibrate', 'answers', '--certify', ...argv, '--certificate', 'c.json')
    expect([code, server.requests.length - before]).toEqual([130, 3])
    expect(stdout).toContain('Not certified: the calibration was interrupted')
    expect(existsSync(join(made.directory, 'c.json'))).toBe(false)
  })
})

test('a tier that judged the run is not paid for again where answers are kept', async () => {
  await made.jurist('run', 'judged', '--cache')
  const before = server.requests.length
  const argv = ['--run', 'judged', '--labels', 'labels.csv', '--cache', '--json']
  const { stdout } = await made.jurist('calibrate', 'answers', '--certify', ...argv)
  expect(JSON.parse(stdout)).toMatchObject({
    counts: { items: 6 },
    notes: [expect.stringContaining('6 labels of trials')],
  })
  expect(server.requests.length).toBe(before)
})

describe('a trial whose workspace was not kept', () => {
  const argv = ['calibrate', '--run', 'files', '--labels', 'file.csv', '--judge', 'twice'] as const
  test('is not judged, and the report says why and what to do', async () => {
    const { stdout } = await made.jurist(...argv)
    expect(stdout).toMatch(/The workspace of f0#1 was not kept\. Run with preserveWorkspaces: 'all', or judge with/)
  })

  test('is judged without it where that is asked for', async () => {
    const before = server.requests.length
    const { stdout } = await made.jurist(...argv, '--workspaces', 'none', '--json')
    expect(scoredOf(JSON.parse(stdout))).toMatchObject({ twice: 1 })
    expect(server.requests.length).toBe(before + 1)
  })

  test('the line that labels it again names the file that was read', async () => {
    const [id] = await made.results.runs('all')
    writeFileSync(join(made.directory, 'own.jsonl'), '{"itemId":"q1","label":"fail"}\n')
    const { stdout } = await made.jurist('calibrate', '--run', 'all', '--labels', 'own.jsonl')
    expect(stdout).toContain(`Again: jurist label ${id} --item q1 --labels own.jsonl`)
    writeFileSync(join(made.directory, 'own.csv'), 'itemId,label\nq1,fail\n')
    const sheet = await made.jurist('calibrate', '--run', 'all', '--labels', 'own.csv')
    expect(sheet.stdout).toContain('Again: change its row in own.csv')
  })

  test.each([
    [['calibrate', '--workspaces', 'none'], '--workspaces needs --run'],
    [['calibrate', '--from', 'latest', '--budget', '1'], '--from judges nothing'],
  ])('refuses %j', async (given, problem) => {
    const { code, stderr } = await made.jurist(...given)
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)])
  })
})
