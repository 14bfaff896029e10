import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { memoryWorkspace } from '@jurist/core/testing'
import { changes, checkoutOf, copyOf, defaultIgnore, emptyDirectory, snapshot } from '@jurist/workspace'
import { fakeCommands, temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'

const code = (wanted: string) => expect.objectContaining({ code: wanted })
const hasGit = spawnSync('git', ['--version']).status === 0
const gitIn =
  (cwd: string) =>
  (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
      cwd,
      encoding: 'utf8',
    }).trim()

describe('an empty directory', () => {
  test('is private, and gone when disposed of', async () => {
    const workspace = await emptyDirectory()
    expect(workspace.origin).toEqual({ kind: 'empty' })
    expect(statSync(workspace.root).mode & 0o777).toBe(0o700)
    await workspace.write('a/b', 'x')
    await workspace[Symbol.asyncDispose]()
    expect(existsSync(workspace.root)).toBe(false)
  })
  test('stays when kept or moved', async () => {
    await using parent = await temporaryWorkspace({ 'full/x': '' })
    const kept = await emptyDirectory({ to: join(parent.root, 'kept') })
    kept.keep()
    await kept[Symbol.asyncDispose]()
    expect(existsSync(kept.root)).toBe(true)
    const moving = await emptyDirectory()
    await moving.write('a', 'x')
    const moved = await moving.moveTo(join(parent.root, 'deep/moved'))
    expect([await moved.read('a'), existsSync(moving.root)]).toEqual(['x', false])
    await moving[Symbol.asyncDispose]()
    expect(await moved.exists('a')).toBe(true)
    await using stuck = await emptyDirectory()
    await expect(stuck.moveTo(join(parent.root, 'full'))).rejects.toEqual(code('provision-failed'))
  })
  test('must be absent or empty', async () => {
    await using parent = await temporaryWorkspace({ 'full/x': '', file: '' })
    for (const to of ['full', 'file'])
      await expect(emptyDirectory({ to: join(parent.root, to) })).rejects.toEqual(code('provision-failed'))
    expect(existsSync(join(parent.root, 'full/x'))).toBe(true)
  })
})

