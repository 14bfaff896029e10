import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { localWorkspace } from '@jurist/workspace'
import { readOnly } from '@jurist/workspace/internal'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const code = (wanted: string) => expect.objectContaining({ code: wanted })
async function pathsOf(entries: AsyncIterable<{ readonly path: string }>): Promise<readonly string[]> {
  const paths: string[] = []
  for await (const { path } of entries) paths.push(path)
  return paths
}

describe('links', () => {
  test('out of the root are refused, also when their target is missing', async () => {
    await using outside = await temporaryWorkspace({ secret: 'reference', 'dir/file': 'x' })
    await using workspace = await temporaryWorkspace({
      file: { link: join(outside.root, 'secret') },
      gone: { link: join(outside.root, 'none') },
      up: { link: '../../nothing-there' },
      dir: { link: join(outside.root, 'dir') },
      chain: { link: 'file' },
    })
    for (const path of ['file', 'gone', 'up', 'dir', 'dir/file', 'dir/new', 'chain'])
      for (const call of [workspace.exists, workspace.isFile, workspace.read, workspace.readBytes])
        await expect(call(path), path).rejects.toEqual(code('path-escape'))
    await expect(workspace.write('dir/new', 'x')).rejects.toEqual(code('path-escape'))
    await expect(workspace.remove('dir/file')).rejects.toEqual(code('path-escape'))
    await expect(workspace.run('ls', { cwd: 'dir' })).rejects.toEqual(code('path-escape'))
    await expect(pathsOf(workspace.list({ under: 'dir' }))).rejects.toEqual(code('path-escape'))
    expect(await outside.read('dir/file')).toBe('x')
    expect(await outside.exists('dir/new')).toBe(false)
  })
  test('inside are followed; broken and circular ones are not there', async () => {
    await using workspace = await temporaryWorkspace({
      'a/file': 'x',
      link: { link: 'a/file' },
      back: { link: './a/../a/file' },
      broken: { link: 'a/none' },
      round: { link: 'round' },
    })
    expect(await workspace.read('link')).toBe('x')
    expect(await workspace.isFile('back')).toBe(true)
    expect([await workspace.exists('broken'), await workspace.exists('round')]).toEqual([false, false])
    await expect(workspace.read('broken')).rejects.toEqual(code('not-found'))
  })
  test('a directory whose name only begins like the root is outside', async () => {
    await using parent = await temporaryWorkspace({ 'ws/a': 'x', 'ws-other/b': 'y' })
    const workspace = localWorkspace(join(parent.root, 'ws'))
    symlinkSync('../ws-other/b', join(workspace.root, 'near'))
    await expect(workspace.read('near')).rejects.toEqual(code('path-escape'))
  })
  test('a directory that becomes a link is noticed at the next call', async () => {
    await using outside = await temporaryWorkspace({ file: 'secret' })
    await using workspace = await temporaryWorkspace({ 'd/file': 'mine' })
    expect(await workspace.read('d/file')).toBe('mine')
    rmSync(join(workspace.root, 'd'), { recursive: true })
    symlinkSync(outside.root, join(workspace.root, 'd'))
    await expect(workspace.read('d/file')).rejects.toEqual(code('path-escape'))
  })
  test('are replaced by a write and removed alone', async () => {
    await using outside = await temporaryWorkspace({ target: 'kept', 'tree/x': 'kept' })
    await using workspace = await temporaryWorkspace({
      link: { link: join(outside.root, 'target') },
      tree: { link: join(outside.root, 'tree') },
    })
    await workspace.write('link', 'new')
    await workspace.remove('tree')
    expect(await workspace.read('link')).toBe('new')
    expect(readFileSync(join(outside.root, 'target'), 'utf8')).toBe('kept')
    expect(existsSync(join(outside.root, 'tree/x'))).toBe(true)
  })
  test('are listed, not entered', async () => {
    await using workspace = await temporaryWorkspace({ 'a/b': 'x', l: { link: 'a' }, out: { link: '/' } })
    const entries = []
    for await (const { path, type } of workspace.list()) entries.push(`${type} ${path}`)
    expect(entries).toEqual(['directory a', 'file a/b', 'symlink l', 'symlink out'])
  })
})

describe('special files', () => {
  test('a FIFO and a device neither block nor count as files', async () => {
    await using workspace = await temporaryWorkspace({ 'a.txt': 'x' })
    execFileSync('mkfifo', [join(workspace.root, 'fifo')])
    expect([await workspace.exists('fifo'), await workspace.isFile('fifo')]).toEqual([true, false])
    await expect(workspace.read('fifo')).rejects.toEqual(code('not-a-file'))
    await expect(localWorkspace('/dev').readBytes('zero')).rejects.toEqual(code('not-a-file'))
  })
})

