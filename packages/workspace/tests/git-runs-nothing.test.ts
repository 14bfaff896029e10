import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { checkoutOf } from '@jurist/workspace'
import { readingGit } from '@jurist/workspace/internal'
import { afterAll, describe, expect, test } from 'vitest'

const home = mkdtempSync(join(tmpdir(), 'jurist-git-'))
afterAll(() => rmSync(home, { recursive: true }))
let made = 0

const me = ['-c', 'user.name=a', '-c', 'user.email=a@b.test', '-c', 'commit.gpgSign=false']

/** A repository with a changed file, whose attributes name a driver for every file; and a file that a program would write. */
function repository() {
  const root = join(home, `${made++}`)
  const mark = `${root}-mark`
  mkdirSync(root)
  const git = (...args: readonly string[]) => execFileSync('git', [...me, ...args], { cwd: root, encoding: 'utf8' })
  git('init', '--quiet')
  writeFileSync(join(root, '.gitattributes'), '* filter=x diff=x merge=x\n')
  writeFileSync(join(root, 'a.txt'), 'one\n')
  git('add', '.')
  git('commit', '--quiet', '--message', 'x')
  writeFileSync(join(root, 'a.txt'), 'two, and longer\n')
  return { root, mark, git, program: `sh -c 'echo ran >> ${mark}; cat'` }
}

const reads = [
  ['status', '--porcelain', '--ignore-submodules=dirty'],
  ['log', '--patch', '--show-signature'],
  ['diff', 'HEAD'],
  ['grep', '--textconv', '-e', 'one', 'HEAD'],
  ['cat-file', '--filters', 'HEAD:a.txt'],
  ['rev-parse', '--verify', 'HEAD^{commit}'],
]

describe('git runs no program of a repository', () => {
  test.each<readonly [string, (program: string) => readonly (readonly [string, string])[]]>([
    ['filter clean', (run) => [['filter.x.clean', run]]],
    ['filter smudge', (run) => [['filter.x.smudge', run]]],
    [
      'filter process, required',
      (run) => [
        ['filter.x.process', run],
        ['filter.x.required', 'true'],
      ],
    ],
    ['fsmonitor', (run) => [['core.fsmonitor', run]]],
    ['textconv', (run) => [['diff.x.textconv', run]]],
    ['a driver of differences', (run) => [['diff.x.command', run]]],
    ['an external difference', (run) => [['diff.external', run]]],
    [
      'a pager',
      (run) => [
        ['core.pager', run],
        ['pager.log', run],
        ['pager.status', run],
      ],
    ],
    [
      'signatures',
      (run) => [
        ['gpg.program', run],
        ['log.showSignature', 'true'],
      ],
    ],
    [
      'what serves a fetch',
      (run) => [
        ['uploadpack.packObjectsHook', run],
        ['core.alternateRefsCommand', run],
      ],
    ],
    [
      'remotes',
      (run) => [
        ['core.sshCommand', run],
        ['credential.helper', `!${run}`],
        ['remote.x.uploadpack', run],
      ],
    ],
    [
      'a merge driver, an alias',
      (run) => [
        ['merge.x.driver', run],
        ['alias.status', `!${run}`],
      ],
    ],
  ])('%s', async (_, settings) => {
    const { root, mark, git, program } = repository()
    for (const [name, value] of settings(program)) git('config', name, value)
    for (const args of reads)
      await readingGit({ cwd: root, timeoutMs: 60_000 }, (run) => run(args)).catch((thrown) => {
        expect(thrown).toMatchObject({ code: 'git-failed' })
      })
    for (const from of [root, join(root, '.git'), pathToFileURL(root).href]) {
      await using copy = await checkoutOf({ repository: from, ref: 'HEAD' })
      expect(await copy.read('a.txt')).toBe('one\n')
    }
    expect(existsSync(mark)).toBe(false)
  })

  test('nor of a config that it includes, of a linked worktree, of a submodule, of an object that it does not have', async () => {
    const { root, mark, git, program } = repository()
    const inner = repository()
    git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'inner')
    execFileSync('git', ['config', 'filter.x.clean', program], { cwd: join(root, 'inner') })
    writeFileSync(join(root, 'inner/a.txt'), 'three, and longer\n')
    git('worktree', 'add', '--quiet', `${root}-tree`)
    writeFileSync(join(root, '.git/more'), `[filter "x"]\n\tclean = ${JSON.stringify(program)}\n`)
    git('config', 'include.path', 'more')
    writeFileSync(join(`${root}-tree`, 'a.txt'), 'four, and longer\n')
    for (const cwd of [root, `${root}-tree`]) {
      const said = await readingGit({ cwd, timeoutMs: 60_000 }, (run) => run(reads[0] ?? []))
      expect(said).toContain(' M a.txt')
    }
    git('config', 'extensions.partialClone', 'x')
    git('config', 'core.repositoryFormatVersion', '1')
    git('config', 'remote.x.url', inner.root)
    git('config', 'remote.x.promisor', 'true')
    git('config', 'remote.x.uploadpack', program)
    const blob = git('rev-parse', 'HEAD:a.txt').trim()
    rmSync(join(root, '.git/objects', blob.slice(0, 2), blob.slice(2)))
    await expect(checkoutOf({ repository: root, ref: 'HEAD' })).rejects.toMatchObject({ code: 'git-failed' })
    expect(existsSync(mark)).toBe(false)
  })

  test('and what it sees is the working tree around it, wherever the config says another one is', async () => {
    const { root, git } = repository()
    git('config', 'core.worktree', '/')
    mkdirSync(join(root, 'sub'))
    const said = await readingGit({ cwd: join(root, 'sub'), timeoutMs: 60_000 }, (run) =>
      run(['rev-parse', '--show-toplevel']),
    )
    expect(said).toBe(root)
  })

  test('settings of how files are stored count', async () => {
    const { root, git } = repository()
    writeFileSync(join(root, 'a.txt'), 'one\n')
    chmodSync(join(root, 'a.txt'), 0o755)
    const status = () => readingGit({ cwd: root, timeoutMs: 60_000 }, (run) => run(reads[0] ?? []))
    expect(await status()).toBe(' M a.txt')
    git('config', 'core.fileMode', 'false')
    expect(await status()).toBe('')
  })
})
