import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dataset, openDataset } from '@jurist/experiment/dataset'
import { validateDataset } from '@jurist/experiment/internal'
import { describe, expect, test } from 'vitest'
import { directoryWith, manifestOf, oneItem, put } from './dataset-directory.js'

async function problemsOf(files: Readonly<Record<string, unknown>>) {
  return validateDataset(directoryWith(files))
}

const onlyItem = async (files: Readonly<Record<string, unknown>>) =>
  (await openDataset(directoryWith(files))).item('first')

describe('a directory dataset', () => {
  test('has the defaults of the manifest', async () => {
    const directory = directoryWith(oneItem())
    const dataset = await openDataset(directory)
    expect(dataset).toMatchObject({ name: 'tasks', version: '1.0.0', description: '', metadata: {}, directory })
    expect(dataset.entries).toEqual([
      { id: 'first', slug: 'first', path: 'items/first', bucket: '', taskType: '', status: 'active', metadata: {} },
    ])
    expect(await dataset.problems()).toEqual([])
  })

  test('gives an item with all it needs, frozen', async () => {
    const directory = directoryWith({
      ...oneItem({
        tags: ['simple'],
        knowledgeRefs: ['a.md'],
        expectedOutput: 'Hello',
        referenceData: ['source'],
        metadata: { label: 'pass', shared: 2 },
      }),
      'items/first/reference/a.txt': 'bye',
    })
    put(directory, 'dataset.json', manifestOf({ id: 'first', path: 'items/first', metadata: { shared: 1, own: true } }))
    const item = await (await openDataset(directory)).item('first')
    expect(item).toMatchObject({
      task: 'Say hello',
      noChange: false,
      tags: ['simple'],
      knowledgeRefs: ['a.md'],
      expectedOutput: { type: 'text', text: 'Hello' },
      referenceData: ['source'],
      metadata: { label: 'pass', shared: 2, own: true },
      before: { type: 'directory', path: join(directory, 'items/first/before') },
      reference: { type: 'directory', path: join(directory, 'items/first/reference') },
    })
    expect(item.hash).toMatch(/^[0-9a-f]{64}$/)
    for (const part of [item, item.tags, item.metadata, item.before, item.expectedOutput])
      expect(Object.isFrozen(part)).toBe(true)
  })

  test('reads recipe as taskType by default', async () => {
    const directory = directoryWith(oneItem({}, { recipe: 'rename' }))
    expect((await openDataset(directory)).entries[0]?.taskType).toBe('rename')
    expect((await openDataset(directory, { allowLegacyRecipe: false })).entries[0]?.taskType).toBe('')
  })

  test('where nothing is to be changed, before is the reference', async () => {
    const item = await onlyItem(oneItem({ noChange: true }))
    expect(item.reference).toEqual(item.before)
    expect((await onlyItem(oneItem())).reference).toBeNull()
  })

  test('takes a git ref before a directory, and finds its repository from the dataset', async () => {
    const beforeRef = { repoPath: 'repositories/one', commitHash: 'abcdef12', subDirectory: 'src' }
    const directory = directoryWith(
      oneItem({ beforeRef, referenceRef: { ...beforeRef, repoPath: 'https://x.test/y' } }),
    )
    const item = await (await openDataset(directory)).item('first')
    expect(item.before).toEqual({
      type: 'git',
      repoPath: join(directory, 'repositories/one'),
      commitHash: 'abcdef12',
      subDirectory: 'src',
    })
    expect(item.reference).toMatchObject({ repoPath: 'https://x.test/y' })
  })

  test('needs no before when metadata.workspace is "none"', async () => {
    const files = oneItem({ metadata: { workspace: 'none' } })
    delete files['items/first/before/a.txt']
    expect((await onlyItem(files)).before).toBeNull()
  })

  test('reads an item once', async () => {
    const directory = directoryWith(oneItem())
    const dataset = await openDataset(directory)
    const first = await dataset.item('first')
    put(directory, 'items/first/item.json', { developerTask: 'Another' })
    expect(await dataset.item('first')).toEqual(first)
  })

  test('does not read what the manifest leaves out', async () => {
    const directory = directoryWith({
      ...oneItem(),
      'dataset.json': manifestOf(
        { id: 'first', path: 'items/first' },
        { id: 'broken', path: 'items/broken', status: 'disabled' },
      ),
    })
    const dataset = await openDataset(directory)
    expect(await dataset.problems()).toEqual([])
    expect(await dataset.problems({ status: 'any' })).toMatchObject([{ file: 'items/broken/item.json' }])
    await expect(dataset.item('broken')).rejects.toMatchObject({ code: 'dataset-invalid' })
  })

  test('an unknown id is reported with the nearest one', async () => {
    const dataset = await openDataset(directoryWith(oneItem()))
    await expect(dataset.item('frist')).rejects.toMatchObject({
      code: 'item-unknown',
      details: { id: 'frist', known: ['first'] },
      message: expect.stringContaining('Nearest: first.'),
    })
  })

  test('opens by its manifest too', async () => {
    const directory = directoryWith(oneItem())
    expect((await openDataset(join(directory, 'dataset.json'))).directory).toBe(directory)
  })
})