describe('names', () => {
  test('longer than a file system takes are refused, and bytes decide', async () => {
    await using workspace = await temporaryWorkspace({ 'é.txt': 'composed' })
    await expect(workspace.exists('x'.repeat(256))).rejects.toEqual(code('path-invalid'))
    await expect(workspace.exists('é'.repeat(128))).rejects.toEqual(code('path-invalid'))
    expect(await workspace.exists(`${'x'.repeat(255)}`)).toBe(false)
  })
  test('of the language are names', async () => {
    await using workspace = await temporaryWorkspace({ __proto__: 'a', constructor: 'b', toString: 'c' })
    await workspace.write('__proto__', 'p')
    expect(await workspace.read('__proto__')).toBe('p')
    expect(await workspace.read('constructor')).toBe('b')
  })
  test('no path whatever reads outside', async () => {
    await using outside = await temporaryWorkspace({ secret: 'secret-of-the-host' })
    await using workspace = await temporaryWorkspace({ 'a/b': 'x', out: { link: outside.root } })
    const piece = fc.constantFrom('..', '.', '', 'a', 'b', 'out', 'secret', '/', '\\', '\0', 'C:', outside.root)
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 6 }), async (pieces) => {
        const text = await workspace.read(pieces.join('/')).catch(() => '')
        expect(text).not.toContain('secret-of-the-host')
      }),
      { numRuns: 300 },
    )
  })
})

describe('listing', () => {
  test('is ordered by the whole path whatever the names', async () => {
    const name = fc.constantFrom('a', 'a.b', 'a-b', 'A', 'é', '\u{1F600}', '\uFFFD', 'z')
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(name, { minLength: 1, maxLength: 3 }), { maxLength: 8 }), async (trees) => {
        await using workspace = await temporaryWorkspace()
        for (const tree of trees) mkdirSync(join(workspace.root, ...tree), { recursive: true })
        const paths = await pathsOf(workspace.list())
        expect(paths).toEqual([...paths].sort())
        expect(new Set(paths).size).toBe(paths.length)
      }),
      { numRuns: 30 },
    )
  })
  test('leaves out what is ignored, and stops at its cap', async () => {
    await using workspace = await temporaryWorkspace({ 'src/a': '', 'target/b': '', 'src/target/c': '', 'x.log': '' })
    expect(await pathsOf(workspace.list({ ignore: ['/target/', '*.log'] }))).toEqual([
      'src',
      'src/a',
      'src/target',
      'src/target/c',
    ])
    await expect(pathsOf(workspace.list({ maxEntries: 3 }))).rejects.toEqual(code('limit-exceeded'))
    await expect(pathsOf(workspace.list({ maxEntries: -1 }))).rejects.toEqual(code('option-invalid'))
  })
})

describe('reading and writing', () => {
  test('a workspace has its own cap, and a call may raise it', async () => {
    await using files = await temporaryWorkspace({ long: '12345' })
    const workspace = localWorkspace(files.root, { limits: { readBytes: 4 } })
    await expect(workspace.read('long')).rejects.toEqual(code('too-large'))
    expect(await workspace.read('long', { maxBytes: 5 })).toBe('12345')
  })
  test('a file is written whole, with the directories above it, and nothing is left beside it', async () => {
    await using workspace = await temporaryWorkspace({ 'd/x': '' })
    await workspace.write('new/deep/file', 'text')
    await workspace.write('new/deep/file', Uint8Array.of(1, 0, 255))
    expect([...(await workspace.readBytes('new/deep/file'))]).toEqual([1, 0, 255])
    await expect(workspace.write('d', 'x')).rejects.toEqual(code('not-a-file'))
    await expect(workspace.write('d/x/y', 'x')).rejects.toEqual(code('not-a-file'))
    expect(await pathsOf(workspace.list())).toEqual(['d', 'd/x', 'new', 'new/deep', 'new/deep/file'])
  })
  test('removing takes trees, and what is missing is no error', async () => {
    await using workspace = await temporaryWorkspace({ 'a/b/c': 'x', f: 'x' })
    for (const path of ['a', 'a', 'none/at/all', 'f/below']) await workspace.remove(path)
    expect(await pathsOf(workspace.list())).toEqual(['f'])
    await expect(workspace.remove('.')).rejects.toEqual(code('path-invalid'))
  })
  test('a read-only view reads and runs, and refuses the rest', async () => {
    await using workspace = await temporaryWorkspace({ a: 'x' })
    const view = readOnly(workspace)
    expect([await view.read('a'), (await view.run('cat a')).stdout, view.root]).toEqual(['x', 'x', workspace.root])
    const { write, remove } = view as typeof workspace
    await expect(write('a', 'y')).rejects.toEqual(code('read-only'))
    await expect(remove('a')).rejects.toEqual(code('read-only'))
    expect(await workspace.read('a')).toBe('x')
  })
})

describe('opening', () => {
  test('needs a directory and good options, all of them named', async () => {
    await using workspace = await temporaryWorkspace({ file: '' })
    expect(() => localWorkspace(join(workspace.root, 'none'))).toThrow(code('not-found'))
    writeFileSync(join(workspace.root, 'plain'), '')
    expect(() => localWorkspace(join(workspace.root, 'plain'))).toThrow(code('not-found'))
    const bad = { sandbox: 'jail', environment: 1, colour: 'red' } as unknown as object
    expect(() => localWorkspace(workspace.root, bad)).toThrow(/"sandbox".*"environment".*"colour"/)
    expect(() => localWorkspace(workspace.root, { limits: { concurrentCommands: 0 } })).toThrow(code('option-invalid'))
    expect(localWorkspace(workspace.root).sandbox).toEqual({ name: 'none', isolation: 'none' })
  })
})
