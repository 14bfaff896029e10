import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { textOutput } from '@jurist/core'
import { dataset, openDataset } from '@jurist/experiment/dataset'
import { describe, expect, test } from 'vitest'
import { directoryWith, oneItem, put } from './dataset-directory.js'

/** The item of a dataset whose `item.json` says this and nothing else, with these files beside it. */
async function itemOf(said: object, beside: Readonly<Record<string, unknown>> = {}) {
  const directory = directoryWith({ ...oneItem(), 'items/first/item.json': said })
  for (const [path, content] of Object.entries(beside)) put(directory, `items/first/${path}`, content)
  return (await openDataset(directory)).item('first')
}

describe('the task of an item', () => {
  test.each([
    ['task', { task: 'Say hello' }, {}],
    ['developerTask', { developerTask: 'Say hello' }, {}],
    ['a file task.md', {}, { 'task.md': 'Say hello\n' }],
    ['a file instruction.md', { tags: ['x'] }, { 'instruction.md': '\n\nSay hello\r\n' }],
    ['the input', { input: [{ role: 'user', content: 'Say hello' }] }, {}],
    ['task beside an input', { task: 'Say hello', input: { name: 'Ada' } }, {}],
  ])('is %s', async (_, said, beside) => {
    expect(await itemOf(said, beside)).toMatchObject({ task: 'Say hello' })
  })

  test.each([
    [{}, {}, 'items/first/item.json task: is missing. Say what the agent is to do: as "task" here, or in a task.md'],
    [{ task: 'a', developerTask: 'a' }, {}, 'task: is given twice: task and developerTask. Keep one of them.'],
    [{ task: 'a' }, { 'task.md': 'a' }, 'task: is given twice: task and task.md. Keep one of them.'],
    [{}, { 'task.md': 'a', 'instruction.md': 'a' }, 'task: is given twice: task.md and instruction.md.'],
    [{}, { 'task.md': ' \n' }, 'items/first/task.md: is blank.'],
    [{}, { 'task.md': 'x'.repeat(1024 * 1024 + 1) }, 'items/first/task.md: is larger than 1 MB.'],
    [{}, { 'task.md/a': 'a' }, 'items/first/task.md: cannot be read'],
    [{ prompt: 'a' }, {}, 'prompt: is not a known key. Did you mean "task"?'],
    [{ task: 3 }, {}, 'task: must be a string (got 3).'],
  ])('is not in %j and %j', async (said, beside, message) => {
    await expect(itemOf(said, beside)).rejects.toThrowError(message)
  })

  test('is not in a file outside the dataset', async () => {
    const directory = directoryWith({ ...oneItem(), 'items/first/item.json': {} })
    symlinkSync(join(directoryWith({ 'secret.md': 'secret' }), 'secret.md'), join(directory, 'items/first/task.md'))
    await expect((await openDataset(directory)).item('first')).rejects.toThrowError(
      'items/first/task.md: leaves the dataset through a link.',
    )
  })

  test('has the same hash wherever it is', async () => {
    const { hash } = await itemOf({ task: 'Say hello' })
    expect(await itemOf({}, { 'task.md': 'Say hello' })).toMatchObject({ hash })
    expect(await itemOf({ developerTask: 'Say hello' })).toMatchObject({ hash })
  })
})

