import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'

/** A clerk who is rude from the second message on, and one who cannot add. */
const config = `
import { outputText } from 'jurist'
import { conversation, everyTurn, scriptedUser } from 'jurist/conversation'
const clerk = ({ turns }) => (turns.length > 1 ? 'Go away.' : 'Which order, please?')
const talk = { agent: conversation(clerk, { user: scriptedUser() }), jury: everyTurn(outputText({ contains: 'please' })) }
const sums = { agent: async ({ input }) => ({ status: 'completed', output: String(input.left) }), jury: outputText({ equals: '7' }) }
const columns = { task: 'q', input: ['left', 'right'] }
export default {
  experiments: {
    talks: { ...talk, dataset: { path: 'talks.jsonl', columns: { task: 'ask' } } },
    again: { ...talk, dataset: 'again.jsonl' },
    sums: { ...sums, dataset: { path: 'sums.jsonl', columns } },
    table: { ...sums, dataset: { path: 'table.csv', columns } },
    inline: { ...sums, dataset: [{ id: 'one', task: 'Add.', input: { left: 3 } }] },
  },
}
`
const talk = {
  id: 'order',
  ask: 'Help with an order.',
  scenario: {
    goal: 'Cancel order 7',
    facts: ['The order is 7.'],
    messages: ['Hello', 'It is order 7.', 'Yes.', 'Thank you'],
  },
}
const files = {
  'jurist.config.mjs': config,
  'talks.jsonl': `${JSON.stringify(talk)}\n`,
  'again.jsonl': `${JSON.stringify({ id: 'first', task: 'Ask for the weather.', scenario: { goal: 'x', messages: ['Hi'] } })}`,
  'sums.jsonl': '{"id":"a","q":"Add the numbers.","left":3,"right":4}\n',
  'table.csv': 'id,q,left,right\na,Add the numbers.,3,4\n',
}

let made: Project
beforeAll(async () => {
  made = project(files)
  for (const name of ['talks', 'sums', 'table', 'inline']) await made.jurist('run', name)
})
afterAll(() => made[Symbol.dispose]())

const promote = async (...argv: readonly string[]) => {
  const { code, stdout, stderr } = await made.jurist('promote', ...argv, '--json')
  return { code, stderr, promoted: stdout === '' ? null : JSON.parse(stdout) }
}
const read = (path: string) => readFileSync(join(made.directory, path), 'utf8')
const rowsOf = (path: string) =>
  read(path)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('jurist promote with rows', () => {
  test('the messages up to the one that failed become the script, and the persona is kept', async () => {
    const { code, promoted } = await promote('talks', 'order', '--into', 'again.jsonl', '--name', 'rude')
    expect(code).toBe(0)
    expect(promoted).toMatchObject({ status: 'written', item: 'rude', path: 'again.jsonl', files: null })
    const [first, row] = rowsOf('again.jsonl')
    expect([first.id, row.id, row.task]).toEqual(['first', 'rude', 'Help with an order.'])
    expect(row.metadata.scenario).toEqual({
      goal: 'Cancel order 7',
      facts: ['The order is 7.'],
      messages: ['Hello', 'It is order 7.'],
    })
    expect((await made.jurist('validate', 'again')).code).toBe(0)
    const run = JSON.parse((await made.jurist('run', 'again', '--json')).stdout)
    const shown = JSON.parse((await made.jurist('show', run.results[0].id, '--json')).stdout)
    const turns = shown.items.map((item: { itemId: string; passed: boolean; detail: object }) => [
      item.itemId,
      item.passed,
      JSON.stringify(item.detail).includes('It is order 7.') && !JSON.stringify(item.detail).includes('Thank you'),
    ])
    expect(turns).toEqual([
      ['first', true, false],
      ['rude', false, true],
    ])
  })

  test('promoting it again changes nothing', async () => {
    const before = read('again.jsonl')
    const { code, promoted } = await promote('talks', 'order', '--into', 'again.jsonl')
    expect([code, promoted.status, promoted.item]).toEqual([0, 'known', 'rude'])
    expect(read('again.jsonl')).toBe(before)
  })

  test('a row that asks what its trial asked is there already', async () => {
    const { code, promoted } = await promote('sums', 'a')
    expect([code, promoted.status, promoted.item]).toEqual([1, 'near-copy', 'a'])
    expect(read('sums.jsonl')).toBe(files['sums.jsonl'])
  })

  test('a shorter conversation goes into the file that it came from', async () => {
    const { promoted } = await promote('talks', 'order')
    expect(promoted).toMatchObject({
      ...{ status: 'written', item: 'the-output-does-not-contain-please', nearest: { id: 'order' } },
      notes: expect.arrayContaining(['the script is the first 2 of 4 messages of the user']),
    })
    expect(read('talks.jsonl').startsWith(files['talks.jsonl'])).toBe(true)
    expect(rowsOf('talks.jsonl')[1]).toMatchObject({ id: promoted.item, ask: 'Help with an order.' })
    expect((await made.jurist('validate', 'talks')).code).toBe(0)
  })

  test('the row has the names of columns that the file has, and names the judges that the items of others need', async () => {
    const { stdout, code } = await made.jurist('promote', 'sums', 'a', '--into', 'new/more.jsonl', '--name', 'seven')
    expect([code, stdout]).toEqual([0, expect.stringContaining('wrote seven in new/more.jsonl')])
    expect(rowsOf('new/more.jsonl')[0]).toMatchObject({
      ...{ id: 'seven', task: 'Add the numbers.', input: { left: 3, right: 4 }, tags: ['regression'] },
      metadata: { source: { item: 'a', jury: 'the judge of the experiment sums' } },
    })
  })

  test('other files of rows, and items of the config, need a place', async () => {
    const table = await promote('table', 'a')
    expect([table.code, table.stderr]).toEqual([2, expect.stringContaining('table.csv')])
    expect((await promote('inline', 'one')).stderr).toContain('the items of the experiment are in the config')
    expect((await promote('inline', 'one', '--into', 'other.jsonl')).code).toBe(0)
    expect(existsSync(join(made.directory, 'other.jsonl'))).toBe(true)
  })
})
