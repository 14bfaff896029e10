import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatasetItem } from '@jurist/experiment/dataset'
import { openDataset } from '@jurist/experiment/dataset'
import { validateDataset } from '@jurist/experiment/internal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maxRowFileBytes } from '../../src/dataset/row-file.js'
import { directoryWith, put } from './dataset-directory.js'

async function itemsOf(name: string, content: string | object, options?: Parameters<typeof openDataset>[1]) {
  const dataset = await openDataset(join(directoryWith({ [name]: content }), name), options)
  const items: DatasetItem[] = []
  for await (const item of dataset.items({ status: 'any' })) items.push(item)
  return items
}

const lines = (...rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n')

describe('JSON lines', () => {
  test('name, version and entries', async () => {
    const path = join(
      directoryWith({ 'qa.jsonl': lines({ task: 'a' }, { task: 'b', status: 'disabled' }) }),
      'qa.jsonl',
    )
    const dataset = await openDataset(path)
    expect(dataset).toMatchObject({ name: 'qa', version: expect.stringMatching(/^[0-9a-f]{12}$/), directory: null })
    expect(dataset.entries).toMatchObject([
      { id: 'row-1', slug: 'row-1', path: null, status: 'active' },
      { id: 'row-2', status: 'disabled' },
    ])
    expect(await dataset.describe()).toMatchObject({ activeItemCount: 1, selectedItemCount: 1, gitCommit: null })
  })

  test('every role, and the rest as metadata', async () => {
    const [item] = await itemsOf(
      'x.jsonl',
      lines({
        itemId: 7,
        Question: 'Why?',
        answer: 'Because',
        response: { said: 'so' },
        verdict: 'pass',
        tags: 'a; b,c',
        bucket: 'B',
        taskType: 'qa',
        context: ['one', 'two'],
        extra: { deep: [1] },
        metadata: { own: true },
      }),
    )
    expect(item).toMatchObject({
      id: '7',
      task: 'Why?',
      expectedOutput: { type: 'text', text: 'Because' },
      tags: ['a', 'b', 'c'],
      bucket: 'B',
      taskType: 'qa',
      referenceData: ['one', 'two'],
      before: null,
      reference: null,
      noChange: false,
    })
    expect(item?.metadata).toEqual({ own: true, extra: { deep: [1] }, output: { said: 'so' }, label: 'pass' })
    expect(Object.isFrozen(item?.metadata.extra)).toBe(true)
  })

  test('the first of several names counts, the others are metadata', async () => {
    const [item] = await itemsOf('x.jsonl', lines({ prompt: 'p', task: 't', target: 1, expected: [2] }))
    expect(item).toMatchObject({ task: 't', expectedOutput: { type: 'structured', data: [2] } })
    expect(item?.metadata).toEqual({ prompt: 'p', target: 1 })
  })

  test('a key that cannot be kept is named, not lost', async () => {
    await expect(itemsOf('x.jsonl', '{"task":"t","__proto__":{"x":1},"extra":2}')).rejects.toMatchObject({
      details: { issues: [{ field: 'line 1.metadata.__proto__', problem: 'cannot be stored.' }] },
    })
  })

  test('an expected output may be one already', async () => {
    const [item] = await itemsOf('x.jsonl', lines({ task: 't', expected: { type: 'structured', data: { a: 1 } } }))
    expect(item?.expectedOutput).toEqual({ type: 'structured', data: { a: 1 } })
  })

  test('ids by line, padded, blank lines left out', async () => {
    const rows = Array.from({ length: 11 }, (_, index) => (index === 1 ? '' : '{"task":"x"}')).join('\r\n')
    expect((await itemsOf('x.ndjson', rows)).map(({ id }) => id)).toEqual([
      ...['row-01', 'row-03', 'row-04', 'row-05', 'row-06'],
      ...['row-07', 'row-08', 'row-09', 'row-10', 'row-11'],
    ])
  })

  test('named columns go before the usual names', async () => {
    const columns = { task: 'why', expected: 'task', id: 'key' }
    const [item] = await itemsOf('x.jsonl', lines({ key: 'k', why: 'w', task: 'solution' }), { columns })
    expect(item).toMatchObject({ id: 'k', task: 'w', expectedOutput: { text: 'solution' }, metadata: {} })
  })

  test('a named column that no row has', async () => {
    await expect(itemsOf('x.jsonl', lines({ task: 'x' }), { columns: { label: 'gold' } })).rejects.toMatchObject({
      details: { issues: [{ problem: 'no row has "gold", which columns.label names.' }] },
    })
  })

  test('bad lines and repeated ids are named together', async () => {
    const path = join(
      directoryWith({
        'x.jsonl': '{"task": "a", "id": "a"}\n{"task":\n\n[]\n{"task":"b","id":"a"}\n{"id":"a/b","status":"old"}',
      }),
      'x.jsonl',
    )
    await expect(openDataset(path)).rejects.toMatchObject({
      code: 'dataset-invalid',
      details: { issues: { length: 5 } },
    })
    expect((await validateDataset(path)).map(({ field, problem }) => `${field}: ${problem}`)).toEqual([
      'line 2: is not JSON: column 9: expected a value but found the end of the text.',
      'line 4: must be an object (got an array).',
      'line 5: the id "a" is used already (line 1).',
      'line 6, id: "a/b" contains a slash.',
      'line 6, status: must be "active", "disabled" or "deprecated" (got "old").',
      'line 6, task: is missing.',
    ])
  })

  test('a broken row outside of the selection does not stop the others', async () => {
    const path = join(directoryWith({ 'x.jsonl': lines({ task: 'a' }, { task: ' ', status: 'disabled' }) }), 'x.jsonl')
    const dataset = await openDataset(path)
    expect(await dataset.problems()).toEqual([])
    expect((await dataset.item('row-1')).task).toBe('a')
    await expect(dataset.item('row-2')).rejects.toMatchObject({
      code: 'dataset-invalid',
      details: { issues: [{ file: 'x.jsonl', item: 'row-2', field: 'line 2, task', problem: 'is blank.' }] },
    })
  })

  test('one item is found by its id', async () => {
    const content = `\uFEFF${lines({ id: 'ä', task: 'ö' }, { id: 'b', task: '😀' }, { id: 'c', task: 'x' })}`
    const dataset = await openDataset(join(directoryWith({ 'x.jsonl': content }), 'x.jsonl'))
    for await (const item of dataset.items()) expect(await dataset.item(item.id)).toEqual(item)
    expect((await dataset.item('b')).task).toBe('😀')
  })

  test('every reading gives the same items', async () => {
    const rows = Array.from({ length: 40 }, (_, index) => ({ id: `r${index}`, task: `${index}`, tag: index % 3 }))
    const dataset = await openDataset(join(directoryWith({ 'q.jsonl': `\n${lines(...rows)}\n` }), 'q.jsonl'))
    const readings: (readonly DatasetItem[])[] = []
    for (let times = 0; times < 3; times++) {
      const items: DatasetItem[] = []
      for await (const item of dataset.items({ id: ['r3', 'r11', 'r39'] })) items.push(item)
      readings.push(items)
    }
    expect(readings[0]?.map(({ id, task }) => [id, task])).toEqual([
      ['r3', '3'],
      ['r11', '11'],
      ['r39', '39'],
    ])
    expect(readings[1]).toEqual(readings[0])
    expect(readings[2]).toEqual(readings[0])
    expect(await dataset.item('r11')).toEqual(readings[0]?.[1])
  })

  test('a file that changes later does not change the dataset', async () => {
    const directory = directoryWith({ 'x.jsonl': lines({ task: 'a' }) })
    const dataset = await openDataset(join(directory, 'x.jsonl'))
    put(directory, 'x.jsonl', lines({ task: 'another' }))
    expect((await dataset.item('row-1')).task).toBe('a')
  })

  test('a file that is too large is refused before it is read', async () => {
    const path = join(directoryWith({ 'x.jsonl': '' }), 'x.jsonl')
    truncateSync(path, maxRowFileBytes + 1)
    await expect(openDataset(path)).rejects.toMatchObject({
      details: { issues: [{ field: null, problem: 'holds 257 MB; a file of rows can hold 256 MB.' }] },
    })
  })

  test.each([
    ['x.jsonl', ['{"task":"a"}\n', 0x7b, 0xff, 0x7d, '\n{"task":"b"}'], 'line 2'],
    ['x.csv', ['task\na\n', 0xff], 'line 3'],
    ['x.json', ['[', 0xff, ']'], null],
  ])('%s that is not UTF-8', async (name, parts, field) => {
    const directory = directoryWith({})
    writeFileSync(
      join(directory, name),
      Buffer.concat(parts.map((part) => Buffer.from(typeof part === 'string' ? part : [part]))),
    )
    await expect(openDataset(join(directory, name))).rejects.toMatchObject({
      details: { issues: [{ field, problem: 'is not UTF-8.' }] },
    })
  })

  test('an empty file has no items', async () => {
    expect(await itemsOf('x.jsonl', '')).toEqual([])
  })
})

describe('CSV', () => {
  test('quotes, line breaks, CRLF, a byte order mark and missing fields', async () => {
    const content = '\uFEFFid,Input,expected,tags,extra\r\na,"do, it\r\n""now""",yes,a;b,1\r\n\r\n,second\r\n'
    expect(await itemsOf('x.csv', content)).toMatchObject([
      { id: 'a', task: 'do, it\r\n"now"', expectedOutput: { text: 'yes' }, tags: ['a', 'b'], metadata: { extra: '1' } },
      { id: 'row-5', task: 'second', expectedOutput: null, tags: [], metadata: { extra: '' } },
    ])
  })

  test.each([
    ['nothing at all', '', 'line 1', 'has no header.'],
    ['only blank lines', '\n\n', 'line 1', 'has no header.'],
    ['too many fields', 'task\na,b', 'line 2', 'has 2 fields, but the header names 1.'],
    ['an open quote', 'task\n"a', 'line 2', 'is not CSV'],
    ['text after a quote', 'task,b\n"a"x,b', 'line 2', 'is not CSV'],
    ['a column twice', 'task,task\na,b', 'line 1', 'names the column "task" twice.'],
  ])('%s', async (_, content, field, problem) => {
    await expect(itemsOf('x.csv', content)).rejects.toMatchObject({
      details: { issues: [{ field, problem: expect.stringContaining(problem) }] },
    })
  })

  test('places count lines, also those inside quotes, with any line ending', async () => {
    const content = 'id,task\r\na,"two\r\nlines"\r\nb,x\r\n\r\nc,y,z\n"d","e"\r\nd,again'
    await expect(itemsOf('x.csv', content)).rejects.toMatchObject({
      details: {
        issues: [
          { field: 'line 6', problem: 'has 3 fields, but the header names 2.' },
          { field: 'line 8', problem: 'the id "d" is used already (line 7).' },
        ],
      },
    })
    const items = await itemsOf('x.csv', 'task,b\r\n"x\r",1\r\ny,"2\r"\r\nz,3\n"w","4"\n')
    expect(items.map(({ id, task, metadata }) => [id, task, metadata.b])).toEqual([
      ['row-2', 'x\r', '1'],
      ['row-3', 'y', '2\r'],
      ['row-4', 'z', '3'],
      ['row-5', 'w', '4'],
    ])
  })

  test('gives back any texts that were written', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', ' ', 'é', ';'), minLength: 1 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(cell, { minLength: 1, maxLength: 5 }),
        fc.constantFrom('\n', '\r\n'),
        async (cells, lineEnd) => {
          const rows = cells.map((text) => `"x${text.replaceAll('"', '""')}","b"`)
          const items = await itemsOf('x.csv', ['task,other', ...rows].join(lineEnd))
          expect(items.map(({ task }) => task)).toEqual(cells.map((text) => `x${text}`))
        },
      ),
      { numRuns: 30 },
    )
  })
})

