import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { scriptedServer } from '../../packages/bridges/testing/index.js'
import { type Project, project } from '../../packages/jurist/tests/project.js'
import { root } from '../../tests/structure/source.js'
import { moveOf } from './stand-in-model.js'

const example = join(root, 'examples/shop')
const files = Object.fromEntries(
  readdirSync(example)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [name, readFileSync(join(example, name), 'utf8')]),
)

/** The rows of the table of variants: name and passed trials. */
const passed = (text: string) =>
  [...text.matchAll(/^ {2}(scripted|model|bad-day) +(\d+\/\d+) /gm)].map(([, name, count]) => [name, count])

describe('the shop, run by the command', () => {
  let made: Project
  let printed: string
  beforeAll(async () => {
    made = project(files)
    const { code, stdout } = await made.jurist('run')
    expect(code).toBe(0)
    printed = stdout
    return () => made[Symbol.dispose]()
  })

  test('shows both weaknesses of the agent, one of them on a bad day only', () => {
    expect(passed(printed)).toEqual([
      ['scripted', '14/15'],
      ['model', '14/15'],
      ['bad-day', '11/15'],
    ])
    expect(printed).toContain(
      'refund-too-late#3  fail  state: 1 place differs: /orders/A-400/refundedUsd is 60, expected 0',
    )
    expect(printed).toContain('/orders/A-100/address is "1 Old Lane", expected "2 New Street"')
  })

  test('says how often the agent can be relied on', async () => {
    expect((await made.jurist('show', 'shop@scripted')).stdout).toContain('pass^k     k=1 0.93  k=2 0.87  k=3 0.80')
  })

  test('shows what was said, and the calls between', async () => {
    const { stdout } = await made.jurist('show', 'shop@bad-day', '--item', 'cancel', '--journal')
    const [first = ''] = stdout.split('cancel#2')
    const parts = ['I want to cancel my bookshelf.', 'Which order', 'find_order', 'Shall I cancel it?', 'Yes, please.']
    const more = ['cancel_order', 'The database does not answer.', 'cancel_order', 'Order A-100 is cancelled.']
    let place = first.indexOf('Journal')
    for (const part of [...parts, ...more]) {
      place = first.indexOf(part, place + 1)
      expect(place, part).toBeGreaterThan(-1)
    }
  })
})

test('a model on a server plays the customer, over the protocol of OpenAI', async () => {
  await using server = await scriptedServer(({ body }) => {
    const { content } = (body['messages'] as readonly { readonly content: string }[]).at(-1) ?? { content: '' }
    return { text: JSON.stringify(moveOf(content)) }
  })
  using made = project(files)
  const { stdout } = await made.juristWith({ SHOP_MODEL_URL: `${server.url}/v1` }, 'run', '--variant', 'model')
  expect(stdout).toMatch(/14 of 15|14\/15/)
  expect(server.unexpected).toEqual([])
  expect(server.requests.length).toBeGreaterThanOrEqual(30)
})
