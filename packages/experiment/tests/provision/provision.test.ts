import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { dataset, type InlineItem } from '@jurist/experiment/dataset'
import { bubblewrapSandbox } from '@jurist/workspace'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { copyWorkspaces } from '../../src/provision/copy-workspaces.js'
import { gitWorkspaces } from '../../src/provision/git-workspaces.js'
import type { Provision, WorkspaceLease } from '../../src/provision/provision.js'
import { directoryWith, put } from '../dataset/dataset-directory.js'

const signal = new AbortController().signal

// Mirrors live until the process ends, and a test worker may be killed.
beforeAll(() => {
  vi.stubEnv('TMPDIR', directoryWith({}))
  return () => vi.unstubAllEnvs()
})

async function lend(provision: Provision, item: Omit<InlineItem, 'task'> = {}): Promise<WorkspaceLease> {
  const given = await dataset({ name: 'x', items: [{ id: 'a', task: 't', ...item }] }).item('a')
  return provision({ item: given, repetition: 1, signal })
}

async function pathsIn(workspace: WorkspaceLease['workspace']): Promise<readonly string[]> {
  const paths: string[] = []
  for await (const { path } of workspace.list()) paths.push(path)
  return paths
}

const rootOf = ({ workspace }: WorkspaceLease): string => workspace.root ?? ''
const emptyParent = () => directoryWith({})

function repository(): { readonly path: string; readonly first: string; readonly second: string } {
  const path = directoryWith({ 'src/a.txt': 'one', 'readme.md': 'r' })
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: path, encoding: 'utf8' }).trim()
  const commit = () =>
    git('-c', 'user.name=a', '-c', 'user.email=a@b.test', 'commit', '--quiet', '--all', '--message', 'x')
  git('init', '--quiet')
  git('add', '.')
  commit()
  const first = git('rev-parse', 'HEAD')
  put(path, 'src/a.txt', 'two')
  commit()
  return { path, first, second: git('rev-parse', 'HEAD') }
}

describe('an item without before', () => {
  test('touches no disk until something is needed', async () => {
    const parentDirectory = emptyParent()
    const lease = await lend(copyWorkspaces({ parentDirectory }))
    const { workspace } = lease
    expect(await workspace.exists('.')).toBe(true)
    expect(await workspace.exists('a')).toBe(false)
    expect(await workspace.isFile('a')).toBe(false)
    expect(await pathsIn(workspace)).toEqual([])
    await workspace.remove('a')
    await expect(workspace.read('a')).rejects.toMatchObject({ code: 'not-found' })
    await expect(workspace.remove('../a')).rejects.toMatchObject({ code: 'path-escape' })
    expect(lease).toMatchObject({ before: null, reference: null, origin: { kind: 'empty' } })
    await lease[Symbol.asyncDispose]()
    expect(readdirSync(parentDirectory)).toEqual([])
  })

  test.each([
    ['a file is written', async ({ workspace }: WorkspaceLease) => workspace.write('d/a.txt', 'x')],
    ['a command runs', async ({ workspace }: WorkspaceLease) => workspace.run('true')],
    ['root is read', async (lease: WorkspaceLease) => rootOf(lease)],
  ])('has its own directory once %s', async (_, use) => {
    const parentDirectory = emptyParent()
    const lease = await lend(copyWorkspaces({ parentDirectory }))
    await use(lease)
    expect(readdirSync(parentDirectory)).toHaveLength(1)
    expect(statSync(rootOf(lease)).mode & 0o777).toBe(0o700)
    await lease[Symbol.asyncDispose]()
    expect(readdirSync(parentDirectory)).toEqual([])
  })

  test('is written, read, run in, and kept', async () => {
    await using lease = await lend(copyWorkspaces())
    const kept = join(emptyParent(), 'kept')
    await lease.workspace.write('a.txt', 'x')
    expect(await lease.workspace.read('a.txt')).toBe('x')
    expect((await lease.workspace.run('cat a.txt')).stdout).toBe('x')
    await lease.keepAt(kept)
    expect(readFileSync(join(kept, 'a.txt'), 'utf8')).toBe('x')
  })

  test('is kept as an empty directory when it was never used', async () => {
    await using lease = await lend(copyWorkspaces())
    const kept = join(emptyParent(), 'kept')
    await lease.keepAt(kept)
    expect(readdirSync(kept)).toEqual([])
    await expect(lease.keepAt(kept)).rejects.toMatchObject({ code: 'provision-failed' })
  })
})

