import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Project, project } from '../../../jurist/tests/project.js'
import { readCommits } from '../../src/git/candidates.js'
import { giveaways, itemIds, readIssues, taskText } from '../../src/git/item.js'
import { setupCommands, splitWords, testCommand, usualTestCommand } from '../../src/git/project-commands.js'
import { hiddenPaths, isRunnable, projectPaths } from '../../src/git/project-paths.js'

describe('the text of a task', () => {
  const closing =
    '\n\nChange the source code accordingly. Tests that you do not see decide whether the change is right.\n'

  test.each([
    ['Round halves to even', 'Round halves to even'],
    ['Round halves to even (#12)\n\nCo-authored-by: A <a@b.c>\nSigned-off-by: B', 'Round halves to even'],
    ['Merge pull request #3 from me/return-early\n\nRound halves to even', 'Round halves to even'],
    ['Round halves to even\n\ndiff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b\nThanks', 'Round halves to even\n\nThanks'],
  ])('of the message %j', (message, text) => {
    expect(taskText(message)).toBe(`${text}${closing}`)
  })

  test.each(['fix', 'Merge branch develop', 'v1.2.3', ''])('of %j does not exist', (message) => {
    expect(taskText(message)).toBeUndefined()
  })

  test('is that of the issue where its file has it', () => {
    const issues = readIssues('[{"number": 12, "title": "Halves", "body": "0.5 becomes 1, expected 0"}]')
    expect(taskText('Round to even, fixes #12', issues)).toBe(`Halves\n\n0.5 becomes 1, expected 0${closing}`)
    expect(readIssues('{"number": 1, "title": "a"}\n{"number": 2, "title": "b"}')?.size).toBe(2)
    expect(readIssues('{"title": "a"}')).toBeUndefined()
    expect(readIssues('no JSON')).toBeUndefined()
  })

  test('is checked for the fix', () => {
    const lines = ['  if (value < 0) return -1', '}']
    expect(giveaways('Handle negatives: if (value < 0) return -1', lines)).toEqual(['if (value < 0) return -1'])
    expect(giveaways('Return early when the list is empty', [])).toEqual(['Return early when the list is empty'])
    expect(giveaways('Round halves to even', lines)).toEqual([])
  })
})

describe('the paths of a project', () => {
  test.each([
    ['src/sum.js', 'source'],
    ['lib/deep/sum.py', 'source'],
    ['test/sum.js', 'test'],
    ['src/sum.test.ts', 'test'],
    ['src/__tests__/sum.ts', 'test'],
    ['pkg/sum_test.go', 'test'],
    ['tests/fixtures/a.json', 'test'],
    ['src/test/java/SumTest.java', 'test'],
    ['README.md', 'neither'],
    ['package-lock.json', 'neither'],
    ['docs/conf.py', 'neither'],
    ['vitest.config.ts', 'neither'],
    ['contest/latest.js', 'source'],
  ])('%s is %s', async (path, kind) => {
    const { isSource, isTest } = await projectPaths({})
    expect([isSource(path), isTest(path)]).toEqual([kind === 'source', kind === 'test'])
  })

  test('by globs of the caller', async () => {
    const { isSource, isTest } = await projectPaths({ source: ['src/**'], tests: ['checks/**'] })
    expect([isSource('src/data.json'), isSource('lib/a.js'), isTest('checks/a.js'), isTest('test/a.js')]).toEqual([
      true,
      false,
      true,
      false,
    ])
  })

  test('a directory that holds nothing but tests is hidden whole', async () => {
    const { isTest } = await projectPaths({})
    const tree = ['src/a.js', 'src/a.test.js', 'tests/b.js', 'tests/deep/c.js']
    expect(hiddenPaths(['tests/deep/c.js', 'src/a.test.js'], tree, isTest)).toEqual(['src/a.test.js', 'tests'])
  })

  test.each([
    ['tests/test_more.py', true],
    ['src/a.spec.ts', true],
    ['SumTest.java', true],
    ['tests/conftest.py', false],
    ['tests/a.test.js.snap', false],
    ['tests/fixtures/latest.js', false],
  ])('%s can be run: %s', (path, runs) => {
    expect(isRunnable(path)).toBe(runs)
  })
})

