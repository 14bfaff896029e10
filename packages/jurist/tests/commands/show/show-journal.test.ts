import { afterAll, expect, test } from 'vitest'
import { project } from '../../project.js'

/** An agent that records what coding agents record: colours, a failure, an edit, a turn, and what a hostile tool may print. */
const config = `
const at = (seconds) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString()
const long = Array.from({ length: 50 }, (_, line) => 'line ' + line).join('\\n')
const events = [
  { type: 'prompt', text: 'Fix the totals', at: at(0) },
  { type: 'tool-call', id: '1', name: 'Bash', input: { command: 'npm test' }, at: at(2) },
  { type: 'tool-result', id: '1', failed: true, content: 'Exit code 1\\n' + long + '\\n\\u001b[31m✗ totals\\u001b[39m\\u001b]0;evil\\u0007', at: at(5) },
  { type: 'tool-call', id: '2', name: 'Edit', input: { file_path: 'a.js', old_string: 'sum', new_string: 'cents' }, at: at(6) },
  { type: 'tool-result', id: '2', failed: false, content: 'done', at: at(6) },
  { type: 'model-call', model: 'large', usage: { inputTokens: 1200, outputTokens: 30 }, costUsd: 0.25, at: at(7) },
  { type: 'custom', name: 'later-version', data: { kept: true }, at: at(8) },
]
export default {
  experiments: {
    demo: {
      dataset: [{ id: 'one', task: 'Fix the totals' }, { id: 'long', task: 'Read a thousand files' }],
      agent: ({ record, prompt }) => {
        const calls = Array.from({ length: 2_000 }, (_, index) => [
          { type: 'tool-call', id: 'c' + index, name: 'Read', input: { path: index + '.js' }, at: at(0) },
          ...(index === 1_990 ? [] : [{ type: 'tool-result', id: 'c' + index, content: 'line ' + index, at: at(1) }]),
          { type: 'text', text: 'So ' + index + '.', at: at(1) },
        ]).flat()
        for (const event of prompt.includes('thousand') ? calls : events) record(event)
        return { status: 'completed', output: { type: 'text', text: 'done' } }
      },
      jury: () => true,
    },
  },
}
`

const made = project({ 'jurist.config.mjs': config })
afterAll(() => made[Symbol.dispose]())

test('show --journal reads as a person writes: commands, exit codes, edits, turns', async () => {
  expect(await made.jurist('run')).toMatchObject({ code: 0 })
  const { stdout, code } = await made.jurist('show', 'latest', 'one', '--journal')
  expect(code).toBe(0)
  expect(stdout).toContain('Journal   5 steps, 8.0 s, 2 tool calls, 1 failed, 1,230 tokens, $0.25')
  expect(stdout).toMatch(/\+2\.0 s {2}Bash {2}\$ npm test {2}failed, exit 1, 3\.0 s\n/)
  expect(stdout).toMatch(/… 21 more lines \(--json has them\)\n +line 21\n/)
  expect(stdout).toMatch(/ {14}✗ totals\n/)
  expect(stdout).toMatch(/Edit {2}a\.js {2}0 ms\n {14}-sum\n {14}\+cents\n/)
  expect(stdout).toContain('turn 1  large · 1,200 tokens in · 30 out · $0.25')
  expect(stdout).toContain('later-version  {"kept":true}')
  expect(stdout).not.toMatch(/[\u001b\u0007]/)
  expect(stdout).not.toMatch(/[ \t]\n/)
})

test('colour is for failures and edits, and only where it is wanted', async () => {
  const { stdout } = await made.juristWith({ FORCE_COLOR: '1' }, 'show', 'latest', 'one', '--journal')
  expect(stdout).toContain('\u001b[31mfailed, exit 1, 3.0 s\u001b[39m')
  expect(stdout).toContain('\u001b[32m              +cents\u001b[39m')
  expect(stdout).not.toContain('\u001b]0;evil')
})

test('--json is every event as it was stored', async () => {
  const { stdout } = await made.jurist('show', 'latest', 'one', '--journal', '--json')
  const { itemId, repetition, events } = JSON.parse(stdout)
  expect([itemId, repetition, events.length]).toEqual(['one', 1, 7])
  expect(events[2].content).toContain('\u001b[31m✗ totals')
})

test('a long journal is printed in parts, and its figures come last', async () => {
  const { stdout } = await made.jurist('show', 'latest', 'long', '--journal')
  const lines = stdout
    .slice(Math.max(0, stdout.indexOf('Journal   5,999 events')))
    .trimEnd()
    .split('\n')
  expect(lines[0]).toBe('Journal   5,999 events')
  expect(lines.at(-1)).toBe('  Journal   4,000 steps, 1.0 s, 2,000 tool calls, 0 failed')
  const said = lines.flatMap((line) => line.match(/So \d+\.|line \d+|no result/g) ?? [])
  const expected = Array.from({ length: 2_000 }, (_, index) => [
    index === 1_990 ? 'no result' : `line ${index}`,
    `So ${index}.`,
  ])
  expect(said).toEqual(expected.flat())
})