describe('a copy', () => {
  test('keeps modes, times and inner links, and leaves .git out', async () => {
    await using source = await temporaryWorkspace({
      'run.sh': { executable: '#!/bin/sh\n' },
      'a/b.txt': 'text',
      'a/link': { link: 'b.txt' },
      'a/broken': { link: 'none' },
      '.git/HEAD': 'x',
    })
    utimesSync(join(source.root, 'a/b.txt'), 1_000, 2_000)
    utimesSync(join(source.root, 'a'), 3_000, 4_000)
    chmodSync(join(source.root, 'a'), 0o750)
    await using copy = await copyOf(source.root)
    expect(copy.origin).toEqual({ kind: 'copy', files: 2, bytes: 14 })
    expect(await copy.exists('.git')).toBe(false)
    expect(await copy.read('a/link')).toBe('text')
    expect(statSync(join(copy.root, 'run.sh')).mode & 0o777).toBe(0o755)
    expect(statSync(join(copy.root, 'a')).mode & 0o777).toBe(0o750)
    expect(statSync(join(copy.root, 'a/b.txt')).mtimeMs).toBe(2_000_000)
    expect(statSync(join(copy.root, 'a')).mtimeMs).toBe(4_000_000)
    await copy.write('a/b.txt', 'changed')
    expect(await source.read('a/b.txt')).toBe('text')
  })
  test('refuses what leads out or is not a file, and leaves nothing behind', async () => {
    await using parent = await temporaryWorkspace()
    const to = join(parent.root, 'to')
    for (const link of ['/etc/passwd', '../outside']) {
      await using source = await temporaryWorkspace({ ok: 'x', bad: { link } })
      await expect(copyOf(source.root, { to })).rejects.toEqual(code('path-escape'))
    }
    await using special = await temporaryWorkspace()
    execFileSync('mkfifo', [join(special.root, 'fifo')])
    await expect(copyOf(special.root, { to })).rejects.toEqual(code('provision-failed'))
    await expect(copyOf(join(parent.root, 'none'))).rejects.toEqual(code('not-found'))
    await expect(copyOf(special.root, { to: join(special.root, 'in') })).rejects.toEqual(code('provision-failed'))
    await expect(copyOf(parent.root, { signal: AbortSignal.abort() })).rejects.toEqual(code('aborted'))
    expect([existsSync(to), readdirSync(special.root)]).toEqual([false, ['fifo']])
  })
  test('is the same for small, large and empty files, whatever the mask of the process', async () => {
    const sizes = [0, 1, 65_535, 65_536, 65_537, 300_000]
    const files = sizes.map((size) => [`f${size}`, Buffer.alloc(size, `${size} `)] as const)
    await using source = await temporaryWorkspace(Object.fromEntries(files))
    for (const [name] of files) chmodSync(join(source.root, name), 0o666)
    await using copy = await copyOf(source.root)
    for (const [name, bytes] of files) {
      expect(bytes.equals(await copy.readBytes(name))).toBe(true)
      expect(statSync(join(copy.root, name)).mode & 0o777).toBe(0o666)
    }
    expect(changes(await snapshot(source), await snapshot(copy))).toEqual({ added: [], removed: [], modified: [] })
  })
  test.skipIf(process.platform !== 'linux')('has names that are not UTF-8 (needs names of any bytes)', async () => {
    await using workspace = await temporaryWorkspace({ 'a.txt': 'x' })
    const at = (path: string, root = workspace.root) => Buffer.from(`${root}/${path}`, 'latin1')
    writeFileSync(at('bad-\xff'), 'small')
    writeFileSync(at('bad-\xfe'), 'x'.repeat(100_000))
    writeFileSync(at('sparse-\xfe'), '')
    truncateSync(at('sparse-\xfe'), 1_000_000)
    mkdirSync(at('sub-\xc3(/\xc3\xa9'), { recursive: true, mode: 0o755 })
    for (const [name, target] of [
      ['in', 'bad-\xff'],
      ['in-\xff', 'sub-\xc3(/\xc3\xa9'],
      ['sub-\xc3(/up', '../bad-\xff'],
      ['out-\xff', '/etc/hostname'],
    ] as const)
      symlinkSync(Buffer.from(target, 'latin1'), at(name))
    const warnings: string[] = []
    const listen = ({ message }: Error) => warnings.push(message)
    process.on('warning', listen)
    await using copy = await copyOf(workspace.root, { misfits: 'leave-out' })
    await expect.poll(() => warnings).toEqual([expect.stringMatching(/^out-\\xff is a link that leaves the directory/)])
    process.off('warning', listen)
    for (const path of ['bad-\xff', 'bad-\xfe', 'sparse-\xfe', 'in', 'sub-\xc3(/up'])
      expect(readFileSync(at(path, copy.root)).equals(readFileSync(at(path)))).toBe(true)
    expect(statSync(at('in-\xff', copy.root)).mode & 0o777).toBe(0o755)
    const listed: string[] = []
    for await (const { path, type } of copy.list()) listed.push(`${type} ${path}`)
    expect(listed).toEqual([
      'file a.txt',
      'other bad-\\xfe',
      'other bad-\\xff',
      'symlink in',
      'other in-\\xff',
      'other sparse-\\xfe',
      'other sub-\\xc3(',
    ])
    const before = await snapshot(workspace)
    expect(Object.keys(before.files)).toContain('sub-\\xc3(/up')
    expect(before.files['in-\\xff']).toEqual({ link: 'sub-\\xc3(/\u00e9' })
    writeFileSync(at('bad-\xff', copy.root), 'other')
    writeFileSync(at('sub-\xc3(/\xc3\xa9/new-\xff', copy.root), '')
    expect(changes(before, await snapshot(copy))).toEqual({
      added: ['sub-\\xc3(/\u00e9/new-\\xff'],
      removed: ['out-\\xff'],
      modified: ['bad-\\xff'],
    })
  })

  test('leaves out what is ignored', async () => {
    await using source = await temporaryWorkspace({ 'a.log': '', 'b.txt': '', 'c/a.log': '' })
    await using copy = await copyOf(source.root, { ignore: ['*.log'] })
    expect(readdirSync(copy.root, { recursive: true }).sort()).toEqual(['b.txt', 'c'])
  })
})