describe.each(['auto', 'copy'] as const)('copyWorkspaces, clone %s', (clone) => {
  test('two trials have separate copies, and the dataset stays as it was', async () => {
    const before = directoryWith({ 'a.txt': 'x', 'run.sh': '#!/bin/sh\n', 'd/b.txt': 'y' })
    linkSync(join(before, 'a.txt'), join(before, 'hard.txt'))
    symlinkSync('a.txt', join(before, 'link'))
    const provision = copyWorkspaces({ clone })
    await using one = await lend(provision, { before })
    await using other = await lend(provision, { before })
    expect(rootOf(one)).not.toBe(rootOf(other))
    await one.workspace.write('a.txt', 'changed')
    await one.workspace.run('echo more >> hard.txt')
    expect(await other.workspace.read('hard.txt')).toBe('x')
    expect(await other.workspace.read('link')).toBe('x')
    expect(readFileSync(join(before, 'hard.txt'), 'utf8')).toBe('x')
    expect(await pathsIn(other.workspace)).toEqual(['a.txt', 'd', 'd/b.txt', 'hard.txt', 'link', 'run.sh'])
  })

  test('a link that leaves the dataset is refused', async () => {
    const before = directoryWith({ 'a.txt': 'x' })
    symlinkSync('/etc/hostname', join(before, 'out'))
    await expect(lend(copyWorkspaces({ clone }), { before })).rejects.toMatchObject({
      code: expect.stringMatching(/path-escape|provision-failed/),
    })
  })
})

test('reflink either works or says that it cannot', async () => {
  const parentDirectory = emptyParent()
  const before = directoryWith({ 'a.txt': 'x' })
  const lease = await lend(copyWorkspaces({ clone: 'reflink', parentDirectory }), { before }).catch((error) => error)
  if (lease instanceof Error) expect(lease).toMatchObject({ code: 'provision-failed' })
  else await lease[Symbol.asyncDispose]()
  expect(readdirSync(parentDirectory)).toEqual([])
})

test('before and reference can be looked at but not changed, and are not copied', async () => {
  const before = directoryWith({ 'a.txt': 'before' })
  const reference = directoryWith({ 'a.txt': 'reference' })
  await using lease = await lend(copyWorkspaces(), { before, reference })
  expect(await lease.before?.read('a.txt')).toBe('before')
  expect(await lease.reference?.read('a.txt')).toBe('reference')
  expect(lease.reference?.root).toBe(reference)
  const writable = lease.reference as Partial<WorkspaceLease['workspace']>
  await expect(writable.write?.('a.txt', 'x') ?? Promise.reject({ code: 'read-only' })).rejects.toMatchObject({
    code: 'read-only',
  })
})

test('a command in before or reference runs in a copy of it', async () => {
  const before = directoryWith({ 'a.txt': 'x' })
  await using lease = await lend(copyWorkspaces(), { before })
  expect((await lease.before?.run('cat a.txt; echo y > b.txt'))?.stdout).toBe('x')
  expect((await lease.before?.run('cat b.txt'))?.stdout).toBe('y\n')
  expect(readdirSync(before)).toEqual(['a.txt'])
})

test('disposal deletes the copy and leaves the dataset', async () => {
  const before = directoryWith({ 'a.txt': 'x' })
  const lease = await lend(copyWorkspaces(), { before, noChange: true })
  const root = rootOf(lease)
  await lease[Symbol.asyncDispose]()
  expect(existsSync(root)).toBe(false)
  expect(readFileSync(join(before, 'a.txt'), 'utf8')).toBe('x')
})