describe('hashes', () => {
  const hashOf = async (files: Readonly<Record<string, unknown>>) => (await onlyItem(files)).hash

  test('are equal for equal tasks, wherever they are', async () => {
    expect(await hashOf(oneItem())).toBe(await hashOf(oneItem({}, { slug: 'other', bucket: 'B' })))
  })

  test.each([
    ['the task', oneItem({ developerTask: 'Say bye' })],
    ['tags', oneItem({ tags: ['x'] })],
    ['metadata', oneItem({ metadata: { a: 1 } })],
    ['noChange', oneItem({ noChange: true })],
    ['the content of a file', { ...oneItem(), 'items/first/before/a.txt': 'hellO' }],
    ['the name of a file', { ...oneItem(), 'items/first/before/b.txt': 'hello' }],
    ['a reference', { ...oneItem(), 'items/first/reference/a.txt': 'hello' }],
  ])('differ by %s', async (_, files) => {
    expect(await hashOf(files)).not.toBe(await hashOf(oneItem()))
  })

  test('do not see .git', async () => {
    expect(await hashOf({ ...oneItem(), 'items/first/before/.git/HEAD': 'x' })).toBe(await hashOf(oneItem()))
  })

  test('of the selection do not depend on the order of items', async () => {
    const a = { id: 'first', path: 'items/first' }
    const b = { id: 'second', path: 'items/second' }
    const files = { ...oneItem(), 'items/second/item.json': { developerTask: 'x' }, 'items/second/before/x': '' }
    const one = await openDataset(directoryWith({ ...files, 'dataset.json': manifestOf(a, b) }))
    const other = await openDataset(directoryWith({ ...files, 'dataset.json': manifestOf(b, a) }))
    expect((await one.describe()).hash).toBe((await other.describe()).hash)
    expect((await one.describe({ id: 'first' })).hash).not.toBe((await one.describe()).hash)
    expect(await one.describe({ id: 'first' })).toMatchObject({ activeItemCount: 2, selectedItemCount: 1 })
  })
})

describe('describe and git', () => {
  test('outside git nothing is known', async () => {
    const dataset = await openDataset(directoryWith(oneItem()))
    expect(await dataset.describe()).toMatchObject({ gitCommit: null, dirty: false })
  })

  test('names the commit, and changes of the dataset alone', async () => {
    const repository = directoryWith({ outside: 'x' })
    for (const [path, content] of Object.entries(oneItem())) put(repository, `tasks/${path}`, content)
    const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: repository, encoding: 'utf8' }).trim()
    git('init', '--quiet')
    git('add', '.')
    git('-c', 'user.name=a', '-c', 'user.email=a@b.test', 'commit', '--quiet', '--message', 'x')
    const dataset = await openDataset(join(repository, 'tasks'))
    put(repository, 'outside', 'changed')
    expect(await dataset.describe()).toMatchObject({ gitCommit: git('rev-parse', 'HEAD'), dirty: false })
    put(repository, 'tasks/items/first/new file', 'x')
    expect(await dataset.describe()).toMatchObject({ dirty: true })
  })
})