describe.skipIf(!hasGit)('a checkout (needs git)', () => {
  async function repository() {
    const files = await temporaryWorkspace()
    const git = gitIn(files.root)
    git('init', '-q', '-b', 'main')
    writeFileSync(join(files.root, 'a'), 'one')
    git('add', '.')
    git('commit', '-q', '-m', 'one')
    git('tag', 'v1')
    const first = git('rev-parse', 'HEAD')
    mkdirSync(join(files.root, 'sub/deep'), { recursive: true })
    writeFileSync(join(files.root, 'a'), 'two')
    writeFileSync(join(files.root, 'sub/deep/b'), 'b')
    git('add', '.')
    git('commit', '-q', '-m', 'two')
    return { files, git, first, second: git('rev-parse', 'HEAD') }
  }
  test('is the files of a branch, a tag, a commit or what leads to one', async () => {
    const { files, first, second } = await repository()
    await using _files = files
    const refs: readonly (readonly [string, string])[] = [
      ['main', second],
      ['HEAD', second],
      ['v1', first],
      [first, first],
      [first.slice(0, 10), first],
      ['main~1', first],
    ]
    for (const [ref, commit] of refs) {
      await using workspace = await checkoutOf({ repository: files.root, ref })
      expect(workspace.origin).toEqual({ kind: 'git', repository: files.root, ref, commit })
      expect(await workspace.read('a')).toBe(commit === first ? 'one' : 'two')
      expect(await workspace.exists('.git')).toBe(false)
    }
  })
  test('takes one process of git for a full hash, also in a working tree, a shared clone, and of a tag', async () => {
    const { files, git, first } = await repository()
    await using _files = files
    await using place = await temporaryWorkspace({
      'bin/git':
        '#!/bin/sh\necho "$*" >> "$(dirname "$0")/../log"\nPATH=$(echo "$PATH" | cut -d: -f2-) exec git "$@"\n',
    })
    chmodSync(join(place.root, 'bin/git'), 0o755)
    git('tag', '-a', '-m', 'tagged', 'v2', first)
    git('worktree', 'add', '-q', '--detach', join(place.root, 'tree'), 'main')
    gitIn(place.root)('clone', '-q', '--shared', files.root, 'shared')
    const { PATH } = process.env
    process.env.PATH = `${join(place.root, 'bin')}:${PATH}`
    try {
      for (const [repository, ref] of [
        [files.root, first],
        [pathToFileURL(files.root).href, first],
        [join(place.root, 'tree'), first],
        [join(place.root, 'shared'), first],
        [files.root, git('rev-parse', 'v2')],
      ] as const) {
        writeFileSync(join(place.root, 'log'), '')
        await using workspace = await checkoutOf({ repository, ref })
        expect(workspace.origin).toMatchObject({ ref, commit: first })
        expect([await workspace.read('a'), await workspace.exists('.git')]).toEqual(['one', false])
        expect(readFileSync(join(place.root, 'log'), 'utf8').trim().split('\n')).toEqual([
          expect.stringContaining('reset'),
        ])
      }
      const missing = checkoutOf({ repository: files.root, ref: 'f'.repeat(40) })
      await expect(missing).rejects.toEqual(code('git-failed'))
    } finally {
      process.env.PATH = PATH
    }
  })
  test('narrows to a directory, or keeps the history', async () => {
    const { files } = await repository()
    await using _files = files
    await using narrow = await checkoutOf({ repository: files.root, ref: 'main', path: 'sub' })
    expect(readdirSync(narrow.root)).toEqual(['deep'])
    expect(narrow.origin.path).toBe('sub')
    await using whole = await checkoutOf({ repository: files.root, ref: 'main', history: true })
    expect((await whole.run('git log --format=%s')).stdout).toBe('two\none\n')
  })
  test('has submodules without their history, and leaves other repositories alone', async () => {
    const { files, git } = await repository()
    await using _files = files
    await using inner = await temporaryWorkspace({ 'lib.js': 'x' })
    const innerGit = gitIn(inner.root)
    innerGit('init', '-q', '-b', 'main')
    innerGit('add', '.')
    innerGit('commit', '-q', '-m', 'lib')
    git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'vendor/lib')
    symlinkSync(inner.root, join(files.root, 'sub/other'))
    git('add', '.')
    git('commit', '-q', '-m', 'three')
    await using workspace = await checkoutOf({ repository: files.root, ref: 'main', submodules: true })
    expect(await workspace.read('vendor/lib/lib.js')).toBe('x')
    expect([await workspace.exists('vendor/lib/.git'), await workspace.exists('.git')]).toEqual([false, false])
    expect(existsSync(join(inner.root, '.git/HEAD'))).toBe(true)
  })
  test('keeps nothing of what came later, nor of where it came from', async () => {
    const { files, git, first, second } = await repository()
    await using _files = files
    git('tag', '-a', '-m', 'later', 'v2')
    for (const ref of ['v1', first, first.slice(0, 10), 'main~1', 'v2~1']) {
      await using workspace = await checkoutOf({ repository: files.root, ref, history: true })
      const run = async (command: string) => (await workspace.run(command)).stdout.trim()
      expect(await run('git log --all --format=%H; git rev-parse HEAD; git status --porcelain')).toBe(
        `${first}\n${first}`,
      )
      expect(
        await run('git for-each-ref; git reflog; git remote; git fsck --lost-found; git config --get-regexp remote'),
      ).toBe('')
      const commits = await run(
        "git cat-file --batch-all-objects --batch-check='%(objecttype) %(objectname)' | grep -E 'commit|tag'",
      )
      expect(commits).toBe(`commit ${first}`)
      expect((await workspace.run(['git', 'cat-file', '-e', second])).exitCode).not.toBe(0)
      expect(await run(`grep -rl ${files.root} .git; ls .git/FETCH_HEAD .git/logs .git/objects/info/alternates`)).toBe(
        '',
      )
    }
  })
  test('runs no hooks, and is never empty in silence', async () => {
    const { files, git } = await repository()
    await using _files = files
    git('checkout', '-q', '--orphan', 'nothing')
    git('rm', '-rfq', '.')
    git('commit', '-q', '--allow-empty', '-m', 'nothing')
    const source = { repository: pathToFileURL(files.root).href, timeoutMs: 60_000 }
    await expect(checkoutOf({ ...source, ref: 'nothing' })).rejects.toEqual(code('git-failed'))
    await expect(checkoutOf({ ...source, ref: 'none' })).rejects.toEqual(code('git-failed'))
    await expect(checkoutOf({ ...source, ref: 'main', path: 'none' })).rejects.toEqual(code('git-failed'))
    await expect(checkoutOf({ ...source, ref: 'main', path: '../x' })).rejects.toEqual(code('path-escape'))
  })
  test('refuses words that git would take for options, and other protocols', async () => {
    await expect(checkoutOf({ repository: 'x', ref: '--upload-pack=id' })).rejects.toEqual(code('option-invalid'))
    await expect(checkoutOf({ repository: '-x', ref: 'main' })).rejects.toEqual(code('option-invalid'))
    await expect(checkoutOf({ repository: 'x' } as unknown as { repository: string; ref: string })).rejects.toEqual(
      code('option-invalid'),
    )
    await expect(checkoutOf({ repository: 'ext::sh -c id', ref: 'main' })).rejects.toEqual(code('git-failed'))
  })
  test('says what git said, without user and password', async () => {
    const failing = checkoutOf({ repository: 'https://user:pass@localhost:1/x.git', ref: 'main', timeoutMs: 20_000 })
    await expect(failing).rejects.toEqual(code('git-failed'))
    await expect(failing).rejects.not.toThrow(/pass|user/)
  })
})