test('what is kept has no links that leave it', async () => {
  await using lease = await lend(copyWorkspaces(), { before: directoryWith({ 'a.txt': 'x' }) })
  symlinkSync('/etc/hostname', join(rootOf(lease), 'out'))
  symlinkSync('a.txt', join(rootOf(lease), 'in'))
  const warnings: string[] = []
  const note = ({ message }: Error) => void warnings.push(message)
  process.on('warning', note)
  const kept = join(emptyParent(), 'kept')
  await lease.keepAt(kept)
  expect(readdirSync(kept).sort()).toEqual(['a.txt', 'in'])
  await expect.poll(() => warnings.join()).toContain('out is a link that leaves the directory')
  process.off('warning', note)
  await lease.workspace.write('later.txt', 'x')
  expect(readdirSync(kept)).not.toContain('later.txt')
})

describe.each([
  ['began empty', {}],
  ['began with files', { before: directoryWith({ 'a.txt': 'x' }) }],
])('a workspace that %s', (_, item) => {
  test.each<[string, (root: string) => unknown]>([
    ['a link to a directory', (root) => symlinkSync(directoryWith({ 'secret.txt': 'x' }), root)],
    ['a link to a file', (root) => symlinkSync('/etc/hostname', root)],
    ['a link to itself', (root) => symlinkSync(root, root)],
    ['a file', (root) => writeFileSync(root, 'x')],
    ['a FIFO', (root) => execFileSync('mkfifo', [root])],
    ['nothing', () => undefined],
  ])('is not kept once %s is in its place', async (_, replace) => {
    await using lease = await lend(copyWorkspaces(), item)
    rmSync(rootOf(lease), { recursive: true })
    replace(rootOf(lease))
    const kept = join(emptyParent(), 'kept')
    await expect(lease.keepAt(kept)).rejects.toMatchObject({ code: 'path-escape' })
    expect(existsSync(kept)).toBe(false)
  })

  test('is kept once the agent has made it again', async () => {
    await using lease = await lend(copyWorkspaces(), item)
    rmSync(rootOf(lease), { recursive: true })
    mkdirSync(rootOf(lease))
    writeFileSync(join(rootOf(lease), 'own.txt'), 'x')
    const kept = join(emptyParent(), 'kept')
    await lease.keepAt(kept)
    expect(readdirSync(kept)).toEqual(['own.txt'])
  })
})

test('a before that is gone is refused', async () => {
  const before = directoryWith({ 'a.txt': 'x' })
  const item = await dataset({ name: 'x', items: [{ id: 'a', task: 't', before }] }).item('a')
  const gone = { ...item, before: { type: 'directory' as const, path: join(before, 'gone') } }
  await expect(copyWorkspaces()({ item: gone, repetition: 1, signal })).rejects.toMatchObject({
    code: expect.stringMatching(/not-found|provision-failed/),
  })
})

test('an aborted signal copies nothing', async () => {
  const item = await dataset({ name: 'x', items: [{ id: 'a', task: 't' }] }).item('a')
  const signal = AbortSignal.abort(new Error('stop'))
  const before = { type: 'directory', path: emptyParent() } as const
  const parentDirectory = emptyParent()
  const provision = copyWorkspaces({ parentDirectory })
  await expect(provision({ item: { ...item, before }, repetition: 1, signal })).rejects.toThrow('stop')
  await expect(provision({ item: { ...item, reference: before }, repetition: 1, signal })).rejects.toThrow('stop')
  // Without files there is nothing to copy, and nothing to stop.
  await using empty = await provision({ item, repetition: 1, signal })
  expect(await pathsIn(empty.workspace)).toEqual([])
  expect(readdirSync(parentDirectory)).toEqual([])
})