describe('a JSON array', () => {
  test('holds rows', async () => {
    expect(await itemsOf('x.json', [{ task: 'a' }, { id: 'b', task: 'c' }])).toMatchObject([
      { id: 'row-1' },
      { id: 'b' },
    ])
  })

  test.each([
    ['no array', '{"task": "a"}', null, 'must hold an array of objects.'],
    ['no JSON', '[\n{"task": a}]', null, 'line 2, column 10'],
    ['no object', '[{"task": "a"}, 5]', '[1]', 'must be an object (got 5).'],
  ])('%s', async (_, content, field, problem) => {
    await expect(itemsOf('x.json', content)).rejects.toMatchObject({
      details: { issues: [{ file: 'x.json', field, problem: expect.stringContaining(problem) }] },
    })
  })

  test('names a field by its place', async () => {
    const path = join(directoryWith({ 'x.json': [{ task: 5 }, { task: '' }, { task: 'x', tags: 5 }] }), 'x.json')
    expect(await validateDataset(path)).toMatchObject([{ field: '[1].task' }, { field: '[2].tags' }])
  })
})

test('many rows', async () => {
  const rows = Array.from({ length: 30_000 }, (_, index) => ({ task: `task ${index}`, expected: index, tags: ['a'] }))
  const dataset = await openDataset(join(directoryWith({ 'x.jsonl': lines(...rows) }), 'x.jsonl'))
  const hashes = new Set<string>()
  for await (const { hash } of dataset.items()) hashes.add(hash)
  expect(hashes.size).toBe(30_000)
  expect((await dataset.item('row-29999')).task).toBe('task 29998')
})
