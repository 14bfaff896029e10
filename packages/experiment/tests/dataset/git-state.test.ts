import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { gitState, gitStateOf } from '../../src/dataset/git-state.js'

function put(root: string, path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

function repository(files: Readonly<Record<string, string>>): string {
  const root = realpathSync(mkdtempSync(join(inject('workingDirectory'), 'git-')))
  for (const [path, content] of Object.entries(files)) put(root, path, content)
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root })
  git('init', '--quiet')
  git('add', '.')
  git('-c', 'user.name=a', '-c', 'user.email=a@b.test', 'commit', '--quiet', '--message', 'x')
  return root
}

/** The state of some files, by what was asked of a directory; both ways of asking have to agree. */
async function stateBy(asked: string, directory: string, path: string) {
  const state = await gitStateOf({ directory, path }, { directory: asked, state: gitState(asked) })
  expect(state).toEqual(await gitState(directory, [path]))
  return state
}

describe('what git says of the files of a dataset', () => {
  test('follows from what it says of the project around them', async () => {
    const root = repository({ 'data/rows.jsonl': '{}', 'data/rows.jsonl.md': 'x', 'src/a.ts': 'x' })
    expect(await stateBy(root, join(root, 'data'), 'rows.jsonl')).toMatchObject({ dirty: false })
    put(root, 'src/a.ts', 'changed')
    put(root, 'data/rows.jsonl.md', 'changed')
    expect(await stateBy(root, join(root, 'data'), 'rows.jsonl')).toMatchObject({ dirty: false })
    expect(await stateBy(root, join(root, 'data'), '.')).toMatchObject({ dirtyFiles: ['data/rows.jsonl.md'] })
    put(root, 'data/new.jsonl', '{}')
    expect(await stateBy(root, join(root, 'data'), 'new.jsonl')).toMatchObject({ dirtyFiles: ['data/new.jsonl'] })
    expect(await stateBy(root, root, '.')).toMatchObject({ dirtyFiles: expect.arrayContaining(['src/a.ts']) })
  })

  test('does not where the project is elsewhere, or another repository', async () => {
    const root = repository({ 'data/rows.jsonl': '{}', 'src/a.ts': 'x' })
    put(root, 'data/rows.jsonl', 'changed')
    expect(await stateBy(join(root, 'src'), join(root, 'data'), 'rows.jsonl')).toMatchObject({ dirty: true })
    const other = repository({ 'a.ts': 'x' })
    expect(await stateBy(other, join(root, 'data'), 'rows.jsonl')).toMatchObject({ dirty: true })
    const inner = join(root, 'vendor')
    mkdirSync(inner)
    execFileSync('git', ['init', '--quiet'], { cwd: inner })
    put(inner, 'rows.jsonl', '{}')
    expect(await stateBy(root, inner, 'rows.jsonl')).toMatchObject({ gitCommit: null, dirty: true })
  })

  test('is found through a link to the project', async () => {
    const root = repository({ 'data/rows.jsonl': '{}' })
    const link = `${root}-link`
    symlinkSync(root, link)
    put(root, 'data/rows.jsonl', 'changed')
    expect(await stateBy(root, join(link, 'data'), 'rows.jsonl')).toMatchObject({ dirty: true })
    expect(await stateBy(link, join(root, 'data'), 'rows.jsonl')).toMatchObject({ dirty: true })
  })

  test('passes by a directory that is only called .git, as git does', async () => {
    const root = repository({ 'data/rows.jsonl': '{}' })
    mkdirSync(join(root, 'data/.git'))
    put(root, 'data/rows.jsonl', 'changed')
    expect(await stateBy(root, join(root, 'data'), 'rows.jsonl')).toMatchObject({ dirty: true })
  })

  test('is asked without the programs of its config', async () => {
    const root = repository({ 'a.txt': 'x', '.gitattributes': '* filter=x' })
    const mark = `${root}-mark`
    execFileSync('git', ['config', 'filter.x.clean', `sh -c 'echo ran > ${mark}; cat'`], { cwd: root })
    put(root, 'a.txt', 'changed')
    expect(await gitState(root)).toMatchObject({ dirtyFiles: ['a.txt'] })
    expect(existsSync(mark)).toBe(false)
  })

  test('is nothing outside of git, and for a directory that is not there', async () => {
    const outside = mkdtempSync(join(inject('workingDirectory'), 'no-git-'))
    expect(await gitState(outside)).toEqual({ gitCommit: null, dirty: false, dirtyFiles: [] })
    expect(await gitStateOf({ directory: join(outside, 'absent'), path: '.' })).toMatchObject({ gitCommit: null })
  })
})
