import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
  // Settings of one row do not hide each other; each program that runs leaves the name of its setting.
  test.each<readonly [string, readonly string[], readonly (readonly [string, string])[]]>([
    [
      'filters, drivers, a monitor, pagers, signatures, what serves a fetch, an alias',
      [
        ...[
          'filter.x.clean',
          'filter.x.smudge',
          'core.fsmonitor',
          'diff.x.textconv',
          'merge.x.driver',
          '!alias.status',
        ],
        ...['core.pager', 'pager.log', 'pager.status', 'gpg.program'],
        ...['uploadpack.packObjectsHook', 'core.alternateRefsCommand'],
      ],
      [['log.showSignature', 'true']],
    ],
    [
      'a required filter process, a driver of differences, remotes',
      ['filter.x.process', 'diff.x.command', 'core.sshCommand', '!credential.helper', 'remote.x.uploadpack'],
      [['filter.x.required', 'true']],
    ],
    ['an external difference', ['diff.external'], []],
  ])('%s', async (_, programs, settings) => {
    const { root, mark, git } = repository()
    for (const key of programs) {
      const name = key.replace('!', '')
      git('config', name, `${key === name ? '' : '!'}sh -c 'echo ${name} >> ${mark}; cat'`)
    }
    for (const [name, value] of settings) git('config', name, value)
    for (const args of reads)
      await readingGit({ cwd: root, timeoutMs: 60_000 }, (run) => run(args)).catch((thrown) => {
        expect(thrown).toMatchObject({ code: 'git-failed' })
      })
    for (const from of [root, join(root, '.git'), pathToFileURL(root).href]) {
      await using copy = await checkoutOf({ repository: from, ref: 'HEAD' })
      expect(await copy.read('a.txt')).toBe('one\n')
    }
    expect(existsSync(mark) ? readFileSync(mark, 'utf8') : '').toBe('')
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