describe('the test command', () => {
  test.each([
    ['pytest {files}', { tool: 'pytest', arguments: ['a.py'] }],
    ['pytest -x', { tool: 'pytest', arguments: ['-x'] }],
    ['npm test', { tool: 'npm', arguments: ['test'] }],
    ['npm run unit -- {files}', { tool: 'npm', arguments: ['unit', '--', 'a.py'] }],
    ['node --test {files}', { command: ['node', '--test', 'a.py'] }],
    [
      'npx jest {files}',
      { command: ['npx', 'jest', 'a.py', '--json', '--outputFile=jest-report.json'], reports: 'jest-report.json' },
    ],
    [
      'npx vitest run {files}',
      {
        command: ['npx', 'vitest', 'run', 'a.py', '--reporter=json', '--outputFile=vitest-report.json'],
        reports: 'vitest-report.json',
      },
    ],
    ['npx vitest run --reporter=junit', { command: ['npx', 'vitest', 'run', '--reporter=junit'] }],
    [
      '.venv/bin/python -m pytest {files}',
      { command: ['.venv/bin/python', '-m', 'pytest', 'a.py', '--junitxml=junit.xml'], reports: 'junit.xml' },
    ],
    ['make test && echo {files}', { command: "make test && echo 'a.py'" }],
  ])('%s', (line, options) => {
    expect(testCommand(line).judge(['a.py'])).toEqual({ type: 'tests-pass', ...options })
  })

  test.each([
    [{ 'package.json': '{"scripts":{"test":"vitest run"}}' }, 'npm test -- {files}'],
    [{ 'package.json': '{"scripts":{"test":"tsc && vitest run"}}' }, 'npx vitest run {files}'],
    [
      { 'package.json': '{"scripts":{"test":"node --test --enable-source-maps && tsc"}}' },
      'node --test --enable-source-maps {files}',
    ],
    [{ 'package.json': '{"scripts":{"test":"jest --ci"}}' }, 'npm test -- {files}'],
    [{ 'package.json': '{"scripts":{"test":"node --test tests/all.js && tsc"}}' }, 'npm test'],
    [{ 'package.json': '{"scripts":{"test":"CI=1 jest || true"}}' }, 'npm test'],
    [{ 'package.json': '{"scripts":{"test":"echo \\"no test specified\\""}}', 'setup.py': '' }, 'pytest {files}'],
    [{ 'pyproject.toml': '' }, 'pytest {files}'],
    [{ 'go.mod': '' }, 'go test ./...'],
    [{ 'README.md': '' }, undefined],
  ])('of a project with %j', (files: Readonly<Record<string, string>>, shown) => {
    const root = { paths: new Set(Object.keys(files)), packageJson: files['package.json'] }
    expect(usualTestCommand(root)?.shown).toBe(shown)
  })

  test.each([
    ["a 'b c' d", ['a', 'b c', 'd']],
    ['a "b c"', ['a', 'b c']],
    ['a | b', undefined],
    ['a $HOME', undefined],
    ['CI=1 a', undefined],
    ['a "b', undefined],
  ])('words of %j', (line, words) => {
    expect(splitWords(line)).toEqual(words)
  })
})

describe('the setup of a project', () => {
  const npm = { command: ['npm', 'ci', '--no-audit', '--no-fund'], keeps: ['node_modules'] }
  const pnpm = { command: ['pnpm', 'install', '--frozen-lockfile'], keeps: ['node_modules'] }

  test.each([
    [['package-lock.json'], [{ when: 'package-lock.json', inputs: ['package.json', 'package-lock.json'], ...npm }]],
    [
      ['package-lock.json', 'pnpm-lock.yaml'],
      [
        { when: 'package-lock.json', inputs: ['package.json', 'package-lock.json'], ...npm },
        { when: 'pnpm-lock.yaml', inputs: ['package.json', 'pnpm-lock.yaml'], ...pnpm },
      ],
    ],
    [
      ['package.json', 'requirements.txt'],
      [
        expect.objectContaining({ when: 'package.json', inputs: ['package.json'] }),
        expect.objectContaining({ when: 'requirements.txt', keeps: ['.venv'] }),
      ],
    ],
    [
      ['package.json', 'yarn.lock', 'bun.lock', 'npm-shrinkwrap.json'],
      [
        expect.objectContaining({ when: 'npm-shrinkwrap.json', command: npm.command }),
        expect.objectContaining({ when: 'yarn.lock', command: ['yarn', 'install', '--frozen-lockfile'] }),
        expect.objectContaining({ when: 'bun.lock', command: ['bun', 'install', '--frozen-lockfile'] }),
        expect.objectContaining({ when: 'package.json', command: expect.arrayContaining(['--no-package-lock']) }),
      ],
    ],
    [['pyproject.toml'], undefined],
    [[], undefined],
  ])('of a history with %j', (ever, setups) => {
    expect(setupCommands(undefined, [], new Set(ever))).toEqual(setups)
  })

  test.each([
    ['make deps', ['pyproject.toml'], ['make', 'deps'], ['.venv']],
    ['a && b', ['package.json'], 'a && b', ['node_modules']],
  ])('%j with %j', (given, ever, command, keeps) => {
    expect(setupCommands(given, [], new Set(ever))).toEqual({ command, inputs: ever, keeps })
  })

  test('none installs nothing', () => {
    expect(setupCommands('none', [], new Set(['package-lock.json']))).toBeUndefined()
  })
})

