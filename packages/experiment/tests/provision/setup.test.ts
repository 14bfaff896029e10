import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Agent } from '@jurist/core'
import { testsPass } from '@jurist/workspace/commands'
import { afterAll, describe, expect, test } from 'vitest'
import { completed, copyWorkspaces, gitWorkspaces, openDataset, runExperiment } from '../../src/index.js'
import { rejudge } from '../../src/rejudge/index.js'

const made: string[] = []
afterAll(() => {
  for (const directory of made) rmSync(directory, { recursive: true, force: true })
})

/** A dataset with one item, whose package is installed by a copy of `lock.json`. */
function dataset(lock: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'jurist-setup-'))
  made.push(directory)
  const tested = "import { test } from 'node:test'\nimport 'installed'\ntest('runs', () => {})\n"
  const files = {
    'dataset.json': '{"schemaVersion":1,"name":"setup","version":"1","items":[{"id":"one","path":"one"}]}',
    'one/item.json': '{"task":"Do it."}',
    'one/before/lock.json': lock,
    'one/reference/lock.json': lock,
    'one/reference/tests/a.test.js': tested,
    'one/before/src/number.js': "import 'installed'\nexport const number = () => 1\n",
    'one/reference/src/number.js': "import 'installed'\nexport const number = () => 1\n",
    'one/reference/tests/number.test.js':
      "import assert from 'node:assert'\nimport { test } from 'node:test'\nimport { number } from '../src/number.js'\ntest('is one', () => assert.equal(number(), 1))\n",
    'one/before/package.json': '{"type":"module"}',
    'one/reference/package.json': '{"type":"module"}',
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  return directory
}

const install =
  'echo run >> "$COUNT" && mkdir -p node_modules/installed && cp lock.json node_modules/installed/index.js && echo \'{"type":"module"}\' > node_modules/installed/package.json'

function setup(directory: string, command: string = install) {
  return {
    command: command.replace('"$COUNT"', `'${directory}/count'`),
    inputs: ['lock.json'],
    keeps: ['node_modules'],
    cacheDirectory: join(directory, 'cache'),
  }
}

const jury = testsPass.command(['node', '--test', 'tests/a.test.js'], { overlay: { paths: ['tests'] } })

