import { asText, multimodalOutput, structuredOutput, textOutput } from '@jurist/core'
import { emptyWorkspace, normalizePath } from '@jurist/core/internal'
import { memoryWorkspace, workspaceContract } from '@jurist/core/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

workspaceContract({ describe, test }, 'memoryWorkspace', { open: async (files) => memoryWorkspace(files) })

describe('memoryWorkspace', () => {
  test('links lead inside or are refused', async () => {
    const workspace = memoryWorkspace(
      { 'a/b': 'x' },
      { links: { in: 'a/b', up: 'a/../a/b', out: '../x', abs: '/x', loop: 'loop' } },
    )
    expect([await workspace.read('in'), await workspace.read('up')]).toEqual(['x', 'x'])
    for (const path of ['out', 'abs'])
      await expect(workspace.exists(path)).rejects.toMatchObject({ code: 'path-escape' })
    expect(await workspace.isFile('loop')).toBe(false)
    const types: string[] = []
    for await (const { path, type } of workspace.list()) types.push(`${path} ${type}`)
    expect(types).toContain('in symlink')
  })
  test('writes make parents and never go through a link', async () => {
    const workspace = memoryWorkspace({ target: 'old' }, { links: { link: 'target' } })
    await workspace.write('new/deep/file', 'x')
    await workspace.write('link', 'new')
    expect([
      await workspace.read('new/deep/file'),
      await workspace.read('target'),
      await workspace.read('link'),
    ]).toEqual(['x', 'old', 'new'])
    await expect(workspace.write('new', 'x')).rejects.toMatchObject({ code: 'not-a-file' })
  })
  test('removes trees and links, and what is missing is no error', async () => {
    const workspace = memoryWorkspace({ 'd/a': '', 'd/b': '', dd: '' }, { links: { l: 'd' } })
    await workspace.remove('l')
    await workspace.remove('none')
    expect(await workspace.exists('d/a')).toBe(true)
    await workspace.remove('d')
    expect([await workspace.exists('d'), await workspace.exists('dd')]).toEqual([false, true])
    await expect(workspace.remove('.')).rejects.toMatchObject({ code: 'path-invalid' })
  })
  test('commands are scripted, with defaults for what is missing', async () => {
    const workspace = memoryWorkspace({}, { run: async (command) => ({ stdout: String(command) }) })
    expect(await workspace.run(['a', 'b'])).toEqual({
      status: 'exited',
      exitCode: 0,
      signal: null,
      stdout: 'a,b',
      stderr: '',
      truncated: false,
      elapsedMs: 0,
    })
    expect((await memoryWorkspace({}).run('true')).status).toBe('not-started')
    expect(
      (await memoryWorkspace({}, { run: () => ({ status: 'killed', signal: 'SIGSEGV' }) }).run('x')).exitCode,
    ).toBeNull()
  })
  test('keeps its own copy of what it was given', async () => {
    const bytes = Uint8Array.of(65)
    const workspace = memoryWorkspace({ a: bytes })
    bytes[0] = 66
    const read = await workspace.readBytes('a')
    read[0] = 67
    expect(await workspace.read('a')).toBe('A')
  })
})

describe.each([
  ['emptyWorkspace', emptyWorkspace()],
  ['memoryWorkspace', memoryWorkspace({})],
])('%s, with nothing in it', (_, workspace) => {
  test('refuses bad options of a command, and a bad directory to run in', async () => {
    const bad = [
      { timeoutMs: 0 },
      { timeoutMs: '5' },
      { env: { A: 1 } },
      { env: [] },
      { stdin: 'text' },
      { stdin: {} },
      { maxOutputBytes: -1 },
      { killAfterMs: Number.NaN },
      { cwd: 5 },
      { cwd: 'none' },
      { shell: true },
      null,
    ]
    for (const options of bad)
      await expect(workspace.run('true', options as never)).rejects.toMatchObject({ code: 'option-invalid' })
    for (const command of ['', ' ', [], [''], 5, null, ['a', 5], 'a\0'])
      await expect(workspace.run(command as never)).rejects.toMatchObject({ code: 'option-invalid' })
    await expect(workspace.run('true', { cwd: '../x' })).rejects.toMatchObject({ code: 'path-escape' })
    await expect(workspace.run('true', { cwd: ' ' })).rejects.toMatchObject({ code: 'path-invalid' })
  })
  test('takes good ones', async () => {
    const options = { timeoutMs: null, env: { A: '1' }, stdin: { text: 'x' }, cwd: './', maxOutputBytes: 0 } as const
    expect((await workspace.run(['true'], { ...options, killAfterMs: 0 })).status).toBe('not-started')
  })
  test('an aborted signal stops its listing', async () => {
    const listing = async () => {
      for await (const entry of workspace.list({ signal: AbortSignal.abort() })) throw new Error(entry.path)
    }
    await expect(listing()).rejects.toMatchObject({ code: 'aborted' })
  })
})

describe('the empty workspace', () => {
  test('has nothing and runs nothing', async () => {
    const workspace = emptyWorkspace()
    expect([await workspace.exists('.'), await workspace.exists('a'), await workspace.isFile('a')]).toEqual([
      true,
      false,
      false,
    ])
    await expect(workspace.read('a')).rejects.toMatchObject({ code: 'not-found' })
    await expect(workspace.exists('../a')).rejects.toMatchObject({ code: 'path-escape' })
    expect(await workspace.run('true')).toMatchObject({ status: 'not-started', failure: { code: 'not-started' } })
  })
})

describe('paths', () => {
  test('have one form', () => {
    expect(['a/./b//c', './', 'a/', '.'].map((path) => normalizePath(path))).toEqual(['a/b/c', '.', 'a', '.'])
  })
  test('a normal path never leads out, and is normal', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', '.', '..', '', 'C:', '\\', ' ')).map((parts) => parts.join('/')),
        (path) => {
          let normal: string
          try {
            normal = normalizePath(path)
          } catch {
            return
          }
          expect(normal.split('/')).not.toContain('..')
          expect(normal.startsWith('/')).toBe(false)
          fc.pre(normal.trim() !== '')
          expect(normalizePath(normal)).toBe(normal)
        },
      ),
    )
  })
})

describe('outputs as text', () => {
  test('every kind has one', () => {
    expect(asText(undefined)).toBe('')
    expect(asText(textOutput('a'))).toBe('a')
    expect(asText(structuredOutput({ a: [1] }))).toBe('{\n  "a": [\n    1\n  ]\n}')
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'image', mediaType: 'image/png' },
      { type: 'file', path: 'x.md' },
    ] as const
    expect(asText(multimodalOutput(parts))).toBe('a\n[image image/png]\n[file x.md]')
    expect(() => structuredOutput({ a: undefined })).toThrow(expect.objectContaining({ code: 'metadata-invalid' }))
  })
})