test('ids are slugs of subjects, and later commits change none of them', () => {
  const messages = [
    'Round halves to even',
    'fix(parser): Größe & naïve “quotes” (#12)\n\nmore',
    'Merge pull request #3 from me/branch\n\nAdd a mode for strict parsing',
    'A subject that goes on and on until nobody reads the words any more',
    'Supercalifragilisticexpialidociousnessandfurther',
    '四捨五入',
    '../../etc/passwd; rm -rf $HOME',
    'Round halves to even 2',
    "Don't round halves",
    'Round halves to even!',
    'round HALVES to even',
  ]
  const commits = messages.map((message, at) => ({ hash: `h${at}`, message }))
  const ids = itemIds(commits)
  expect([...ids.values()].sort()).toEqual(
    [
      'round-halves-to-even',
      'round-halves-to-even-2',
      'round-halves-to-even-2-2',
      'round-halves-to-even-3',
      'fix-parser-grosse-naive-quotes',
      'add-a-mode-for-strict-parsing',
      'a-subject-that-goes-on-and-on-until',
      'supercalifragilisticexpialidociousnessan',
      'commit',
      'etc-passwd-rm-rf-home',
      'dont-round-halves',
    ].sort(),
  )
  expect(ids.get('h10')).toBe('round-halves-to-even')
  expect(ids.get('h9')).toBe('round-halves-to-even-2')
  const later = itemIds([{ hash: 'new', message: 'Round halves to even' }, ...commits])
  for (const [hash, id] of ids) expect(later.get(hash)).toBe(id)
  expect(itemIds(commits, new Map([['round-halves-to-even', 'h0']])).get('h0')).toBe('round-halves-to-even')
})

test('commits are read with messages and paths of any characters', () => {
  const record = '\u0001aa\u0002bb cc\u00022026-01-01\u0002One\n\nTwo\t3\n\u0002\0\n1\t2\ta b.js\0-\t-\tpicture\n.png\0'
  expect(readCommits(record)).toEqual([
    {
      ...{ hash: 'aa', parent: 'bb', merged: 'cc', date: '2026-01-01', message: 'One\n\nTwo\t3' },
      changes: [
        { path: 'a b.js', lines: 3 },
        { path: 'picture\n.png', lines: 0 },
      ],
    },
  ])
})

/** A repository with a commit for each entry: its message, and the files that it writes. */
function repository(
  { directory }: Project,
  commits: readonly (readonly [message: string, files: Readonly<Record<string, string>>])[],
): void {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', directory, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { stdio: 'ignore' })
  git('init', '--quiet', '--initial-branch', 'main')
  for (const [message, files] of commits) {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true })
      writeFileSync(join(directory, path), text)
    }
    git('add', '--all')
    git('commit', '--quiet', '--message', message)
  }
}

const sumTest = (lines: string) => `import assert from 'node:assert'
import { test } from 'node:test'
import { sum } from '../src/sum.js'
${lines}
`
const adds = "test('adds', () => assert.equal(sum(1, 2), 3))"
const textsOf = "test('adds texts', () => assert.equal(sum('1', '2'), 3))"
const history = [
  [
    'A function that adds',
    {
      'package.json': '{"type":"module","scripts":{"test":"node --test"}}',
      'src/sum.js': 'export const sum = (a, b) => a + b\n',
      'test/sum.test.js': sumTest(adds),
    },
  ],
  ['Say what it is for', { 'README.md': '# Sum\n' }],
  [
    'Numbers in texts are added as numbers',
    {
      'src/sum.js': 'export const sum = (a, b) => Number(a) + Number(b)\n',
      'test/sum.test.js': sumTest(`${adds}\n${textsOf}`),
    },
  ],
  [
    'Shorter names of the parameters',
    { 'src/sum.js': 'export const sum = (x, y) => Number(x) + Number(y)\n', 'test/sum.test.js': sumTest(textsOf) },
  ],
  [
    'A product that is not right yet',
    {
      'src/product.js': 'export const product = (a, b) => a * b + 1\n',
      'test/product.test.js': sumTest("test('fails', () => assert.ok(false))"),
    },
  ],
] as const