describe('the setup of workspaces', () => {
  test('runs once for equal inputs, and judges take nothing of it from the agent', async () => {
    const directory = dataset('export const lock = 1\n')
    const breaks: Agent = async ({ workspace }) => {
      expect(await workspace.read('node_modules/installed/index.js')).toContain('lock = 1')
      await workspace.write('node_modules/installed/index.js', 'throw new Error("changed")')
      return completed()
    }
    const run = () =>
      runExperiment({
        ...{ name: 'setup', dataset: directory, agent: breaks, jury, repetitions: 2 },
        provision: copyWorkspaces({ setup: setup(directory) }),
      }).result
    const [first, second] = [await run(), await run()]
    expect([...first.items, ...second.items].map(({ passed }) => passed)).toEqual([true, true, true, true])
    expect(readFileSync(join(directory, 'count'), 'utf8')).toBe('run\n')
  })

  test('and the locked tests of an item are there when a stored run is judged again', async () => {
    const directory = dataset('export const lock = 1\n')
    const lock = {
      ...{ failToPass: ['runs'], passToPass: [], flaky: [], seconds: 1, tool: 'command' },
      ...{ juryFingerprint: '', itemHash: '' },
    }
    writeFileSync(join(directory, 'one', 'tests.lock.json'), JSON.stringify(lock))
    const demanding = testsPass.command(['node', '--test', 'tests/a.test.js'], {
      ...{ overlay: { paths: ['tests'] }, expect: 'lock' },
    })
    const provision = copyWorkspaces({ setup: setup(directory) })
    const store = join(directory, 'results')
    const keeping = { store, preserveWorkspaces: 'all' } as const
    const { id } = await runExperiment({
      ...{ name: 'setup', dataset: directory, agent: () => completed(), jury: demanding, provision, ...keeping },
    }).result
    const again = await rejudge(id, demanding, { store, provision, datasetDirectory: directory }).result
    expect(again.items.map(({ passed }) => passed)).toEqual([true])
    const unknown = await rejudge(id, demanding, { store }).result
    expect(JSON.stringify(unknown.items[0]?.verdict)).toContain('has no tests.lock.json')
    expect(readFileSync(join(directory, 'count'), 'utf8')).toBe('run\n')
  })

  test('is there for code in a separate process, without what the agent changed', async () => {
    const directory = dataset('export const lock = 1\n')
    const breaks: Agent = async ({ workspace }) => {
      await workspace.write('node_modules/installed/index.js', 'throw new Error("changed")')
      return completed()
    }
    const isolated = testsPass.command(['node', '--test', 'tests/number.test.js'], {
      ...{ overlay: { paths: ['tests'] }, isolate: 'child' },
    })
    const { items } = await runExperiment({
      ...{ name: 'setup', dataset: directory, agent: breaks, jury: isolated },
      provision: copyWorkspaces({ setup: setup(directory) }),
    }).result
    expect(items[0]?.passed).toBe(true)
  })

  test('that fails is a failure of the infrastructure', async () => {
    const directory = dataset('1')
    const { items } = await runExperiment({
      ...{ name: 'setup', dataset: directory, agent: () => completed(), jury, retries: { baseMs: 1 } },
      provision: copyWorkspaces({ setup: setup(directory, 'echo no such package >&2; exit 7') }),
    }).result
    expect(items[0]?.failure).toMatchObject({ code: 'setup-failed', infrastructure: true, origin: 'setup' })
    expect(items[0]?.failure?.message).toContain('no such package')
    expect(items[0]?.attempts).toEqual([])
  })

  test('that fills none of its directories says so', async () => {
    const directory = dataset('1')
    const { items } = await runExperiment({
      ...{ name: 'setup', dataset: directory, agent: () => completed(), jury, retries: { baseMs: 1 } },
      provision: copyWorkspaces({ setup: setup(directory, 'mkdir -p node_modules packages/one') }),
    }).result
    expect(items[0]?.failure).toMatchObject({ code: 'setup-failed', infrastructure: true, origin: 'setup' })
    expect(items[0]?.failure?.message).toContain('left nothing in node_modules. Name the directories that it fills')
  })

  test('leaves nothing in the workspace that is kept', async () => {
    const directory = dataset('1')
    const item = await (await openDataset(directory)).item('one')
    const provision = copyWorkspaces({ setup: setup(directory) })
    await using lease = await provision({ item, repetition: 1, signal: AbortSignal.timeout(60_000) })
    await lease.keepAt(join(directory, 'kept'))
    expect(await lease.workspace.exists('node_modules/installed/index.js')).toBe(true)
    expect(existsSync(join(directory, 'kept', 'lock.json'))).toBe(true)
    expect(existsSync(join(directory, 'kept', 'node_modules'))).toBe(false)
  })

  test('is in a repository with its history, and the next one gets it unchanged', async () => {
    const directory = dataset('1')
    const [repository, item] = [join(directory, 'one', 'before'), join(directory, 'one', 'item.json')]
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-C', repository, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
        encoding: 'utf8',
      })
    git('init', '--quiet')
    git('add', '--all')
    git('commit', '--quiet', '--message', 'One')
    const beforeRef = { repoPath: pathToFileURL(repository).href, commitHash: git('rev-parse', 'HEAD').trim() }
    writeFileSync(item, JSON.stringify({ task: 'Do it.', beforeRef }))
    const provision = gitWorkspaces({ setup: setup(directory) })
    const request = {
      ...{ item: await (await openDataset(directory)).item('one'), repetition: 1 },
      signal: AbortSignal.timeout(60_000),
    }
    for (const _ of ['first', 'second']) {
      await using lease = await provision(request)
      expect(await lease.workspace.exists('.git/HEAD')).toBe(true)
      expect(await lease.workspace.read('node_modules/installed/index.js')).toBe('1')
      await lease.workspace.write('node_modules/installed/index.js', 'changed')
    }
  })

  test.each([
    [{ command: '' }, 'command'],
    [{ inputs: 'package.json' }, 'inputs'],
    [{ keep: [] }, 'keep'],
  ])('with %j is refused', (wrong, named) => {
    const given = { ...setup('/tmp'), ...wrong }
    expect(() => copyWorkspaces({ setup: given as never })).toThrow(named)
  })
})