describe('snapshots', () => {
  test('tell what was added, removed and modified', async () => {
    await using workspace = await temporaryWorkspace({
      same: 'x',
      text: 'abc',
      mode: 'x',
      gone: 'x',
      link: { link: 'same' },
      'node_modules/m/index.js': 'x',
      'target/t': 'x',
      'sub/target/t': 'x',
    })
    const before = await snapshot(workspace)
    expect(Object.keys(before.files)).toEqual(['gone', 'link', 'mode', 'same', 'sub/target/t', 'text'])
    expect(before.files.text).toEqual({
      sizeBytes: 3,
      sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
      executable: false,
    })
    expect(before.files.link).toEqual({ link: 'same' })
    await workspace.run(
      'printf abd > text; chmod +x mode; rm gone; ln -sfn mode link; mkdir n; echo > n/new; echo > target/u',
    )
    const after = await snapshot(workspace)
    expect(changes(before, after)).toEqual({ added: ['n/new'], removed: ['gone'], modified: ['link', 'mode', 'text'] })
    expect(changes(after, after)).toEqual({ added: [], removed: [], modified: [] })
  })
  test('take names of the language for names, and workspaces without a directory', async () => {
    const names = ['__proto__', 'constructor', 'toString']
    const empty = { files: {} }
    const full = await snapshot(memoryWorkspace(Object.fromEntries(names.map((name) => [name, 'x']))))
    expect(changes(empty, full)).toEqual({ added: names, removed: [], modified: [] })
    expect(changes(full, empty)).toEqual({ added: [], removed: names, modified: [] })
  })
  test('compare what is asked for', async () => {
    await using workspace = await temporaryWorkspace({ 'a.log': '', b: '', 'node_modules/x': '' })
    expect(Object.keys((await snapshot(workspace, { ignore: [] })).files)).toEqual(['a.log', 'b', 'node_modules/x'])
    const ignore = [...defaultIgnore, '*.log']
    expect(Object.keys((await snapshot(workspace, { ignore })).files)).toEqual(['b'])
  })
})

describe('played commands', () => {
  test('replace only running', async () => {
    const seen: unknown[] = []
    const workspace = fakeCommands(memoryWorkspace({ a: 'x' }), (command) => {
      seen.push(command)
      return { exitCode: 4, stdout: 'out' }
    })
    expect(await workspace.read('a')).toBe('x')
    expect(await workspace.run('npm test')).toMatchObject({ status: 'exited', exitCode: 4, stdout: 'out', stderr: '' })
    await workspace.run(['ls', '-l'])
    expect(seen).toEqual([
      ['bash', '-c', 'npm test'],
      ['ls', '-l'],
    ])
  })
})
