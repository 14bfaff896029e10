import { createHash } from 'node:crypto'
import { chmodSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { memoryWorkspace } from '@jurist/core/testing'
import { dataset } from '@jurist/experiment/dataset'
import { emptyDirectory } from '@jurist/workspace'
import { expect, test } from 'vitest'
import { type Knowledge, prepareKnowledge, unknownKnowledgeRefs } from '../../src/provision/knowledge.js'
import { directoryWith, put } from '../dataset/dataset-directory.js'

const files = { 'index.md': '# All', 'a.md': 'A', 'deep/b.md': 'B', 'deep/c.txt': 'C', '.git/HEAD': 'x' }

async function placed(knowledge: Omit<Knowledge, 'directory'>) {
  const workspace = memoryWorkspace({ 'own.txt': 'x' })
  const prepared = await prepareKnowledge({ directory: directoryWith(files), ...knowledge })
  await prepared.placeIn(workspace)
  const paths: string[] = []
  for await (const { path, type } of workspace.list()) if (type === 'file' && path !== 'own.txt') paths.push(path)
  return paths
}

test('the whole tree by default, and when index.md is named', async () => {
  const all = ['knowledge/a.md', 'knowledge/deep/b.md', 'knowledge/deep/c.txt', 'knowledge/index.md']
  expect(await placed({})).toEqual(all)
  expect(await placed({ files: ['a.md', 'index.md'] })).toEqual(all)
})

test('only the files that are named, where they are wanted', async () => {
  expect(await placed({ files: ['deep/b.md', './a.md'], into: 'docs/help' })).toEqual([
    'docs/help/a.md',
    'docs/help/deep/b.md',
  ])
})

test('exclude has the syntax of .gitignore', async () => {
  expect(await placed({ exclude: ['*.md', '!index.md'] })).toEqual(['knowledge/deep/c.txt', 'knowledge/index.md'])
})

test('the manifest measures every file', async () => {
  const { manifest } = await prepareKnowledge({ directory: directoryWith(files), files: ['a.md'], exclude: ['x'] })
  expect(manifest).toMatchObject({
    gitCommit: null,
    dirty: false,
    exclude: ['x'],
    files: [{ path: 'a.md', bytes: 1, sha256: createHash('sha256').update('A').digest('hex') }],
  })
  expect(manifest.takenAt).toMatch(/^\d{4}-.*Z$/)
})

test('a script stays executable, and a file does not become one', async () => {
  const directory = directoryWith({ 'run.sh': 'exit 0', 'a.md': 'A' })
  chmodSync(join(directory, 'run.sh'), 0o750)
  await using workspace = await emptyDirectory()
  await (await prepareKnowledge({ directory, into: '.claude/skills/x' })).placeIn(workspace)
  const executable = (path: string) => statSync(join(workspace.root ?? '', '.claude/skills/x', path)).mode & 0o111
  expect([executable('run.sh'), executable('a.md')]).toEqual([0o110, 0])
})

test('bad entries are named together', async () => {
  const directory = directoryWith(files)
  symlinkSync('/etc/hostname', join(directory, 'out.md'))
  const named = ['../x', '/etc/hostname', 'out.md', 'none.md', 'deep', 'a.md']
  await expect(prepareKnowledge({ directory, files: named })).rejects.toMatchObject({
    code: 'experiment-invalid',
    details: {
      issues: [0, 1, 2, 3, 4].map((index) => ({ field: `knowledge.files[${index}]` })),
    },
  })
  await expect(prepareKnowledge({ directory })).rejects.toMatchObject({ code: 'experiment-invalid' })
  await expect(prepareKnowledge({ directory: join(directory, 'none') })).rejects.toMatchObject({
    details: { issues: [{ field: 'knowledge.directory' }] },
  })
})

test('a file that changed during the run is refused', async () => {
  const directory = directoryWith(files)
  const prepared = await prepareKnowledge({ directory })
  put(directory, 'a.md', 'changed')
  await expect(prepared.placeIn(memoryWorkspace())).rejects.toMatchObject({ code: 'provision-failed' })
})

test('references that nothing answers to are warnings', async () => {
  const { manifest } = await prepareKnowledge({ directory: directoryWith(files) })
  const item = await dataset({ name: 'x', items: [{ id: 'a', task: 't', knowledgeRefs: ['a.md', 'z.md'] }] }).item('a')
  expect(unknownKnowledgeRefs(item, manifest)).toMatchObject([
    { item: 'a', field: 'knowledgeRefs', severity: 'warning' },
  ])
})