describe('git', async () => {
  const hasBubblewrap = await bubblewrapSandbox()
    .probe()
    .then(() => true)
    .catch(() => false)
  const source = (repoPath: string, commitHash: string, subDirectory: string | null = null) =>
    ({ type: 'git', repoPath, commitHash, subDirectory }) as const
  /** Tests that only read a repository share one. */
  const shared = repository()

  test('copyWorkspaces checks out exactly the commit, without its history', async () => {
    const { path, first, second } = shared
    const provision = copyWorkspaces()
    await using one = await lend(provision, { before: source(path, first), reference: source(path, second) })
    expect(await one.workspace.read('src/a.txt')).toBe('one')
    expect(await one.reference?.read('src/a.txt')).toBe('two')
    expect(await one.workspace.exists('.git')).toBe(false)
    expect(one.origin).toEqual({ kind: 'git', repository: path, ref: first, commit: first })
    await using narrow = await lend(provision, { before: source(path, second.slice(0, 10), 'src') })
    expect(await pathsIn(narrow.workspace)).toEqual(['a.txt'])
    expect(narrow.origin).toMatchObject({ commit: second, path: 'src' })
  })

  test('a commit is checked out once for all trials, and no trial changes what another gets', async () => {
    const { path, first, second } = shared
    const shim = directoryWith({
      git: `#!/bin/sh\necho x >> "$(dirname "$0")/starts"\nPATH="\${PATH#*:}" exec git "$@"\n`,
    })
    chmodSync(join(shim, 'git'), 0o755)
    const starts = () => readFileSync(join(shim, 'starts'), 'utf8').trim().split('\n').length
    vi.stubEnv('PATH', `${shim}:${process.env['PATH']}`)
    try {
      const provision = copyWorkspaces()
      const item = { before: source(path, first), reference: source(path, second) }
      const leases = await Promise.all([1, 2, 3, 4].map(() => lend(provision, item)))
      for (const lease of leases) {
        expect(await lease.workspace.read('src/a.txt')).toBe('one')
        await lease.workspace.write('src/a.txt', 'changed')
        expect(await lease.before?.read('src/a.txt')).toBe('one')
        await lease[Symbol.asyncDispose]()
      }
      await using last = await lend(provision, item)
      expect([await last.workspace.read('src/a.txt'), await last.reference?.read('src/a.txt')]).toEqual(['one', 'two'])
      expect(starts()).toBe(2)
      // What failed once is tried again by the next trial.
      const missing = { before: source(path, 'deadbeefdeadbeefdeadbeefdeadbeefdeadbeef') }
      await expect(lend(provision, missing)).rejects.toMatchObject({ code: 'git-failed' })
      const known = starts()
      await expect(lend(provision, missing)).rejects.toMatchObject({ code: 'git-failed' })
      expect(starts()).toBeGreaterThan(known)
    } finally {
      vi.unstubAllEnvs()
      vi.stubEnv('TMPDIR', directoryWith({}))
    }
  })

  test('links of a commit stay as they are written', async () => {
    const { path } = repository()
    const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: path, encoding: 'utf8' }).trim()
    for (const [link, goal] of [
      ['inside', 'readme.md'],
      ['above', '../other/readme.md'],
      ['absolute', '/etc/hostname'],
    ] as const)
      symlinkSync(goal, join(path, link))
    git('add', '.')
    git('-c', 'user.name=a', '-c', 'user.email=a@b.test', 'commit', '--quiet', '--message', 'x')
    await using lease = await lend(copyWorkspaces(), { before: source(path, git('rev-parse', 'HEAD')) })
    const goals = ['inside', 'above', 'absolute'].map((name) => readlinkSync(join(rootOf(lease), name)))
    expect(goals).toEqual(['readme.md', '../other/readme.md', '/etc/hostname'])
    await expect(lease.workspace.read('absolute')).rejects.toMatchObject({ code: 'path-escape' })
  })

  test('a subdirectory is not kept once what is above it is a link', async () => {
    const { path, second } = shared
    await using lease = await lend(gitWorkspaces(), { before: source(path, second, 'src') })
    const above = dirname(rootOf(lease))
    renameSync(above, `${above}.moved`)
    symlinkSync(directoryWith({ 'src/secret.txt': 'x' }), above)
    const kept = join(emptyParent(), 'kept')
    await expect(lease.keepAt(kept)).rejects.toMatchObject({ code: 'path-escape' })
    expect(existsSync(kept)).toBe(false)
  })

  test('a commit that does not exist is git-failed', async () => {
    const { path } = shared
    const before = source(path, 'deadbeefdeadbeefdeadbeefdeadbeefdeadbeef')
    await expect(lend(copyWorkspaces(), { before })).rejects.toMatchObject({ code: 'git-failed' })
    await expect(lend(copyWorkspaces(), { before: source('/nowhere', 'abcd') })).rejects.toMatchObject({
      code: 'git-failed',
    })
  })

  test('gitWorkspaces gives each trial a repository of its own', async () => {
    const { path, first } = shared
    const cacheDirectory = emptyParent()
    const provision = gitWorkspaces({ cacheDirectory })
    const before = source(`file://${path}`, first)
    const [one, other] = await Promise.all([lend(provision, { before }), lend(provision, { before })])
    expect(await one.workspace.read('src/a.txt')).toBe('one')
    expect((await one.workspace.run('git rev-parse HEAD')).stdout.trim()).toBe(first)
    expect((await one.workspace.run('git remote --verbose; git config --list | grep -i url')).stdout).toBe('')
    await one.workspace.write('src/a.txt', 'changed')
    expect(await other.workspace.read('src/a.txt')).toBe('one')
    expect((await one.workspace.run('git status --porcelain')).stdout).toBe(' M src/a.txt\n')
    const kept = join(emptyParent(), 'kept')
    await one.keepAt(kept)
    expect(readdirSync(kept).sort()).toEqual(['readme.md', 'src'])
    const root = rootOf(one)
    await one[Symbol.asyncDispose]()
    await other[Symbol.asyncDispose]()
    expect(existsSync(root)).toBe(false)
    expect(readdirSync(cacheDirectory)).toHaveLength(1)
  })

  test.each(hasBubblewrap ? (['none', 'bubblewrap'] as const) : (['none'] as const))(
    'gitWorkspaces shows nothing of what came later, sandbox %s',
    async (sandbox) => {
      const { path, first, second } = repository()
      const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: path, encoding: 'utf8' }).trim()
      git('-c', 'user.name=a', '-c', 'user.email=a@b.test', 'tag', '--annotate', '--message', 'later', 'v2')
      git('branch', 'later')
      const secret = git('rev-parse', 'v2:src/a.txt')
      const provision = gitWorkspaces({ sandbox })
      await using warm = await lend(provision, { before: source(path, second) })
      expect((await warm.workspace.run('git log --format=%H')).stdout).toBe(`${second}\n${first}\n`)
      await using lease = await lend(provision, { before: source(path, first) })
      const run = async (command: string) => (await lease.workspace.run(command)).stdout.trim()
      expect(await run('git log --all --format=%H; git rev-list --all HEAD; git rev-list --all --reflog HEAD')).toBe(
        [first, first, first].join('\n'),
      )
      expect(await run('git for-each-ref; git tag; git branch --remotes; git stash list; git reflog; git remote')).toBe(
        '',
      )
      const objects = await run("git cat-file --batch-all-objects --batch-check='%(objectname) %(objecttype)'")
      expect(objects.split('\n').filter((line) => line.endsWith('commit'))).toEqual([`${first} commit`])
      expect(await run('git fsck --lost-found --unreachable --no-reflogs')).toBe('')
      for (const name of [second, secret, 'v2', 'later', 'v2:src/a.txt', 'FETCH_HEAD', 'ORIG_HEAD', 'HEAD@{1}'])
        expect([name, (await lease.workspace.run(['git', 'cat-file', '-p', name])).exitCode]).not.toEqual([name, 0])
      expect(
        await run(
          'ls .git/objects/info/alternates .git/logs .git/FETCH_HEAD .git/packed-refs; git config --list | grep -i remote',
        ),
      ).toBe('')
      expect(await run(`grep -r ${second} .git; grep -r ${path} .git`)).toBe('')
      expect(await run('git status --porcelain')).toBe('')
    },
  )

  test('a mirror is fetched again when a commit is new', async () => {
    const { path, first } = repository()
    const provision = gitWorkspaces()
    await (await lend(provision, { before: source(path, first) }))[Symbol.asyncDispose]()
    put(path, 'src/a.txt', 'three')
    const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: path, encoding: 'utf8' }).trim()
    git('-c', 'user.name=a', '-c', 'user.email=a@b.test', 'commit', '--quiet', '--all', '--message', 'x')
    await using lease = await lend(provision, { before: source(path, git('rev-parse', 'HEAD')) })
    expect(await lease.workspace.read('src/a.txt')).toBe('three')
  })

  test('other items go to the fallback', async () => {
    await using lease = await lend(gitWorkspaces(), { before: directoryWith({ 'a.txt': 'x' }) })
    expect(lease.origin).toMatchObject({ kind: 'copy' })
    const own: Provision = async () => lease
    expect(await lend(gitWorkspaces({ fallback: own }))).toBe(lease)
  })

  test('a subdirectory that is a link out of the repository is refused', async () => {
    const path = directoryWith({ 'a.txt': 'x' })
    symlinkSync('/etc', join(path, 'out'))
    const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: path, encoding: 'utf8' }).trim()
    git('init', '--quiet')
    git('add', '.')
    git('-c', 'user.name=a', '-c', 'user.email=a@b.test', 'commit', '--quiet', '--message', 'x')
    const before = source(path, git('rev-parse', 'HEAD'), 'out')
    await expect(lend(gitWorkspaces(), { before })).rejects.toMatchObject({ code: 'path-escape' })
    await expect(lend(copyWorkspaces(), { before })).rejects.toBeInstanceOf(Error)
  })
})

