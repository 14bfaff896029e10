import { type Judgment, runJudge } from '@jurist/core'
import { expect, test } from 'vitest'
import { matchesReference } from '../../src/files/index.js'
import { type TemporaryFile, temporaryWorkspace } from '../../src/testing/temporary-workspace.js'

type Files = { readonly [path: string]: TemporaryFile }

async function judged(
  expected: Files,
  found: Files,
  options?: Parameters<typeof matchesReference>[0],
): Promise<Judgment> {
  await using reference = await temporaryWorkspace(expected)
  await using workspace = await temporaryWorkspace(found)
  return await runJudge(matchesReference(options), { reference, workspace })
}

function failures({ checks = [] }: Judgment): readonly string[] {
  return checks.filter(({ passed }) => !passed).map(({ name, message }) => `${name}: ${message}`)
}

test('"only" chooses files in the syntax of gitignore, on both sides', async () => {
  const files = { 'src/a.txt': 'x', 'src/b.log': 'x', 'doc/a.txt': 'x' }
  const judgment = await judged(
    files,
    { 'src/c.txt': 'x', 'doc/z.txt': 'x' },
    { only: ['src/*', '!*.log'], extra: 'forbid' },
  )
  expect(failures(judgment)).toEqual(['src/a.txt: missing', 'src/c.txt: not in the reference'])
  expect(judgment.metadata).toMatchObject({ totalFiles: 1, extra: ['src/c.txt'] })
})

test('the executable bit counts when it is asked for', async () => {
  const files = { a: { executable: '#!/bin/sh\n' }, b: 'x' }
  expect((await judged(files, { a: '#!/bin/sh\n', b: 'x' })).status).toBe('pass')
  const judgment = await judged(files, { a: '#!/bin/sh\n', b: { executable: 'x' } }, { executable: 'compare' })
  expect(failures(judgment)).toEqual(['a: is not executable', 'b: is executable'])
})

test('rules of a comparison reach the files of a tree', async () => {
  const [one, other] = [{ 'a.xml': '<a><b>x  y</b></a>' }, { 'a.xml': '<a><b> x y</b></a>' }]
  expect((await judged(one, other)).status).toBe('fail')
  expect((await judged(one, other, { textSpace: 'collapse' })).status).toBe('pass')
  expect((await judged(one, other, { textSpace: 'collapse', maxFileBytes: 1 })).status).toBe('fail')
})

test('the first glob that matches gives the language; one without a slash looks at the name', async () => {
  const languages = { 'strict/**': 'bytes', '*.dat': 'json' } as const
  const judgment = await judged(
    { 'strict/a.dat': '[1]', 'x/a.dat': '[1]' },
    { 'strict/a.dat': '[ 1 ]', 'x/a.dat': '[ 1 ]' },
    { languages },
  )
  expect(failures(judgment)).toEqual(['strict/a.dat: differs at byte 1'])
})

test('files come in the order of their paths, with the place of the first difference', async () => {
  const judgment = await judged(
    { 'b.json': '{"a":{"b":1}}', 'a-b': 'x', 'a/c': 'x' },
    { 'b.json': '\n{"a":\n{}}', 'a-b': 'x' },
  )
  expect(judgment.checks).toEqual([
    { name: 'a-b', passed: true, message: 'identical', location: { path: 'a-b' } },
    { name: 'a/c', passed: false, message: 'missing', location: { path: 'a/c' } },
    {
      name: 'b.json',
      passed: false,
      message: '/a/b missing (reference line 1)',
      location: { path: 'b.json', line: 3 },
    },
  ])
  expect(judgment.metadata).toMatchObject({
    missing: ['a/c'],
    files: [{ path: 'b.json', differences: [{ line: null }] }],
  })
})

test('a file with many differences is reported truncated, and those after it are reported too', async () => {
  const long = 'k'.repeat(70_000)
  const many = JSON.stringify(Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`${long}${at}`, at])))
  const judgment = await judged({ 'a.json': many, 'b.json': '{"x":1}' }, { 'a.json': '{}', 'b.json': '{"x":2}' })
  const { files, omitted } = judgment.metadata as { files: { path: string; differences: unknown[] }[]; omitted: number }
  expect(files.map(({ path }) => path)).toEqual(['a.json', 'b.json'])
  expect(files[0]).toMatchObject({ omittedDifferences: 40 - (files[0]?.differences.length ?? 0) })
  expect(files[0]?.differences.length).toBeGreaterThan(0)
  expect(omitted).toBeUndefined()
  expect(JSON.stringify(judgment.metadata).length).toBeLessThan(64 * 1024)
})

test('what has no room is counted and takes none from those behind it', async () => {
  const key = (at: number) => `${'k'.repeat(900)}${at}`
  const large = JSON.stringify(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [key(at), at])))
  const names = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}.json`)
  const expected = { ...Object.fromEntries(names.map((name) => [name, large])), 'z.json': '1' }
  const judgment = await judged(expected, { ...Object.fromEntries(names.map((name) => [name, '{}'])), 'z.json': '2' })
  const { files, omitted } = judgment.metadata as { files: { path: string }[]; omitted: number }
  expect(files.at(-1)?.path).toBe('z.json')
  expect(files.length + omitted).toBe(6)
  expect(omitted).toBeGreaterThan(0)
})

test('an abort ends it', async () => {
  await using reference = await temporaryWorkspace({ a: 'x' })
  const signal = AbortSignal.abort(new Error('enough'))
  const judgment = await runJudge(matchesReference(), { reference, workspace: reference, signal })
  expect(judgment).toMatchObject({ status: 'error', failure: { code: 'aborted' } })
})