describe('what an item decides about itself', () => {
  const settings = { timeoutMs: 5000, repetitions: 3, image: 'node:20', judges: { readme: { 'file-exists': 'a' } } }

  test('is in item.json, in rows, and in items of a program', async () => {
    expect(await itemOf({ task: 'x', ...settings, input: { a: 1 } })).toMatchObject({ ...settings, input: { a: 1 } })
    const inline = dataset({ name: 'x', items: [{ id: 'a', task: 'x', ...settings }] })
    expect(await inline.item('a')).toMatchObject(settings)
    const rows = directoryWith({ 'rows.json': [{ id: 'a', task: 'x', ...settings }] })
    expect(await (await openDataset(join(rows, 'rows.json'))).item('a')).toMatchObject({ ...settings, metadata: {} })
  })

  test('is read from the cells of a CSV file', async () => {
    const rows =
      'id,task,timeoutMs,repetitions,image,judges\na,x,5000,3,node:20,"[{""use"": ""strict""}]"\nb,y,,,,strict'
    const { item } = await openDataset(join(directoryWith({ 'rows.csv': rows }), 'rows.csv'))
    expect(await item('a')).toMatchObject({ ...settings, judges: [{ use: 'strict' }] })
    expect(await item('b')).toMatchObject({ timeoutMs: null, repetitions: null, image: null, judges: 'strict' })
  })

  test('leaves the hash of an item alone where nothing is decided, and changes it otherwise', async () => {
    const hashOf = async (item: object) =>
      (await dataset({ name: 'x', items: [{ task: 'x', ...item }] }).item('row-1')).hash
    const { hash } = await itemOf({ task: 'x' })
    expect(await itemOf({ task: 'x', timeoutMs: null, judges: null })).toMatchObject({ hash })
    const hashes = await Promise.all(Object.entries(settings).map(([name, value]) => hashOf({ [name]: value })))
    expect(new Set([await hashOf({}), ...hashes]).size).toBe(5)
    // A jury is live: what it is cannot be compared.
    expect(await hashOf({ jury: () => ({}) as never })).toBe(await hashOf({}))
  })

  test.each([
    ['timeoutMs', 0, 'must be a finite number of milliseconds above 0 (got 0).'],
    ['repetitions', 1.5, 'must be a whole number of at least 1 (got 1.5).'],
    ['image', ' ', 'is blank.'],
    ['judges', [], 'must be the name of a jury, an object of judges or an array of judges (got an array).'],
    ['judges', 4, 'must be the name of a jury, an object of judges or an array of judges (got 4).'],
    ['input', 'Paris', 'must be an object or an array of chat messages.'],
    ['timeout', 4, 'is not a known key. Did you mean "timeoutMs"?'],
  ])('%s cannot be %j', async (name, value, message) => {
    await expect(itemOf({ task: 'x', [name]: value })).rejects.toThrowError(message)
  })

  test('a column of pictures is metadata', async () => {
    const rows = [
      { task: 'x', image: 'cat.png' },
      { task: 'x', image: 'https://a.test/cat' },
      { task: 'x', image: 3 },
    ]
    const opened = await openDataset(join(directoryWith({ 'rows.json': rows }), 'rows.json'))
    expect(await opened.item('row-1')).toMatchObject({ image: null, metadata: { image: 'cat.png' } })
    expect(await opened.item('row-2')).toMatchObject({ image: null, metadata: { image: 'https://a.test/cat' } })
    expect(await opened.item('row-3')).toMatchObject({ image: null, metadata: { image: 3 } })
  })
})

describe('several right answers', () => {
  const anyOf = { expectedOutput: { type: 'structured', data: ['4', 'four'] }, expectedAnyOf: true }

  test('are an array, everywhere', async () => {
    expect(await itemOf({ task: 'x', expectedOutput: ['4', 'four'] })).toMatchObject(anyOf)
    const inline = dataset({ name: 'x', items: [{ task: 'x', expectedOutput: ['4', 'four'] }] })
    expect(await inline.item('row-1')).toMatchObject(anyOf)
    const rows = directoryWith({
      'rows.json': [
        { task: 'x', ideal: ['4', 'four'] },
        { task: 'x', expected: [] },
      ],
    })
    const opened = await openDataset(join(rows, 'rows.json'))
    expect(await opened.item('row-1')).toMatchObject(anyOf)
    expect(await opened.item('row-2')).toMatchObject({ expectedOutput: null, expectedAnyOf: false })
  })

  test('are not an array that is itself the answer', async () => {
    const answer = { type: 'structured', data: ['4', 'four'] }
    const list = await itemOf({ task: 'x', expectedOutput: answer })
    expect(list).toMatchObject({ expectedOutput: answer, expectedAnyOf: false })
    expect((await itemOf({ task: 'x', expectedOutput: ['4', 'four'] })).hash).not.toBe(list.hash)
  })

  test('stay several when an item is used again in a program', async () => {
    const { before: _, reference: __, path: ___, ...item } = await itemOf({ task: 'x', expectedOutput: ['4', 'four'] })
    expect(await dataset({ name: 'x', items: [item as never] }).item('first')).toMatchObject(anyOf)
    const one = await dataset({ name: 'x', items: [{ task: 'x', expectedOutput: '4' }] }).item('row-1')
    expect(one).toMatchObject({ expectedOutput: textOutput('4'), expectedAnyOf: false })
  })
})
