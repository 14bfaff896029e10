import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Agent, fileContent, fileExists, type Judge, jury, pass } from '@jurist/core'
import { completed, runExperiment } from '@jurist/experiment'
import { dataset, openDataset } from '@jurist/experiment/dataset'
import { rejudge } from '@jurist/experiment/rejudge'
import { fileStore } from '@jurist/experiment/store'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { directoryWith, oneItem } from './dataset-directory.js'

const files = { 'README.md': '# Sums', 'src/deep/sum.js': 'export const sum = 0' }

/** The path of a file with one row. */
function row(values: object): string {
  const path = join(directoryWith({}), 'rows.jsonl')
  writeFileSync(path, JSON.stringify({ id: 'first', task: 'Say hello', ...values }))
  return path
}

const changing: Agent = async ({ workspace }) => {
  await workspace.write('src/deep/sum.js', `${await workspace.read('src/deep/sum.js')}.1`)
  return completed('done')
}

/** Passes when the files before are still those of the row. */
const keepsBefore: Judge = async ({ before, workspace }) => {
  expect(await before?.read('src/deep/sum.js')).toBe('export const sum = 0')
  expect(await workspace.read('src/deep/sum.js')).toBe('export const sum = 0.1')
  return pass('as before')
}

const rules = jury({ judges: { readme: fileExists('README.md'), keepsBefore } })

describe('the files of a row', () => {
  test('are what the agent begins with in each trial, and what judges see as before', async () => {
    const options = { name: 'files', dataset: row({ files }), agent: changing, jury: rules, repetitions: 2 }
    const { items, passRate } = await runExperiment(options).result
    expect(items.map(({ judged }) => judged)).toEqual(['pass', 'pass'])
    expect(passRate).toBe(1)
  })

  test('are kept with the trial, for judging it again', async () => {
    const store = fileStore(join(directoryWith({}), 'results'))
    const run = runExperiment({ name: 'files', dataset: row({ files }), agent: changing, jury: rules, store })
    await run.result
    const again = jury({ judges: { keepsBefore, sum: fileContent('src/deep/sum.js', { contains: '0.1' }) } })
    const judged = await rejudge(run.runId, again, { store }).result
    expect(judged.items.map(({ judged }) => judged)).toEqual(['pass'])
  })

  test('count for the hash as a directory with the same files does', async () => {
    const hashOf = async (path: string) => (await (await openDataset(path)).item('first')).hash
    const paths = Object.fromEntries(Object.entries(files).map(([path, text]) => [`items/first/before/${path}`, text]))
    const { 'items/first/before/a.txt': _, ...directory } = oneItem()
    expect(await hashOf(row({ files }))).toBe(await hashOf(directoryWith({ ...directory, ...paths })))
    expect(await hashOf(row({ files }))).not.toBe(await hashOf(row({ files: { ...files, 'README.md': '#' } })))
    const inline = dataset({ name: 'x', items: [{ id: 'first', task: 'Say hello', before: { type: 'files', files } }] })
    expect((await inline.item('first')).hash).toBe(await hashOf(row({ files })))
  })

  test.each([
    [{ '../a': '' }, '"../a" is not a path of a workspace.'],
    [{ '/etc/passwd': '' }, '"/etc/passwd" is not a path of a workspace.'],
    [{ 'a/.git/hooks/x': '' }, '"a/.git/hooks/x" is not a path of a workspace.'],
    [{ '': '' }, '"" is not a path of a workspace.'],
    [{ a: 3 }, '"a" must be a string (got 3).'],
    [{ 'a/b': '', './a/b': '' }, '"./a/b" occurs twice.'],
    [{ a: '', 'a/b/c': '' }, '"a/b/c" is below another file.'],
    [{ a: 'x'.repeat(256 * 1024), b: 'x' }, 'holds 257 KB; at most 256 are allowed.'],
    [Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`${n}`, ''])), 'holds 101 files; at most 100'],
  ])('cannot be %j', async (wrong, problem) => {
    await expect((await openDataset(row({ files: wrong }))).item('first')).rejects.toThrowError(
      `line 1, files: ${problem}`,
    )
    const before = { type: 'files', files: wrong as never } as const
    expect(() => dataset({ name: 'x', items: [{ task: 'x', before }] })).toThrowError(problem)
  })

  test('never leave the workspace, whatever their paths', async () => {
    const part = fc.constantFrom('a', 'b', '..', '.', '', '/', '\\', '.git', 'c.txt')
    const paths = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))
    const agent: Agent = async ({ workspace }) => {
      for await (const { path } of workspace.list()) expect(path.split('/')).not.toContain('..')
      return completed('done')
    }
    await fc.assert(
      fc.asyncProperty(fc.dictionary(paths, fc.string(), { maxKeys: 3 }), async (found) => {
        const run = { name: 'x', agent, dataset: row({ files: found }), jury: fileExists('x') }
        const item = await runExperiment(run).result.then(
          ({ items }) => items[0]?.agent,
          ({ code }) => code,
        )
        expect(['completed', 'dataset-invalid']).toContain(item)
      }),
      { numRuns: 40 },
    )
  })

  test('that are not an object are metadata, with a warning', async () => {
    const opened = await openDataset(row({ files: ['a.txt'] }))
    expect(await opened.item('first')).toMatchObject({ before: null, metadata: { files: ['a.txt'] } })
    expect(await opened.problems()).toMatchObject([
      { severity: 'warning', problem: expect.stringContaining('"files"') },
    ])
  })
})
