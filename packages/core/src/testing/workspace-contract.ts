import type { Workspace, WorkspaceEntry } from '../workspace.js'
import { expectCode, expectSame, expectThat, type TestHarness } from './contracts.js'

/** The workspaces that the contract is tested on. */
export interface WorkspaceContractSetup {
  /** Opens a new workspace with these files; `name/` with an empty string is an empty directory. */
  readonly open: (files: { readonly [path: string]: string | Uint8Array }) => Promise<Workspace>
  /** Whether commands can be run. Default false. */
  readonly canRun?: boolean
}

/**
 * Tests that a workspace keeps the contract of workspaces: paths are normalised and contained, listings are ordered,
 * text is strict UTF-8, reads are limited, and (with `canRun`) commands end in a result.
 *
 * @example
 * import { memoryWorkspace, workspaceContract } from '@jurist/core/testing'
 * import { describe, test } from 'vitest'
 *
 * workspaceContract({ describe, test }, 'memory', { open: async (files) => memoryWorkspace(files) })
 */
export function workspaceContract(harness: TestHarness, name: string, setup: WorkspaceContractSetup): void {
  harness.describe(`${name} keeps the workspace contract`, () => {
    pathTests(harness, setup)
    readTests(harness, setup)
    listTests(harness, setup)
    if (setup.canRun === true) runTests(harness, setup)
  })
}

async function allOf(entries: AsyncIterable<WorkspaceEntry>): Promise<readonly WorkspaceEntry[]> {
  const all: WorkspaceEntry[] = []
  for await (const entry of entries) all.push(entry)
  return all
}

const bytes = (...values: readonly number[]) => Uint8Array.from(values)

function pathTests({ test }: TestHarness, { open }: WorkspaceContractSetup): void {
  test('paths are normalised', async () => {
    const workspace = await open({ 'a/b/c': 'x' })
    expectSame(await workspace.read('a/./b//c'), 'x', 'text')
    expectSame(await workspace.exists('.'), true, 'the root exists')
    expectSame(await workspace.exists('a/b/'), true, 'a directory with a slash')
  })
  test('what leads out is refused', async () => {
    const workspace = await open({ 'a/b': 'x' })
    for (const path of ['/etc/passwd', '..', '../x', 'a/../a/b', 'C:/x', 'C:x', '\\\\host\\share'])
      for (const call of [workspace.exists, workspace.isFile, workspace.read, workspace.readBytes])
        await expectCode(() => call(path), 'path-escape')
    await expectCode(() => allOf(workspace.list({ under: '../x' })), 'path-escape')
  })
  test('what is not a path is refused', async () => {
    const workspace = await open({ a: 'x' })
    for (const path of ['', '  ', 'a\0b', 'a\\b']) await expectCode(() => workspace.exists(path), 'path-invalid')
    for (const path of ['', 'a/', 'a\0', '.']) await expectCode(() => workspace.read(path), 'path-invalid')
  })
  test('files and directories are distinguished', async () => {
    const workspace = await open({ 'a/b': 'x', 'empty/': '' })
    const answers = [
      workspace.isFile('a/b'),
      workspace.isFile('a'),
      workspace.exists('empty'),
      workspace.exists('none'),
    ]
    expectSame(await Promise.all(answers), [true, false, true, false], 'answers')
  })
}

function readTests({ test }: TestHarness, { open }: WorkspaceContractSetup): void {
  test('a byte order mark is removed from text, not from bytes', async () => {
    const workspace = await open({ a: bytes(0xef, 0xbb, 0xbf, 0x68, 0x69) })
    expectSame(await workspace.read('a'), 'hi', 'text')
    expectSame((await workspace.readBytes('a')).length, 5, 'bytes')
  })
  test('bad reads say why', async () => {
    const workspace = await open({ 'd/': '', nul: bytes(0x61, 0), bad: bytes(0xff, 0xfe), 'long.txt': '12345' })
    await expectCode(() => workspace.read('none'), 'not-found')
    await expectCode(() => workspace.read('d'), 'not-a-file')
    await expectCode(() => workspace.read('nul'), 'not-text')
    await expectCode(() => workspace.read('bad'), 'not-text')
    await expectCode(() => workspace.read('long.txt', { maxBytes: 4 }), 'too-large')
    expectSame(await workspace.read('long.txt', { maxBytes: 5 }), '12345', 'text')
  })
}

function listTests({ test }: TestHarness, { open }: WorkspaceContractSetup): void {
  const files = { 'b/2': 'xx', 'b/10': 'x', 'a.txt': 'abc', 'B/x': '', 'empty/': '' }
  test('entries are ordered by code units, with types and sizes', async () => {
    const entries = await allOf((await open(files)).list())
    const expected = ['B', 'B/x', 'a.txt', 'b', 'b/10', 'b/2', 'empty']
    expectSame(
      entries.map(({ path }) => path),
      expected,
      'paths',
    )
    expectSame(
      entries.find(({ path }) => path === 'a.txt'),
      { path: 'a.txt', type: 'file', sizeBytes: 3 },
      'a file',
    )
    expectSame(entries.find(({ path }) => path === 'b')?.type, 'directory', 'a directory')
  })
  test('"under" narrows, and paths stay whole', async () => {
    const workspace = await open(files)
    const paths = (await allOf(workspace.list({ under: 'b' }))).map(({ path }) => path)
    expectSame(paths, ['b/10', 'b/2'], 'paths')
    expectSame(await allOf(workspace.list({ under: 'none' })), [], 'entries of what is missing')
  })
  test('an aborted signal stops it', async () => {
    const workspace = await open(files)
    await expectCode(() => allOf(workspace.list({ signal: AbortSignal.abort() })), 'aborted')
  })
}

function runTests({ test }: TestHarness, { open }: WorkspaceContractSetup): void {
  test('a command ends in a result, whatever it does', async () => {
    const workspace = await open({ 'a.txt': 'x' })
    const ran = await workspace.run('cat a.txt; echo oops >&2; exit 3')
    expectSame([ran.status, ran.exitCode, ran.signal, ran.stdout], ['exited', 3, null, 'x'], 'result')
    expectThat(ran.stderr.includes('oops'), 'stderr is missing')
    expectSame((await workspace.run(['no-such-program-anywhere'])).status, 'not-started', 'status')
  })
  test('arguments arrive unchanged', async () => {
    const workspace = await open({})
    const text = 'a b"c$(d)\ne'
    expectSame((await workspace.run(['printf', '%s', text])).stdout, text, 'stdout')
  })
  test('time and abort end it', async () => {
    const workspace = await open({})
    const late = await workspace.run('sleep 30', { timeoutMs: 200 })
    expectSame([late.status, late.exitCode], ['timed-out', null], 'result')
    expectSame((await workspace.run('true', { signal: AbortSignal.abort() })).status, 'aborted', 'status')
  })
  test('bad options are refused', async () => {
    const workspace = await open({})
    await expectCode(() => workspace.run('  '), 'option-invalid')
    await expectCode(() => workspace.run([]), 'option-invalid')
    await expectCode(() => workspace.run('true', { timeoutMs: 0 }), 'option-invalid')
    await expectCode(() => workspace.run('true', { cwd: '../x' }), 'path-escape')
  })
}