describe('jurist import git', () => {
  test('makes items of the commits whose tests need them, without history and author', async () => {
    using made = project()
    repository(made, history)
    const { code, stdout } = await made.jurist(
      'import',
      'git',
      '--out',
      'evals',
      '--test-command',
      'node --test {files}',
      '--repeat',
      '1',
      '--json',
    )
    const { items, leftOut } = JSON.parse(stdout)
    expect(code).toBe(0)
    expect(items).toHaveLength(1)
    expect(leftOut).toEqual({ 'first-commit': 1, 'no-source': 1, 'passes-before': 1, 'reference-fails': 1 })
    const [id] = items
    const place = join(made.directory, 'evals', 'dataset', 'items', id)
    const item = JSON.parse(readFileSync(join(place, 'item.json'), 'utf8'))
    expect(item.metadata.source.subject).toBe('Numbers in texts are added as numbers')
    expect(JSON.stringify(item)).not.toContain('a@b.c')
    expect(item.judges.tests).toMatchObject({ expect: 'lock', overlay: { paths: ['test', 'package.json'] } })
    expect(JSON.parse(readFileSync(join(place, 'tests.lock.json'), 'utf8'))).toMatchObject({
      failToPass: ['adds texts'],
      passToPass: ['adds'],
    })
    expect(readFileSync(join(place, 'task.md'), 'utf8')).toMatch(/^Numbers in texts are added as numbers\n/)
    expect((await made.jurist('-C', 'evals', 'validate')).code).toBe(0)
    const again = await made.jurist('import', 'git', '--out', 'evals')
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('evals exists already')])
    const resumed = await made.jurist('import', 'git', '--out', 'evals', '--resume', '--json')
    expect(JSON.parse(resumed.stdout).items).toEqual(items)
  })

  test('copies the files where that is asked for, and runs the tests as the package.json of each commit says', async () => {
    using made = project()
    const [, , fix] = history
    const later = '{"type":"module","scripts":{"test":"jest --ci && tsc"}}'
    repository(made, [history[0], fix, ['Jest runs the tests', { 'package.json': later }]])
    const { stdout, stderr } = await made.jurist('import', 'git', '--out', 'evals', '--copy', '--repeat', '1', '--json')
    expect(stderr).toContain('Tests: npx jest --ci {files}')
    const [id] = JSON.parse(stdout).items
    const place = join(made.directory, 'evals', 'dataset', 'items', id)
    const item = JSON.parse(readFileSync(join(place, 'item.json'), 'utf8'))
    const judge = { tool: 'npm', arguments: ['test', '--', 'test/sum.test.js'], isolate: 'child' }
    expect(item.judges.tests).toMatchObject(judge)
    expect(JSON.parse(readFileSync(join(place, 'tests.lock.json'), 'utf8')).failToPass).toEqual(['adds texts'])
    expect(readFileSync(join(place, 'before', 'src', 'sum.js'), 'utf8')).toContain('a + b')
    expect(readFileSync(join(place, 'reference', 'src', 'sum.js'), 'utf8')).toContain('Number(a)')
    expect(existsSync(join(place, 'before', '.git'))).toBe(false)
  })

  test('refuses secrets', async () => {
    using leaking = project()
    const [first, , fix] = history
    repository(leaking, [[first[0], { ...first[1], '.env': 'KEY=1' }], fix])
    const refused = await leaking.jurist('import', 'git', '--out', 'evals', '--json')
    expect(JSON.parse(refused.stdout)).toMatchObject({ items: [], leftOut: { secrets: 1 }, notes: [{ note: '.env' }] })
    expect(refused.code).toBe(1)
    expect(existsSync(join(leaking.directory, 'evals'))).toBe(false)
  })

  test('installs what the files of a commit name, and tries again what could not be installed', async () => {
    using made = project()
    const [first, , fix] = history
    const names = { 'package.json': '{"type":"module","dependencies":{"a":"1"}}' }
    repository(made, [
      [first[0], { ...first[1], ...names }],
      [fix[0], fix[1]],
      [
        'Nothing is added as a zero',
        {
          'src/sum.js': 'export const sum = (a, b) => Number(a ?? 0) + Number(b ?? 0)\n',
          'test/sum.test.js': sumTest("test('adds nothing', () => assert.equal(sum(1), 1))"),
          'package-lock.json': '{}',
        },
      ],
    ])
    const log = join(made.directory, '.git', 'installed')
    const npm = (failing: string) => {
      const says = "printf 'npm error code EUSAGE\\nnpm error No such lock\\n\\nnpm error aliases: ic\\n' >&2"
      made.write({
        '.git/bin/npm': `#!/bin/sh\necho "$1" >> '${log}'\ncase $1 in ${failing}) ${says}; exit 1;; esac\n`,
      })
      chmodSync(join(made.directory, '.git', 'bin', 'npm'), 0o755)
    }
    const importing = (...more: readonly string[]) =>
      made.juristWith(
        { PATH: `${join(made.directory, '.git', 'bin')}:${process.env.PATH}` },
        ...['import', 'git', '--out', 'evals', '--test-command', 'node --test {files}', '--repeat', '1', ...more],
      )
    npm('*')
    const failed = await importing()
    expect([failed.code, failed.stdout]).toEqual([1, expect.stringContaining('--setup none')])
    expect(failed.stdout).toContain('failed (1): No such lock ')
    expect(failed.stdout).not.toContain('aliases')
    expect(existsSync(join(made.directory, 'evals'))).toBe(false)
    npm('ci')
    writeFileSync(log, '')
    const { items, leftOut } = JSON.parse((await importing('--json')).stdout)
    expect([items, leftOut]).toEqual([
      ['numbers-in-texts-are-added-as-numbers'],
      { 'first-commit': 1, 'not-installed': 1 },
    ])
    expect(readFileSync(log, 'utf8').trim().split('\n').sort()).toEqual(['ci', 'install'])
    const again = JSON.parse((await importing('--resume', '--setup', 'none', '--json')).stdout)
    expect(again).toMatchObject({ items: [...items, 'nothing-is-added-as-a-zero'], leftOut: { 'first-commit': 1 } })
  })

  test('that is interrupted before its first item says how to continue', async () => {
    using made = project()
    const [first, , fix] = history
    repository(made, [first, fix])
    const started = made.start(
      ...['import', 'git', '--out', 'evals', '--test-command', "node -e 'setInterval(()=>{},9)' {files}"],
    )
    await started.said('trials')
    started.child.kill('SIGINT')
    const { code, stdout } = await started.ended
    expect([code, stdout]).toEqual([130, expect.stringContaining('with --resume continues')])
    expect(stdout).not.toContain('Nothing to import')
  })

  test('keeps what it found where the history cannot be read further', async () => {
    using made = project()
    const [first, , fix] = history
    const renamed = (name: string) => ({
      'src/sum.js': `export const sum = (${name}, y) => ${name} + y\n`,
      'test/sum.test.js': sumTest(`${adds} // ${name}`),
    })
    const others = ['left', 'first', 'one'].map((name) => [`The parameter is named ${name}`, renamed(name)] as const)
    repository(made, [first, ...others, fix])
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-C', made.directory, ...args], { encoding: 'utf8' })
    const broken = git('rev-parse', 'HEAD~3').trim()
    made.write({
      '.git/bin/git': `#!/bin/sh\ncase "$*" in *ls-tree*${broken}*) exit 1;; esac\nPATH='${process.env.PATH}' exec git "$@"\n`,
    })
    chmodSync(join(made.directory, '.git', 'bin', 'git'), 0o755)
    const { code, stderr } = await made.juristWith(
      { PATH: `${join(made.directory, '.git', 'bin')}:${process.env.PATH}` },
      ...['import', 'git', '--out', 'evals', '--test-command', 'node --test {files}', '--repeat', '1', '--max', '2'],
    )
    expect([code, stderr]).toEqual([2, expect.stringContaining('git failed')])
    expect(readdirSync(join(made.directory, 'evals', 'dataset', 'items'))).toHaveLength(1)
    expect((await made.jurist('-C', 'evals', 'validate')).code).toBe(0)
  })

  test.each([
    [['import', 'git', 'missing', '--out', 'evals'], 'missing is not a directory'],
    [['import', 'git', '--out', 'evals'], 'is not a git repository'],
    [['import', 'git', '--issues', 'nothing.json'], '--issues nothing.json cannot be read'],
    [['import', 'git', '--since', 'nonsense', '--out', 'evals'], '--since must be an instant, such as 2026-11-21'],
    [['import', 'hg'], 'Unknown format "hg"'],
    [['import', 'promptfoo', 'a.yaml', '--max', '3'], '--max belongs to "jurist import git"'],
    [['import', 'promptfoo'], 'Name the suite'],
  ])('%j is refused', async (argv, message) => {
    using made = project()
    const { code, stderr } = await made.jurist(...argv)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
    expect(existsSync(join(made.directory, 'evals'))).toBe(false)
  })

  test('a repository without commits is refused', async () => {
    using made = project()
    execFileSync('git', ['init', '--quiet'], { cwd: made.directory })
    const { code, stderr } = await made.jurist('import', 'git', '--out', 'evals')
    expect([code, stderr]).toEqual([2, expect.stringContaining('has no commits')])
  })
})