describe('sandboxes', async () => {
  const works = await bubblewrapSandbox()
    .probe()
    .then(() => true)
    .catch(() => false)

  test('without one there is no isolation', async () => {
    expect(await copyWorkspaces().isolation?.()).toBe('none')
  })

  test('auto says what it found', async () => {
    expect(await copyWorkspaces({ sandbox: 'auto' }).isolation?.()).toBe(works ? 'namespace' : 'none')
    expect(await gitWorkspaces({ sandbox: 'auto' }).isolation?.()).toBe(works ? 'namespace' : 'none')
  })

  // Skipped where bubblewrap cannot run: then there is no sandbox to look into.
  test.skipIf(!works)('bubblewrap hides the dataset and other workspaces', async () => {
    const before = directoryWith({ 'a.txt': 'x' })
    await using lease = await lend(copyWorkspaces({ sandbox: 'bubblewrap' }), { before })
    await using empty = await lend(copyWorkspaces({ sandbox: 'bubblewrap' }))
    const { stdout } = await lease.workspace.run(`cat a.txt; cat ${before}/a.txt || echo hidden`)
    expect(stdout).toBe('xhidden\n')
    expect((await empty.workspace.run('pwd')).stdout).toBe('/workspace\n')
  })

  test('one that does not work is refused, not replaced', async () => {
    const sandbox = bubblewrapSandbox({ bwrap: '/nowhere/bwrap' })
    await expect(lend(copyWorkspaces({ sandbox }))).rejects.toMatchObject({ code: 'sandbox-unavailable' })
  })

  test.each([{ sandbox: 'docker' }, { clone: 'hard' }, { colour: 1 }])('options %j', (options) => {
    expect(() => copyWorkspaces(options as never)).toThrowError(expect.objectContaining({ code: 'option-invalid' }))
  })
})

test('thousands of trials without files cost next to nothing', async () => {
  const items = dataset({ name: 'x', items: Array.from({ length: 5000 }, () => ({ task: 't' })) })
  const parentDirectory = emptyParent()
  const provision = copyWorkspaces({ parentDirectory })
  for await (const item of items.items())
    await (await provision({ item, repetition: 1, signal }))[Symbol.asyncDispose]()
  expect(readdirSync(parentDirectory)).toEqual([])
})
