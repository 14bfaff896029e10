import { dataset, type InlineItem } from '@jurist/experiment/dataset'
import { expect, test } from 'vitest'
import { directoryWith } from './dataset-directory.js'

test('items in memory have the defaults of rows', async () => {
  const items = dataset({
    name: 'capitals',
    items: [
      { task: 'France?', expectedOutput: 'Paris' },
      { id: 'b', task: 'Italy?' },
    ],
  })
  expect(items).toMatchObject({ name: 'capitals', description: '', metadata: {}, directory: null })
  expect(items.version).toMatch(/^[0-9a-f]{12}$/)
  expect(items.entries.map(({ id }) => id)).toEqual(['row-1', 'b'])
  expect(await items.item('row-1')).toMatchObject({
    task: 'France?',
    expectedOutput: { type: 'text', text: 'Paris' },
    before: null,
    status: 'active',
    tags: [],
  })
  expect(await items.describe()).toMatchObject({ gitCommit: null, dirty: false, selectedItemCount: 2 })
})

test('the version follows the items, unless it is given', () => {
  const one = (task: string) => dataset({ name: 'x', items: [{ task }] }).version
  expect(one('a')).toBe(one('a'))
  expect(one('a')).not.toBe(one('b'))
  expect(dataset({ name: 'x', version: '2', items: [] }).version).toBe('2')
})

test('a text as before is a directory, whose content is in the hash', async () => {
  const hashOf = async (content: string) => {
    const before = directoryWith({ 'a.txt': content })
    const item = await dataset({ name: 'x', items: [{ id: 'a', task: 't', before, noChange: true }] }).item('a')
    expect(item.before).toEqual({ type: 'directory', path: before })
    expect(item.reference).toEqual(item.before)
    return item.hash
  }
  expect(await hashOf('a')).toBe(await hashOf('a'))
  expect(await hashOf('a')).not.toBe(await hashOf('b'))
})

test('a directory that is missing is a problem of its item', async () => {
  const items = dataset({ name: 'x', items: [{ task: 't', before: '/nowhere/at/all' }, { task: 'u' }] })
  expect(await items.problems()).toMatchObject([{ item: 'row-1', field: 'items[0].before', severity: 'error' }])
  await expect(items.item('row-1')).rejects.toMatchObject({ code: 'dataset-invalid' })
  expect((await items.item('row-2')).task).toBe('u')
})

test('every fault is named in one error', () => {
  const items = [
    { task: ' ' },
    { task: 'a', status: 'old' },
    { task: 'a', tags: 'x' },
    { id: 'a/b', task: 'a' },
    { task: 'a', before: { type: 'git', repoPath: 'x', commitHash: 'HEAD' } },
    { task: 'a', metadata: { run: () => 1 } },
  ] as unknown as readonly InlineItem[]
  expect(() => dataset({ name: 'x', items })).toThrowError(
    expect.objectContaining({
      code: 'dataset-invalid',
      details: {
        path: 'x',
        issues: [
          expect.objectContaining({ field: 'items[0].task', problem: 'is blank.' }),
          expect.objectContaining({
            field: 'items[1].status',
            problem: 'must be "active", "disabled" or "deprecated" (got "old").',
          }),
          expect.objectContaining({ field: 'items[2].tags' }),
          expect.objectContaining({ field: 'items[3].id' }),
          expect.objectContaining({
            field: 'items[4].before.commitHash',
            problem: 'must be lowercase hex digits (got "HEAD").',
          }),
          expect.objectContaining({ field: 'items[5].metadata.run' }),
        ],
      },
    }),
  )
})

test('ids are used once', () => {
  const twice = [
    { id: 'a', task: 'x' },
    { id: 'a', task: 'y' },
  ]
  expect(() => dataset({ name: 'x', items: twice })).toThrowError('"a" is used twice (items[0])')
})

test.each([{ items: [] }, { name: ' ', items: [] }, { name: 'x' }, { name: 'x', items: [], colour: 1 }])(
  'options %j',
  (options) => {
    expect(() => dataset(options as never)).toThrowError(expect.objectContaining({ code: 'option-invalid' }))
  },
)
