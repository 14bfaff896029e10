import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runJudge } from '@jurist/core'
import { endsWithin } from '@jurist/core/internal'
import { aContext } from '@jurist/core/testing'
import { bubblewrapSandbox, copyOf, type Sandbox } from '@jurist/workspace'
import { commandSucceeds, type TestOptions, testsPass } from '@jurist/workspace/commands'
import { type TemporaryFile, temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'
import { timesOf } from '../../src/local-workspace.js'
import { withEnoughTime } from '../enough-time.js'

// What an agent leaves beside the tests, and what its code says of itself: none of it may decide.

type Files = { readonly [path: string]: TemporaryFile }

/** A project, its hidden tests, and how they run. */
interface Project {
  readonly before: Files
  readonly reference: Files
  readonly tests: Files
  readonly run: (options: TestOptions) => ReturnType<typeof testsPass.pytest>
}

interface Scene {
  readonly project: Project
  /** What the agent writes; `null` removes. */
  readonly agent: { readonly [path: string]: TemporaryFile | null }
  readonly options?: TestOptions
}

async function judged({ project, agent, options }: Scene, sandbox?: Sandbox) {
  const { before, reference, tests, run } = project
  const work = Object.entries({ ...before, ...agent }).filter(([, content]) => content !== null)
  await using given = await temporaryWorkspace(before)
  await using written = await temporaryWorkspace(Object.fromEntries(work) as Files)
  await using workspace = await copyOf(written.root, sandbox === undefined ? {} : { sandbox })
  await using solution = await temporaryWorkspace({ ...before, ...reference, ...tests })
  const paths = [...new Set(Object.keys(tests).map((path) => path.split('/')[0] ?? path))]
  const judge = run({ overlay: { paths }, ...options })
  return await runJudge(judge, aContext({ workspace, before: given, reference: solution }))
}

const apart: TestOptions = { isolate: 'child' }

/** Where Python is: the program that PATH names may be a script that starts another one. */
const pythonPlaces = spawnSync('sh', ['-c', 'command -v python3 && python3 -c "import sys; print(sys.prefix)"'], {
  encoding: 'utf8',
})
const [program = '', prefix = ''] = pythonPlaces.stdout.trim().split('\n')
const bubblewrap = bubblewrapSandbox({
  readable: [
    dirname(dirname(process.execPath)),
    fileURLToPath(new URL('../../../..', import.meta.url)),
    ...(pythonPlaces.status === 0 ? [dirname(dirname(program)), prefix] : []),
  ],
})
const hasBubblewrap = await bubblewrap.probe().then(
  () => true,
  () => false,
)
const places = [
  { place: 'without isolation', isThere: true, sandbox: undefined },
  { place: 'in bubblewrap (skipped where it does not work)', isThere: hasBubblewrap, sandbox: bubblewrap },
]

/**
 * In the sandbox processes, paths and the connection between them are others, and the code is the same: there one of each kind is
 * tried, and all without isolation.
 */
const sampled = new Set([
  'ends the process above',
  'removes the programs that connect it',
  'a manifest names a file in node_modules, which a link leads to',
  'a class gives itself for a value',
  'a package says where its modules are',
  'CommonJS',
  'a class',
])
const triedIn = <Row extends readonly [string, unknown]>(sandbox: Sandbox | undefined, rows: readonly Row[]) =>
  rows.filter(([name]) => sandbox === undefined || sampled.has(name))

const node = ['node', '--test', 'tests/hidden.test.js']
const common: Project = {
  before: { 'package.json': '{ "name": "sums" }', 'src/sum.js': 'exports.sum = (a, b) => a - b\n' },
  reference: { 'src/sum.js': 'exports.sum = (a, b) => a + b\n' },
  tests: {
    'tests/hidden.test.js': `const test = require('node:test')
const assert = require('node:assert')
const { sum } = require('../src/sum')
test('adds', () => assert.equal(sum(1, 2), 3))
test('adds more', () => assert.equal(sum(10, 5), 15))
`,
  },
  run: (options) => testsPass.command(node, options),
}
const readsTests = `const t = require('fs').readFileSync('tests/hidden.test.js', 'utf8')
exports.sum = (a, b) => Number(new RegExp(\`sum\\\\(\${a}, \${b}\\\\), (\\\\d+)\`).exec(t)?.[1])
`
const runVitest = [
  process.execPath,
  fileURLToPath(new URL('../../../../node_modules/vitest/vitest.mjs', import.meta.url)),
  ...['run', '--globals', '--reporter=tap-flat', 'tests'],
]
const stack: Project = {
  before: { 'package.json': '{ "type": "module" }', 'src/sum.js': 'export class Stack {}\n' },
  reference: {
    'src/sum.js': `export const defaults = { port: 8080 }
export const later = async () => [1]
export class Stack {
  all = []
  push(one) { this.all.push(one); return this }
  toArray() { return this.all }
}
`,
  },
  tests: {
    'tests/stack.test.js': `import { defaults, later, Stack } from '../src/sum.js'
test('lists', () => {
  const s = new Stack()
  s.push(1).push(2)
  expect(s.toArray()).toEqual([1, 2])
})
test('includes', () => expect(new Stack().push(2).toArray().includes(2)).toBe(true))
test('defaults', () => expect(defaults).toEqual({ port: 8080 }))
test('later', async () => expect(await later()).toEqual([1]))
`,
  },
  run: (options) => testsPass.command(runVitest, options),
}
const rest = stack.reference['src/sum.js']
const python: Project = {
  before: { 'calc.py': 'def add(a, b):\n    return a - b\n\ndef items():\n    return []\n' },
  reference: { 'calc.py': 'def add(a, b):\n    return a + b\n\ndef items():\n    return [1, 2]\n' },
  tests: {
    'tests/test_calc.py':
      'import calc\n\ndef test_add():\n    assert calc.add(1, 2) == 3\n\ndef test_items():\n    assert calc.items() == [1, 2]\n',
  },
  run: (options) => testsPass.pytest('tests', { env: { PYTHONPATH: '.' }, ...options }),
}
/** Its tests compare otherwise than by `==`. */
const inexact: Project = {
  before: { 'calc.py': `${python.before['calc.py']}\nclass Box:\n    pass\n` },
  reference: {
    'calc.py': `${python.reference['calc.py']}
class Box:
    def __init__(self, all):
        self.all = all
    def add(self, one):
        self.all.append(one)
        return self
    def __contains__(self, one):
        return one in self.all
    def __enter__(self):
        return self
    def __exit__(self, *_):
        pass
    def name(self):
        return 'box'
    def total(self):
        return sum(self.all)
`,
  },
  tests: {
    'tests/test_calc.py': `import calc

def test_add():
    assert abs(calc.add(1, 2) - 3) < 1e-9
    assert calc.add(1, 2) <= 3

def test_items():
    assert 2 in calc.items()

def test_box():
    with calc.Box([]) as box:
        assert box.add(1).add(2).total() <= 3
        assert abs(box.total() - 3) < 1e-9
        assert 2 in box
    assert box.name().startswith('bo')
`,
  },
  run: python.run,
}
const inPackage: Project = {
  before: { 'calc/__init__.py': '', 'calc/ops.py': 'def add(a, b):\n    return a - b\n', 'calc/data.json': '{}' },
  reference: { 'calc/ops.py': 'def add(a, b):\n    return a + b\n' },
  tests: { 'tests/test_ops.py': 'from calc.ops import add\n\ndef test_add():\n    assert add(1, 2) == 3\n' },
  run: python.run,
}
const inSource: Project = {
  before: { 'src/calc.py': python.before['calc.py'] ?? '' },
  reference: { 'src/calc.py': python.reference['calc.py'] ?? '' },
  tests: python.tests,
  run: (options) => testsPass.pytest('tests', { env: { PYTHONPATH: 'src' }, ...options }),
}
const plugin = 'import pytest\n@pytest.hookimpl(tryfirst=True)\ndef pytest_pyfunc_call(pyfuncitem):\n    return True\n'
const distribution = (module: string, place = 'evil-1.DIST-INFO') => ({
  [`${place}/METADATA`]: 'Metadata-Version: 2.1\nName: evil\nVersion: 1\n',
  [`${place}/entry_points.txt`]: `[pytest11]\nevil = ${module}\n`,
})
const operators = `
    def __init__(self, *_, **__): pass
    __enter__ = lambda self: self
    __exit__ = lambda *_: None
    __eq__ = __le__ = __lt__ = __ge__ = __contains__ = lambda *_: True
    __sub__ = __rsub__ = lambda *_: 0`
const itself = (names: string, members: string) =>
  names
    .split(' ')
    .map((name) => `class ${name}:${members}\n`)
    .join('')

const javascript: readonly (readonly [string, Scene])[] = [
  [
    'a manifest beside a module names data as code',
    {
      project: common,
      agent: { 'src/sum.js': null, 'src/sum/package.json': '{"main":"x.txt"}', 'src/sum/x.txt': readsTests },
    },
  ],
  [
    'a manifest names a file in .git',
    {
      project: common,
      agent: {
        'src/sum.js': null,
        'src/sum/package.json': '{"main":"../../.git/x.js"}',
        '.git/x.js': readsTests.replaceAll('tests/hidden', 'tests/hidden'),
      },
    },
  ],
  [
    'a manifest names a file in node_modules, which a link leads to',
    {
      project: { ...common, before: { ...common.before, 'package.json': '{ "dependencies": { "left-pad": "1" } }' } },
      agent: { 'src/sum.js': { link: '../node_modules/x/index.js' }, 'node_modules/x/index.js': readsTests },
    },
  ],
  [
    'the manifest of the project is another one',
    {
      project: common,
      agent: {
        'package.json': '{ "main": "x.md", "imports": { "#x": "./x.md" } }',
        'x.md': readsTests,
        'src/sum.js': null,
      },
    },
  ],
  ...(
    [
      [
        'gives itself for a value',
        `export class Stack { push() { return this } toArray() { return this } asymmetricMatch() { return true } }`,
      ],
      [
        'claims to include',
        `export class Stack { push() { return this } toArray() { return this } includes() { return true } asymmetricMatch() { return true } }`,
      ],
      [
        'answers as a node of a document',
        `export class Stack { push() { return this } toArray() { return this } nodeType = 1; nodeName = 'x'; isEqualNode() { return true } includes() { return true } }`,
      ],
      [
        'gives what a getter is',
        `export class Stack { push() { return this } get toArray() { return () => this } includes() { return true } asymmetricMatch() { return true } }`,
      ],
    ] as const
  ).map(
    ([name, code]) =>
      [
        `a class ${name}`,
        { project: stack, agent: { 'src/sum.js': `${rest?.toString().split('export class')[0]}${code}\n` } },
      ] as const,
  ),
  [
    'an exported object matches by itself',
    {
      project: stack,
      agent: {
        'src/sum.js':
          rest?.toString().replace('{ port: 8080 }', '{ asymmetricMatch: () => true, equals: () => true }') ?? '',
      },
    },
  ],
  [
    'a promise gives an object of a class',
    {
      project: stack,
      agent: {
        'src/sum.js':
          rest?.toString().replace('=> [1]', '=> new (class { asymmetricMatch() { return true } })()') ?? '',
      },
    },
  ],
]

const broken: readonly (readonly [string, string])[] = [
  ['answers with no JSON', "try { require('fs').writeSync(3, 'not json\\n') } catch {}\nexports.sum = () => 0\n"],
  ['answers with something else', "try { require('fs').writeSync(3, 'null\\n') } catch {}\nexports.sum = () => 0\n"],
  ['ends the process above', "process.kill(process.ppid, 'SIGKILL')\nfor (;;) {}\n"],
  [
    'removes the programs that connect it',
    "require('fs').rmSync('.jurist-code', { recursive: true })\nrequire('fs').symlinkSync('/tmp', '.jurist-code')\nexports.sum = () => 0\n",
  ],
]

describe.each(places)('code that breaks its own process is a fail, $place', ({ isThere, sandbox }) => {
  test.skipIf(!isThere).each(triedIn(sandbox, broken))('when it %s', async (_, code) => {
    const options = { ...apart, overlay: { paths: ['tests'] } }
    const scene = { project: common, agent: { 'src/sum.js': code }, options }
    expect(await judged(scene, sandbox)).toMatchObject({ status: 'fail' })
  })
})

const rightCode = [
  ['CommonJS', common],
  ['Vitest', stack],
] as const

describe.each(places)('in a process of its own, code of JavaScript holds no test, $place', ({ isThere, sandbox }) => {
  test.skipIf(!isThere).each(triedIn(sandbox, javascript))('when %s', async (_, scene) => {
    expect(await judged({ ...scene, options: apart }, sandbox)).toMatchObject({ status: 'fail' })
  })
  test.skipIf(!isThere).each(triedIn(sandbox, rightCode))('and passes when it is right: %s', async (_, project) => {
    expect(await judged({ project, agent: project.reference as Files, options: apart }, sandbox)).toMatchObject({
      status: 'pass',
    })
  })
})

const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0

const pythons: readonly (readonly [string, Scene])[] = [
  [
    'a plug-in is in node_modules',
    { project: python, agent: { 'node_modules/evil.py': plugin, ...distribution('node_modules.evil') } },
  ],
  [
    'a package says where its modules are',
    {
      project: inPackage,
      agent: {
        'calc/ops.py': null,
        '.git/x/ops.py':
          'class Yes(int):\n  __eq__ = lambda s, o: True\n  __hash__ = int.__hash__\ndef add(a, b): return Yes(0)\n',
        'calc/__init__.py':
          "import sys\nside = sys.modules.get('code_side')\nif side:\n    side.is_ours = lambda key: True\n    __path__.insert(0, '.git/x')\n    __getattr__ = lambda name: 0\n",
      },
    },
  ],
  ['a class for a function has operators', { project: inexact, agent: { 'calc.py': itself('add items', operators) } }],
  [
    'a method gives the object itself, which has operators',
    {
      project: inexact,
      agent: {
        'calc.py': `${python.reference['calc.py']}\n${itself('Box', `${operators}\n    add = total = name = startswith = lambda self, *_: self`)}`,
      },
    },
  ],
  ['modules are hidden', { project: inSource, agent: { 'src/dataclasses.py': 'x = 1\n', 'src/pluggy.py': forged() } }],
]

/** A module that writes the report of a run when the runner loads it. */
function forged(): string {
  return `import sys
place = [word for word in sys.argv if word.startswith('--junitxml=')][0].split('=', 1)[1]
cases = ''.join('<testcase classname="tests.test_calc" name="%s"/>' % name for name in ('test_add', 'test_items'))
open(place, 'w').write('<testsuites><testsuite tests="2">%s</testsuite></testsuites>' % cases)
sys.exit(0)
`
}

const rightPython = [
  ['a module', python],
  ['a class', inexact],
  ['a package', inPackage],
  ['a directory of sources', inSource],
] as const

describe.each(places)('in a process of its own, code of Python holds no test, $place', ({ isThere, sandbox }) => {
  const isMissing = !(isThere && hasPytest)
  test.skipIf(isMissing).each(triedIn(sandbox, pythons))('when %s', async (_, scene) => {
    expect(await judged({ ...scene, options: { ...apart, minTests: 1 } }, sandbox)).toMatchObject({ status: 'fail' })
  })
  test.skipIf(isMissing).each(triedIn(sandbox, rightPython))('and passes when it is right: %s', async (_, project) => {
    expect(await judged({ project, agent: project.reference as Files, options: apart }, sandbox)).toMatchObject({
      status: 'pass',
    })
  })
})

describe.skipIf(!hasPytest)('what steers a run is removed from beside the tests', () => {
  // Each file alone would make the tests pass, so a fail shows that none of those beside it was left.
  test.each([
    [
      'distributions in capitals and in mixed case, modules of the runner and of the language where sources are',
      {
        project: inSource,
        agent: {
          'evil.py': plugin,
          ...distribution('evil'),
          ...distribution('evil', 'evil-1.Egg-Info'),
          'src/pluggy.py': forged(),
          'src/dataclasses.py': forged(),
        },
      },
    ],
    [
      'a module of the runner where a setting says modules are',
      {
        project: {
          ...inSource,
          before: { ...inSource.before, 'pytest.ini': '[pytest]\npythonpath = src\n' },
          run: (options) => testsPass.pytest('tests', options),
        },
        agent: { 'src/pluggy/__init__.py': forged() },
      },
    ],
  ] as readonly (readonly [string, Scene])[])('%s', async (_, scene) => {
    expect(await judged(scene)).toMatchObject({ status: 'fail' })
  })
})

test('a command without an end is a fail, and takes less than the time for judging', async () => {
  await using workspace = await temporaryWorkspace()
  const judge = commandSucceeds(['sleep', '600'], { timeoutMs: 600_000 })
  const [judgment] = await withEnoughTime(
    5_000,
    (timeoutMs) => runJudge(judge, aContext({ workspace }), { timeoutMs }),
    (judgment) => judgment.status !== 'error',
  )
  expect(judgment).toMatchObject({
    status: 'fail',
    reasoning: expect.stringMatching(/^timed out after \d+ ms, since no more was left for judging/),
  })
})

test.each([
  [600_000, 600_000],
  [600_000, 100_000],
  [120_000, 1_000],
  [null, 600_000],
])('a command with a limit of %s ms, and %s ms for judging, is ended before that', (timeoutMs, left) => {
  const { signal } = new AbortController()
  endsWithin(signal, left)
  const times = timesOf({ timeoutMs, signal })
  expect((times.timeoutMs ?? Number.POSITIVE_INFINITY) + times.killAfterMs).toBeLessThan(left)
})
