import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { consensus, fileContent, jury, type WritableWorkspace } from '@jurist/core'
import { copyWorkspaces, gitWorkspaces } from '@jurist/experiment'
import { runProbes } from '@jurist/vet'
import { bubblewrapSandbox } from '@jurist/workspace'
import { buildSucceeds, commandSucceeds } from '@jurist/workspace/commands'
import { coverageAtLeast } from '@jurist/workspace/coverage'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import { expect, test } from 'vitest'
import { whyNoBubblewrap } from '../../../../tests/toolchains/kit/bubblewrap.js'
import { describeUnless } from '../../../../tests/toolchains/kit/describe-unless.js'
import { expectedPassing, passing } from './probe-fixture.js'

const files = (texts: { readonly [path: string]: string }) => ({ type: 'files', files: texts }) as const

const word = {
  item: {
    id: 'word',
    task: 'Put the right word.',
    before: files({ 'word.txt': 'wrong\n' }),
    reference: files({ 'word.txt': 'right\n' }),
  },
  judges: {
    naive: commandSucceeds(['grep', '-q', 'right', 'word.txt']),
    strict: fileContent('word.txt', { contains: 'right' }),
  },
}

test('without a sandbox, the right answer and variables are found; a judge of files follows no link out', async () => {
  const passers = {
    'link-to-reference': ['naive'],
    'answer-on-disk': ['naive', 'strict'],
    'env-secrets': process.platform === 'linux' ? ['found'] : [],
  }
  expect(await passing(word, Object.keys(passers))).toEqual(expectedPassing(word, passers))
})

describeUnless(await whyNoBubblewrap(), 'in a sandbox', () => {
  test('neither is found', async () => {
    const contained = { ...word, provision: copyWorkspaces({ sandbox: 'bubblewrap' }) }
    const passers = { 'link-to-reference': [], 'answer-on-disk': [], 'env-secrets': [] }
    expect(await passing(contained, Object.keys(passers))).toEqual(expectedPassing(word, passers))
  })
})

test('the answer in the history of a repository is found in a clone, and not in what items of git get', async () => {
  await using repository = await temporaryWorkspace({ 'word.txt': 'wrong\n' })
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...words], {
      cwd: repository.root,
      encoding: 'utf8',
    }).trim()
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'first')
  const first = git('rev-parse', 'HEAD')
  await repository.write('word.txt', 'right\n')
  git('commit', '-qam', 'second')
  const cloned = {
    ...word,
    prepare: async ({ workspace }: { readonly workspace: WritableWorkspace }) => {
      await workspace.run(['git', 'clone', '-q', '--bare', repository.root, '.git'])
    },
  }
  const whole = { 'git-answer': ['naive', 'strict'] }
  expect(await passing(cloned, ['git-answer'])).toEqual(expectedPassing(word, whole))
  const before = { type: 'git', repoPath: repository.root, commitHash: first, subDirectory: null } as const
  const checkedOut = { ...word, item: { ...word.item, before }, provision: gitWorkspaces() }
  expect(await passing(checkedOut, ['git-answer'])).toEqual(expectedPassing(word, { 'git-answer': [] }))
})

test('the answer at the server of the project is found by an open network, and held by an allow-list', async () => {
  await using repository = await temporaryWorkspace({ 'word.txt': 'right\n' })
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...words], {
      cwd: repository.root,
      encoding: 'utf8',
    }).trim()
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'the answer')
  git('update-server-info')
  const commit = git('rev-parse', 'HEAD')
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = decodeURIComponent((request.url ?? '').replace(/\?.*/, ''))
    asked.push(path)
    const file = path.replace(`/acme/cart/raw/${commit}/`, '').replace(/^\/acme\/cart\//, '.git/')
    if (existsSync(join(repository.root, file))) response.end(readFileSync(join(repository.root, file)))
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/acme/cart`
  const known = { ...word, item: { ...word.item, metadata: { source: { repository: address, commit } } } }
  const names = ['fetch-answer', 'clone-upstream']
  const both = (found: readonly string[]) => ({ 'fetch-answer': found, 'clone-upstream': found })
  expect(await passing(known, names)).toEqual(expectedPassing(word, both(['found'])))
  expect(asked.length).toBeGreaterThan(0)
  asked.length = 0
  if ((await whyNoBubblewrap()) === undefined) {
    const sandbox = bubblewrapSandbox({ network: { allow: ['model.test'] } })
    const closed = { ...known, provision: copyWorkspaces({ sandbox }) }
    expect(await passing(closed, names)).toEqual(expectedPassing(word, both([])))
    expect(asked).toEqual([])
  }
  server.close()
  // Without the option they are skipped; an item without a project does not name them.
  const offline = async (item: typeof word.item) =>
    runProbes(
      { name: 'offline', dataset: [item], jury: jury({ judges: word.judges, vote: consensus() }) },
      { probes: names, withoutSandbox: true },
    )
  const skipped = (await offline(known.item)).probes.map(({ name, skipped: reason }) => [name, reason])
  expect(skipped).toEqual([['idle', null], ...names.map((name) => [name, expect.stringContaining('--online')])])
  expect((await offline(word.item)).probes.map(({ name }) => name)).toEqual(['idle'])
  expect(asked).toEqual([])
})

/** Writes the coverage that the source deserves. */
const measuring = `const { mkdirSync, readFileSync, writeFileSync } = require('node:fs')
const pct = readFileSync('src/word.js', 'utf8').includes('right') ? 100 : 10
mkdirSync('coverage', { recursive: true })
writeFileSync('coverage/coverage-summary.json', JSON.stringify({ total: { lines: { total: 100, covered: pct, pct } } }))`
const measured = JSON.stringify({ total: { lines: { total: 100, covered: 100, pct: 100 } } })
const source = {
  item: {
    id: 'source',
    task: 'Put the right word.',
    before: files({ 'src/word.js': 'export const word = "wrong"\n' }),
    reference: files({
      'src/word.js': 'export const word = "right"\n',
      'coverage/coverage-summary.json': measured,
    }),
  },
}

test('a forged report of coverage gets through a judge that reads what is there', async () => {
  const measure = buildSucceeds.command([process.execPath, '-e', measuring])
  const judges = { naive: coverageAtLeast(90, { after: 'agent' }), strict: coverageAtLeast(90, { after: measure }) }
  const fixture = { ...source, judges }
  const passers = { 'coverage-forged': ['naive'] }
  expect(await passing(fixture, Object.keys(passers))).toEqual(expectedPassing(fixture, passers))
})

test('files that shells read get through a command that starts a login shell at home in the workspace', async () => {
  const looking = 'grep -q right src/word.js'
  const judges = {
    naive: commandSucceeds(`HOME="$PWD" bash -l -c '${looking}'`),
    strict: commandSucceeds(looking),
  }
  const fixture = { ...source, judges }
  const passers = { 'shell-rc': ['naive'] }
  expect(await passing(fixture, Object.keys(passers))).toEqual(expectedPassing(fixture, passers))
})
