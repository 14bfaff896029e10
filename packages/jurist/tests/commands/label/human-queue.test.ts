import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { project } from '../../project.js'

const config = `
experiments:
  sums:
    dataset: rows.jsonl
    jury:
      cascade:
        - { name: exact, policy: accept-on-all-pass, jury: { type: matches-expected } }
        - { name: people, policy: final, jury: { type: human-queue, file: queue.jsonl } }
`
const rows = ['2', 'two', '3']
  .map((output, index) => `${JSON.stringify({ id: `q${index}`, task: '1 + 1?', output, expectedOutput: '2' })}\n`)
  .join('')

test('what the cascade does not decide waits for people, and their labels decide it', async () => {
  using made = project({ 'rows.jsonl': rows, 'jurist.config.yaml': config })
  const outcomes = async (...argv: readonly string[]) => {
    const { stdout } = await made.jurist(...argv, '--json')
    const { items } = JSON.parse(stdout).result
    return Object.fromEntries(items.map(({ itemId, judged }: { itemId: string; judged: string }) => [itemId, judged]))
  }
  await made.jurist('run', 'sums')
  const queue = () =>
    readFileSync(join(made.directory, 'queue.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  expect(
    queue()
      .map(({ itemId }) => itemId)
      .toSorted(),
  ).toEqual(['q1', 'q2'])
  expect(queue()[0]).toMatchObject({ experimentName: 'sums', repetition: 1, task: '1 + 1?' })

  expect(await outcomes('rejudge', 'sums')).toEqual({ q0: 'pass', q1: 'abstain', q2: 'abstain' })
  expect(queue()).toHaveLength(2)

  const { stdout } = await made.juristReading('p', {}, 'label', 'sums', '--queue', 'queue.jsonl', '--by', 'ana')
  expect(stdout).toContain('1 of 2 trials labelled by ana')
  await made.juristReading('f', {}, 'label', 'sums', '--queue', 'queue.jsonl', '--by', 'ana')
  expect(Object.values(await outcomes('rejudge', 'sums')).toSorted()).toEqual(['fail', 'pass', 'pass'])

  // As many say pass as fail: there is no majority.
  await made.juristReading('ff', {}, 'label', 'sums', '--queue', 'queue.jsonl', '--by', 'ben')
  expect(Object.values(await outcomes('rejudge', 'sums')).toSorted()).toEqual(['abstain', 'fail', 'pass'])

  // Labels of one run never decide another.
  await made.jurist('run', 'sums')
  expect(new Set(queue().map(({ runId }) => runId)).size).toBe(2)
  const { stderr, code } = await made.jurist('label', 'sums', '--queue', 'none.jsonl')
  expect([code, stderr]).toEqual([2, expect.stringContaining('none.jsonl has no trial of run')])
  expect(existsSync(join(made.directory, 'none.jsonl'))).toBe(false)
})

test('a full queue loses no trial: it is an error, until there is room', async () => {
  using made = project({ 'rows.jsonl': rows, 'jurist.config.yaml': config })
  const queue = join(made.directory, 'queue.jsonl')
  writeFileSync(queue, '')
  truncateSync(queue, 64 * 1024 * 1024 - 10)
  const { stdout } = await made.jurist('run', 'sums', '--json')
  const { items } = JSON.parse(stdout).results[0]
  const waiting = items.filter(({ itemId }: { itemId: string }) => itemId !== 'q0')
  expect(waiting.map(({ judged }: { judged: string }) => judged)).toEqual(['error', 'error'])
  expect(JSON.stringify(waiting)).toContain('takes no further trial: it is full: a queue holds 64 MB')
  truncateSync(queue, 0)
  await made.jurist('rejudge', 'sums')
  expect(readFileSync(queue, 'utf8').trim().split('\n')).toHaveLength(2)
})

test('a line that a crash cut off swallows no trial', async () => {
  using made = project({ 'rows.jsonl': rows, 'jurist.config.yaml': config, 'queue.jsonl': '{"runId":"2026' })
  await made.jurist('run', 'sums')
  const [cut, ...lines] = readFileSync(join(made.directory, 'queue.jsonl'), 'utf8').trim().split('\n')
  expect(cut).toBe('{"runId":"2026')
  expect(lines.map((line) => JSON.parse(line).itemId).toSorted()).toEqual(['q1', 'q2'])
})
