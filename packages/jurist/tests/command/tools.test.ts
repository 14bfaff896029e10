import { expect, test } from 'vitest'
import { project } from '../project.js'

const config = `
experiments:
  shop:
    dataset: items.jsonl
    agent: { module: ./agent.mjs }
    jury:
      judges:
        calls: { type: tool-calls, order: in-order, extra: [think], inputs: { note: { text: { contains: refund } } } }
        safe: { type: tools-used, none: [delete_account], atMost: { cancel: 1 } }
        asked: { type: tool-order, before: find, after: cancel }
        repeats: { type: no-repeats, atMost: 2 }
        failures: { type: tool-failures, atMost: 0 }
        state: { type: state-equals, file: state.json, by: contains }
`
const agent = `export default async ({ prompt, record, workspace }) => {
  const calls = JSON.parse(prompt)
  for (const [id, [name, input]] of calls.entries()) {
    record({ type: 'tool-call', id: String(id), name, input })
    record({ type: 'tool-result', id: String(id), failed: false, content: 'ok' })
  }
  await workspace.write('state.json', JSON.stringify({ cancelled: calls.filter(([name]) => name === 'cancel').length, at: 1 }))
  return { status: 'completed' }
}`
const expected = [
  { name: 'find', input: { id: { matches: '^A-\\d$' } }, times: [1, 2] },
  { name: 'cancel', input: { id: 'A-1', fee: { close: 5, within: 0.5 } } },
  { name: 'note', optional: true },
]
const item = (id: string, ...calls: readonly (readonly [name: string, input: object])[]) =>
  JSON.stringify({ id, task: JSON.stringify(calls), toolCalls: expected, expectedState: { cancelled: 1 } })
const find = ['find', { id: 'A-1' }] as const
const cancel = ['cancel', { id: 'A-1', fee: 5.2 }] as const

test('a config in YAML judges the calls that an agent records', async () => {
  const items = [
    item('right', find, ['think', {}], cancel, ['note', { text: 'a refund', more: 1 }]),
    item('wrong', cancel, find, ['delete_account', {}]),
  ]
  using made = project({ 'jurist.config.yaml': config, 'agent.mjs': agent, 'items.jsonl': items.join('\n') })
  expect((await made.jurist('validate', '--strict')).stdout).toContain('o problem')
  await made.jurist('run', 'shop')
  const { stdout } = await made.jurist('show', 'latest', '--failures')
  expect(stdout).toContain('wrong#1')
  expect(stdout).not.toContain('right#1')
  expect(stdout).not.toContain('never tried')
  const { items: trials } = JSON.parse((await made.jurist('show', 'latest', '--json')).stdout)
  const statuses = trials.map(({ itemId, verdict }: { itemId: string; verdict: { individual: object } }) => [
    itemId,
    Object.entries(verdict.individual).map(([name, judgment]) => `${name} ${(judgment as { status: string }).status}`),
  ])
  const all = ['calls', 'safe', 'asked', 'repeats', 'failures', 'state']
  const failing = ['calls', 'safe', 'asked']
  expect(statuses).toEqual([
    ['right', all.map((name) => `${name} pass`)],
    ['wrong', all.map((name) => `${name} ${failing.includes(name) ? 'fail' : 'pass'}`)],
  ])
  const again = await made.jurist('rejudge', 'latest')
  expect(again.stdout).toMatch(/now +1 +1 +0 /)
})

test('the words of a mistake name the place', async () => {
  const wrong = config
    .replace('order: in-order', 'order: sorted')
    .replace('none: [delete_account]', 'none: delete_account')
  using made = project({ 'jurist.config.yaml': wrong, 'agent.mjs': agent, 'items.jsonl': item('a', find) })
  const { stdout, stderr } = await made.jurist('validate')
  expect(`${stdout}${stderr}`).toContain('"order" must be one of "exact", "in-order", "any" (got "sorted")')
  expect(`${stdout}${stderr}`).toContain('"none" must be an array of strings (got "delete_account")')
})