describe('problems', () => {
  test('are all reported together, by validation', async () => {
    const problems = await problemsOf({
      'dataset.json': manifestOf(
        { id: 'ITEM-001', path: 'items/ITEM-001' },
        { id: 'ITEM-002', path: 'items/ITEM-002' },
        { id: 'ITEM-006', path: 'items/ITEM-006' },
        { id: 'ITEM-004', path: 'items/ITEM-004', status: 'archived' },
        { id: 'ITEM-002', path: 'items/ITEM-003' },
        { id: 'ITEM-005', path: '../shared/x' },
      ),
      'items/ITEM-001/item.json': { developerTask: 'x' },
      'items/ITEM-001/before/x': '',
      'items/ITEM-002/item.json': { developerTask: 'x' },
      'items/ITEM-002/before/x': '',
      'items/ITEM-003/item.json': { developerTask: 'x' },
      'items/ITEM-003/before/x': '',
      'items/ITEM-004/item.json': {
        developerTask: ' ',
        beforeRef: { repoPath: 'https://x.test/y', commitHash: 'HEAD' },
      },
      'items/ITEM-006/item.json': { developerTask: 'x' },
    })
    const errors = problems.filter(({ severity }) => severity === 'error')
    expect(errors.map(({ file, field, problem }) => `${file} ${field} ${problem}`)).toEqual([
      'dataset.json items[3].status must be "active", "disabled" or "deprecated" (got "archived").',
      'dataset.json items[4].id "ITEM-002" is used twice (items[1]).',
      'dataset.json items[5].path "../shared/x" leaves the dataset.',
      'items/ITEM-004/item.json beforeRef.commitHash must be lowercase hex digits (got "HEAD").',
      'items/ITEM-004/item.json developerTask is blank.',
      'items/ITEM-006 before/ is missing.',
    ])
    expect(errors.every(({ remedy }) => remedy.endsWith('.'))).toBe(true)
  })

  test('of the manifest keep it from being opened, together', async () => {
    const directory = directoryWith({ 'dataset.json': { schemaVersion: 2, name: ' ', items: [{ path: '/x' }, 5] } })
    await expect(openDataset(directory)).rejects.toMatchObject({
      code: 'dataset-invalid',
      details: {
        path: directory,
        issues: [
          { field: 'items[0].id', problem: 'is missing.' },
          { field: 'items[0].path', problem: '"/x" leaves the dataset.' },
          { field: 'items[1]', problem: 'must be an object (got 5).' },
          { field: 'name', problem: 'is blank.' },
          { field: 'schemaVersion', problem: 'must be the number 1 (got 2).' },
          { field: 'version', problem: 'is missing.' },
        ],
      },
    })
  })

  test.each([
    ['nothing there', undefined, 'is missing.'],
    ['no JSON', '{"schemaVersion": 1,\n "name" "x"}', 'line 2, column 9: expected ":" but found "\\""'],
    ['no object', '[1]', 'must be an object (got an array).'],
    ['no schema version', '{"name": "a", "version": "1", "items": []}', 'is missing.'],
  ])('a manifest with %s', async (_, text, problem) => {
    const directory = directoryWith(text === undefined ? {} : { 'dataset.json': text })
    await expect(openDataset(directory)).rejects.toMatchObject({
      code: 'dataset-invalid',
      details: {
        issues: expect.arrayContaining([
          expect.objectContaining({ file: 'dataset.json', problem: expect.stringContaining(problem) }),
        ]),
      },
    })
  })

  test.each(['nowhere', 'dataset.toml'])('%s is not a dataset', async (name) => {
    const directory = directoryWith({ 'dataset.toml': '' })
    await expect(openDataset(join(directory, name))).rejects.toMatchObject({ code: 'dataset-invalid' })
  })

  test.each([
    ['a slug that differs in case only', { slug: 'FIRST' }, 'items[1].slug'],
    ['a path written otherwise', { path: './items//first' }, 'items[1].path'],
    ['an id', { id: 'first' }, 'items[1].id'],
  ])('%s that is used twice', async (_, second, field) => {
    const problems = await problemsOf({
      ...oneItem(),
      'dataset.json': manifestOf(
        { id: 'first', path: 'items/first' },
        { id: 'second', path: 'items/second', ...second },
      ),
    })
    expect(problems.filter(({ file }) => file === 'dataset.json')).toMatchObject([
      { field, problem: expect.stringContaining('twice (items[0])') },
    ])
  })

  test.each([
    ['..', 'means a directory'],
    ['a/b', 'contains a slash'],
    ['a\u0007', 'contains a control character'],
    ['a'.repeat(129), 'is longer than 128'],
  ])('the id %j', async (id, problem) => {
    const problems = await problemsOf(oneItem({}, { id }))
    expect(problems).toMatchObject([{ field: 'items[0].id', problem: expect.stringContaining(problem) }])
  })

  test.each([
    ['a ref that is not an object', { beforeRef: 'abc' }, 'beforeRef', 'must be an object'],
    [
      'an upper-case hash',
      { beforeRef: { repoPath: 'r', commitHash: 'ABCDEF' } },
      'beforeRef.commitHash',
      'must be lowercase hex',
    ],
    [
      'a repository elsewhere',
      { beforeRef: { repoPath: '/r', commitHash: 'abcdef' } },
      'beforeRef.repoPath',
      'is absolute',
    ],
    [
      'a subdirectory elsewhere',
      { beforeRef: { repoPath: 'r', commitHash: 'abcdef', subDirectory: '../x' } },
      'beforeRef.subDirectory',
      'leaves the repository',
    ],
    ['tags that are no list', { tags: 'simple' }, 'tags', 'must be an array of strings (got "simple")'],
    ['a number among tags', { tags: ['a', 1] }, 'tags[1]', 'must be a string (got 1)'],
    ['noChange as text', { noChange: 'yes' }, 'noChange', 'must be true or false'],
    ['an output of no type', { expectedOutput: { text: 'x' } }, 'expectedOutput.type', ''],
    ['a later schema', { schemaVersion: 2 }, 'schemaVersion', 'must be the number 1'],
  ])('an item with %s', async (_, item, field, problem) => {
    expect(await problemsOf(oneItem(item))).toMatchObject([
      { file: 'items/first/item.json', item: 'first', field, problem: expect.stringContaining(problem) },
    ])
  })

  test('item.json that is not JSON, with the place', async () => {
    const problems = await problemsOf({ ...oneItem(), 'items/first/item.json': '{\n  "developerTask": tru\n}' })
    expect(problems).toMatchObject([{ problem: expect.stringContaining('line 2, column 20') }])
  })

  test('before that is a file', async () => {
    const files = oneItem()
    delete files['items/first/before/a.txt']
    expect(await problemsOf({ ...files, 'items/first/before': 'x' })).toMatchObject([
      { field: 'before/', problem: 'is not a directory.' },
    ])
  })

  test.skipIf(process.platform !== 'linux')(
    'before with a name that is not UTF-8 (needs names of any bytes)',
    async () => {
      const directory = directoryWith(oneItem())
      writeFileSync(Buffer.from(`${directory}/items/first/before/bad-\xff-utf`, 'latin1'), 'x')
      const problem = {
        file: 'items/first/before/bad-\\xff-utf',
        problem: 'has a name that is not UTF-8.',
        severity: 'error',
      }
      expect(await validateDataset(directory)).toMatchObject([problem])
      await expect((await openDataset(directory)).item('first')).rejects.toMatchObject({ code: 'dataset-invalid' })
      const inline = dataset({
        name: 'x',
        items: [{ id: 'a', task: 'x', before: { type: 'directory', path: join(directory, 'items/first/before') } }],
      })
      expect(await inline.problems()).toMatchObject([{ problem: problem.problem, severity: 'error' }])
    },
  )

  test.each(['items/first', 'items/first/item.json', 'items/first/before'])('%s as a link out', async (path) => {
    const outside = directoryWith({ 'item.json': { developerTask: 'x' }, 'before/x': '' })
    const directory = directoryWith(oneItem())
    rmSync(join(directory, path), { recursive: true })
    mkdirSync(join(directory, 'items'), { recursive: true })
    symlinkSync(
      path === 'items/first' ? outside : join(outside, path.slice('items/first/'.length)),
      join(directory, path),
    )
    expect((await validateDataset(directory))[0]).toMatchObject({
      severity: 'error',
      problem: expect.stringContaining('through a link'),
    })
  })

  test('warnings: disagreement, spaces around a tag, nothing selected', async () => {
    const dataset = await openDataset(directoryWith(oneItem({ bucket: 'B', tags: [' x'] }, { bucket: 'A' })))
    expect(await dataset.problems()).toMatchObject([
      { severity: 'warning', field: 'bucket', problem: 'is "B" here and "A" in dataset.json, which wins.' },
      { severity: 'warning', field: 'tags', problem: 'the tag " x" has spaces around it.' },
    ])
    expect((await dataset.item('first')).bucket).toBe('A')
    expect(await dataset.problems({ id: 'none' })).toMatchObject([{ severity: 'warning', item: null }])
  })

  test('an item that turns out not to be selected has warnings only', async () => {
    const dataset = await openDataset(directoryWith(oneItem({ tags: [' a'] })))
    expect(await dataset.problems({ tags: ['b'] })).toMatchObject([
      { severity: 'warning', problem: expect.stringContaining('is selected') },
      { severity: 'warning', field: 'tags' },
    ])
  })

  test('options that are unknown or wrong', async () => {
    const directory = directoryWith(oneItem())
    await expect(openDataset(directory, { columns: { colour: 'x' } as never })).rejects.toMatchObject({
      code: 'option-invalid',
    })
    await expect(openDataset(directory, { signal: AbortSignal.abort(new Error('stop')) })).rejects.toThrow('stop')
  })
})

test('what dataset.json leaves out is what the item says, also where items are selected', async () => {
  const root = directoryWith({
    'dataset.json': {
      ...{ schemaVersion: 1, name: 'd', version: '1' },
      items: [
        { id: 'a', path: 'items/a' },
        { id: 'b', path: 'items/b', bucket: 'easy' },
      ],
    },
    'items/a/item.json': { developerTask: 'x', bucket: 'hard', status: 'disabled', slug: 'own' },
    'items/b/item.json': { developerTask: 'x', bucket: 'hard' },
    'items/a/before/x': '',
    'items/b/before/x': '',
  })
  const dataset = await openDataset(root)
  expect(dataset.entries).toMatchObject([
    { id: 'a', bucket: 'hard', status: 'disabled', slug: 'own' },
    { id: 'b', bucket: 'easy', status: 'active', slug: 'b' },
  ])
  expect((await dataset.problems({ status: 'any' })).map(({ item, problem }) => [item, problem])).toEqual([
    ['b', 'is "hard" here and "easy" in dataset.json, which wins.'],
  ])
})
