import { temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'
import { checkItemSettings, type TaskCheckName } from '../../src/index.js'
import { checkTask, checkTests } from '../../src/settings/task-checks.js'

const testScript = `#!/bin/bash
set -uo pipefail
cd /tests
python3 -m pytest --noconftest /tests/test_outputs.py
rc=$?
if [ $rc -eq 0 ]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
`
const outputs = `def test_total():
    expected = sum(int(line) for line in open("/app/numbers.txt"))
    assert int(open("/app/total.txt").read()) == expected
`
/** A task in which nothing is to be found. */
const sound = {
  'instruction.md': 'Write the sum of /app/numbers.txt to /app/total.txt.',
  'environment/Dockerfile': 'FROM python:3.12\nWORKDIR /app\nCOPY numbers.txt /app/numbers.txt\n',
  'environment/numbers.txt': '1\n2\n',
  'solution/solve.sh': `awk '{ s += $1 } END { print s }' /app/numbers.txt > /app/total.txt\n`,
  'tests/test.sh': testScript,
  'tests/test_outputs.py': outputs,
}

const docker = (...lines: readonly string[]) => ({
  'environment/Dockerfile': ['FROM python:3.12', ...lines, ''].join('\n'),
})
const script = (...lines: readonly string[]) => ({ 'tests/test.sh': ['#!/bin/bash', ...lines, ''].join('\n') })
const python = (...lines: readonly string[]) => ({
  'tests/test_outputs.py': ['import os, time, subprocess', ...lines, ''].join('\n'),
})
const run = 'python3 -m pytest --noconftest /tests/test_outputs.py'
const graded = 'if [ $? -eq 0 ]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi'
const compared = 'def test_total(): assert open("/app/total.txt").read() == open("/opt/total.txt").read()'

async function foundIn(
  files: Readonly<Record<string, string>>,
  { hasAgentTimeout = true, hasNetwork = false, binary = [] as readonly string[] } = {},
) {
  const texts = new Map(Object.entries({ ...sound, ...files }))
  const { findings, notChecked } = await checkTask({
    texts,
    paths: [...texts.keys(), ...binary],
    hasAgentTimeout,
    hasNetwork,
  })
  return { names: [...new Set(findings.map(({ check }) => check))], findings, notChecked }
}

type Case = readonly [what: string, files: Readonly<Record<string, string>>]

/** What each check finds, and what looks like it. */
const cases: {
  readonly [check in TaskCheckName]?: { readonly found: readonly Case[]; readonly fine: readonly Case[] }
} = {
  'writable-verifier': {
    found: [
      [
        'a grader of the image whose word test.sh reads',
        {
          ...docker('COPY verify.py /app/verify.py'),
          'environment/verify.py': 'print("SUCCESS")',
          ...script('python3 /app/verify.py > /tmp/out.txt', 'grep -q SUCCESS /tmp/out.txt', graded),
        },
      ],
      [
        'a grader of the image whose word a test reads',
        {
          ...docker('COPY numbers.txt /app/numbers.txt', 'COPY grade.py /app/grade.py'),
          'environment/grade.py': 'print("PASS")',
          ...python(
            'def test_it():',
            '    out = subprocess.run(["python3", "/app/grade.py"], capture_output=True, text=True).stdout',
            '    assert "PASS" in out',
          ),
        },
      ],
    ],
    fine: [
      [
        'the grader of /tests',
        {
          ...docker('COPY verify.py /opt/verify.py'),
          'environment/verify.py': 'print(1)',
          ...script('python3 /tests/verify.py', graded),
        },
      ],
      [
        'a grader that test.sh lays over that of the image',
        {
          ...docker('COPY verify.py /app/verify.py'),
          'environment/verify.py': 'print("SUCCESS")',
          ...script('cp /tests/verify.py /app/verify.py', 'python3 /app/verify.py', graded),
        },
      ],
      [
        'a program of the task whose answer is compared',
        {
          ...docker('COPY main.py /app/main.py'),
          'environment/main.py': 'print(3)',
          'instruction.md': 'Mend /app/main.py.',
          ...python(
            'def test_it():',
            '    out = subprocess.check_output(["python3", "/app/main.py", "1", "2"])',
            '    assert int(out) == 1 + 2',
          ),
        },
      ],
    ],
  },
  'unconditional-reward': {
    found: [
      ['a reward after ignored tests', script(`${run} || true`, 'echo 1 > /logs/verifier/reward.txt')],
      ['a reward that no code decides', script(run, 'echo 1 > /logs/verifier/reward.txt', 'exit 0')],
      [
        'the code of a failure that is ignored',
        script(`${run} || true`, 'rc=$?', 'if [ $rc -eq 0 ]; then', '  echo 1 > /logs/verifier/reward.txt', 'fi'),
      ],
    ],
    fine: [
      [
        'a reward behind &&',
        script(`${run} && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt`),
      ],
      [
        'a script that ends where the tests fail',
        script(`${run} || { echo 0 > /logs/verifier/reward.txt; exit 1; }`, 'echo 1 > /logs/verifier/reward.txt'),
      ],
      [
        'a reward of JSON under a condition',
        script(
          `if ${run}; then`,
          `  echo '{"reward": 1}' > /logs/verifier/reward.json`,
          'else',
          `  echo '{"reward": 0}' > /logs/verifier/reward.json`,
          'fi',
        ),
      ],
    ],
  },
  'no-reward-on-failure': {
    found: [['tests under set -e', script('set -e', run, graded)]],
    fine: [
      ['set +e before the tests', script('set -e', 'set +e', run, graded)],
      [
        'tests in a condition',
        script(
          'set -e',
          `if ${run}; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi`,
        ),
      ],
      [
        'a trap',
        script('set -e', "trap 'echo 0 > /logs/verifier/reward.txt' ERR", run, 'echo 1 > /logs/verifier/reward.txt'),
      ],
      ['a reward 0 first', script('set -e', 'echo 0 > /logs/verifier/reward.txt', run, graded)],
    ],
  },
  'truth-in-image': {
    found: [
      [
        'a file that RUN makes',
        { ...docker('COPY numbers.txt /app/numbers.txt', 'RUN echo 3 > /opt/total.txt'), ...python(compared) },
      ],
      [
        'a file that a generator makes',
        {
          ...docker('COPY make.py /app/make.py', 'RUN python3 /app/make.py'),
          'environment/make.py': 'open("/opt/total.txt", "w").write("3")',
          ...python(
            'EXPECTED = os.path.join("/opt", "total.txt")',
            'def test_total(self):',
            '    self.assertEqual(open("/app/total.txt").read(), open(EXPECTED).read())',
          ),
        },
      ],
      [
        'diff in test.sh',
        { ...docker('COPY numbers.txt /opt/total.txt'), ...script('diff /app/total.txt /opt/total.txt', graded) },
      ],
    ],
    fine: [
      [
        'a file below /tests',
        python('def test_total(): assert open("/app/total.txt").read() == open("/tests/total.txt").read()'),
      ],
      [
        'an input that the task names',
        {
          ...docker('COPY numbers.txt /opt/total.txt'),
          'instruction.md': 'Copy /opt/total.txt to /app/total.txt.',
          ...python(compared),
        },
      ],
      [
        'a file that the build removes',
        { ...docker('RUN echo 3 > /opt/total.txt', 'RUN rm -f /opt/total.txt'), ...python(compared) },
      ],
      [
        'a file of another stage',
        { ...docker('RUN echo 3 > /opt/total.txt', 'FROM python:3.12', 'WORKDIR /app'), ...python(compared) },
      ],
    ],
  },
  'solution-in-image': {
    found: [
      ['COPY solution/', docker('COPY solution/ /app/solution/')],
      ['a context above', docker('COPY ../tests /app/tests')],
    ],
    fine: [
      [
        'tests of the project itself',
        { ...docker('COPY tests/ /app/tests/'), 'environment/tests/test_own.py': 'def test_own(): assert 1 + 1 == 2' },
      ],
      ['the own context', docker('COPY . /app/')],
      [
        'an ignored directory',
        { ...docker('COPY solution/ /app/solution/'), 'environment/.dockerignore': 'solution/' },
      ],
    ],
  },
  'guard-in-reach': {
    found: [
      ['a checksum of the image', script('sha256sum -c /app/sums.txt', graded)],
      [
        'rights of a file that root owns',
        { ...docker('COPY verify.py /app/verify.py', 'RUN chmod 400 /app/verify.py'), 'environment/verify.py': '' },
      ],
    ],
    fine: [
      ['a checksum below /tests', script('sha256sum -c /tests/sums.txt', graded)],
      ['another user', { ...docker('USER agent'), ...script('sha256sum -c /app/sums.txt', graded) }],
    ],
  },
  'plantable-hook': {
    found: [
      ['pytest in /app', script('python3 -m pytest /app/test_outputs.py', graded)],
      ['npm test in the workspace', script('cd /app', 'npm test', graded)],
    ],
    fine: [
      ['--noconftest', script('pytest --noconftest /app/test_outputs.py', graded)],
      ['the directory of the verifier', script('cd /tests', 'pytest test_outputs.py', graded)],
    ],
  },
  'helper-in-image': {
    found: [['the same name', { 'environment/checker.py': 'print(1)', 'tests/checker.py': 'print(2)' }]],
    fine: [['data', { 'environment/cases.json': '[]', 'tests/cases.json': '[]' }]],
  },
  'wall-clock': {
    found: [
      [
        'time.monotonic',
        python(
          'def test_fast():',
          '    start = time.monotonic()',
          '    subprocess.run(["python3", "/app/main.py"])',
          '    assert time.monotonic() - start < 2',
        ),
      ],
      [
        'SECONDS in test.sh',
        script(
          'python3 /tests/run.py',
          'if [ $SECONDS -lt 5 ]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi',
        ),
      ],
    ],
    fine: [
      [
        'a deadline',
        python(
          'def test_up():',
          '    end = time.time() + 5',
          '    while time.time() < end:',
          '        time.sleep(0.1)',
          '    assert subprocess.run(["curl", "localhost"]).returncode == 0',
        ),
      ],
      [
        'a timeout',
        python('def test_it(): assert subprocess.run(["python3", "/app/main.py"], timeout=5).returncode == 0'),
      ],
    ],
  },
  'self-consistent': {
    found: [['two outputs', python('def test_it(): assert open("/app/out/a").read() == open("/app/out/b").read()')]],
    fine: [
      [
        'a round trip that also looks at the input',
        python(
          'def test_it():',
          '    packed = open("/app/out/a").read()',
          '    assert packed == open("/app/out/b").read()',
          '    assert len(packed) < len(open("/app/numbers.txt").read())',
        ),
      ],
      [
        'an expected file of the verifier',
        python('def test_it(): assert open("/app/out/a").read() == open("/tests/a").read()'),
      ],
    ],
  },
  'name-decides': {
    found: [
      [
        'an ending',
        python(
          'def test_it():',
          '    names = os.listdir("/app/out")',
          '    assert len(names) > 0',
          '    assert all(name.endswith(".quarantine") for name in names)',
        ),
      ],
    ],
    fine: [
      [
        'a name that the task demands',
        {
          'instruction.md': 'Rename each file of /app/out so that it ends in .done',
          ...python(
            'def test_it():',
            '    names = os.listdir("/app/out")',
            '    assert len(names) > 0',
            '    assert all(name.endswith(".done") for name in names)',
          ),
        },
      ],
      [
        'contents',
        python(
          'def test_it():',
          '    for name in os.listdir("/app/out"):',
          '        assert name.endswith(".csv")',
          '        assert "total" in open(os.path.join("/app/out", name)).read()',
          '    assert os.path.exists("/app/out/a.csv")',
        ),
      ],
    ],
  },
  'literals-only': {
    found: [['one answer', python('def test_it(): assert open("/app/total.txt").read().strip() == "42"')]],
    fine: [
      ['a sum', python('def test_it(): assert int(open("/app/total.txt").read()) == sum([1, 2])')],
      [
        'a program that runs',
        python('def test_it(): assert subprocess.check_output(["python3", "/app/main.py"]) == b"42"'),
      ],
    ],
  },
  'empty-check': {
    found: [
      [
        'a loop over what is found',
        python(
          'def test_it():',
          '    for name in os.listdir("/app/out"):',
          '        assert "total" in open("/app/out/" + name).read()',
        ),
      ],
      ['no assertion', python('def test_it():', '    print(open("/app/total.txt").read())', compared)],
      ['existence', python('def test_it(): assert os.path.exists("/app/total.txt")')],
      ['a skipped test', python('@pytest.mark.skip', 'def test_it(): assert len(open("/app/total.txt").read()) == 2')],
      ['no parameters', python('@pytest.mark.parametrize("name", [])', 'def test_it(name): assert len(name) == 2')],
    ],
    fine: [
      [
        'a count',
        python(
          'def test_it():',
          '    names = os.listdir("/app/out")',
          '    assert len(names) == 3',
          '    for name in names:',
          '        assert "total" in open("/app/out/" + name).read()',
        ),
      ],
      ['a helper that asserts', python('def test_it(): check_total("/app/total.txt")')],
    ],
  },
  'runtime-install': {
    found: [
      ['pip', script('python3 -m pip install -q pytest==9.0.3 || true', run, graded)],
      ['apt-get', script('apt-get install -y jq', run, graded)],
    ],
    fine: [['a program of the image', script('python3 -m pip --version', run, graded)]],
  },
}

test('nothing is found in a sound task', async () => {
  expect(await foundIn({})).toMatchObject({ names: [], notChecked: [] })
})

describe.each(Object.entries(cases))('%s', (check, { found, fine }) => {
  test.each(found)('finds %s', async (_, files) => {
    expect((await foundIn(files)).names).toContain(check)
  })
  test.each(fine)('leaves %s', async (_, files) => {
    expect((await foundIn(files)).names).not.toContain(check)
  })
})

test('a reference that copies the answer, or reads the files of the verifier', async () => {
  const truth = { ...docker('RUN echo 3 > /opt/total.txt'), ...python(compared) }
  const copies = await foundIn({ ...truth, 'solution/solve.sh': '#!/bin/bash\ncp /opt/total.txt /app/total.txt\n' })
  expect(copies.findings).toContainEqual({
    check: 'reference-reads-truth',
    level: 'defect',
    ...{ file: 'solution/solve.sh', line: 2 },
    what: 'reads /opt/total.txt, with which the verifier compares',
    remedy: 'Let solution/solve.sh solve the task.',
  })
  expect((await foundIn({ 'solution/solve.sh': 'cat /tests/total.txt > /app/total.txt' })).names).toEqual([
    'reference-reads-truth',
  ])
  expect((await foundIn(truth)).names).not.toContain('reference-reads-truth')
})

test('bytecode that stays when its source is removed', async () => {
  const removed = docker('COPY make.py /app/make.py', 'RUN python3 /app/make.py && rm /app/make.py')
  const binary = ['environment/__pycache__/make.cpython-312.pyc']
  expect((await foundIn({ ...removed, 'environment/make.py': '' }, { binary })).names).toEqual(['compiled-leak'])
  expect((await foundIn({ ...removed, 'environment/make.py': '' })).names).toEqual([])
  expect((await foundIn(docker('COPY numbers.txt /app/numbers.txt'), { binary })).names).toEqual([])
})

test('the limit of the agent, and a network that makes an installation a note', async () => {
  expect((await foundIn({}, { hasAgentTimeout: false })).findings).toMatchObject([{ check: 'no-limit', level: 'note' }])
  const { findings } = await foundIn(script('pip install pytest', run, graded), { hasNetwork: true })
  expect(findings).toMatchObject([{ check: 'runtime-install', level: 'note', line: 2 }])
})

/** Tests in other languages for the checks that read tests. */
const inOtherLanguages: readonly (readonly [check: TaskCheckName | undefined, file: string, ...lines: string[]])[] = [
  [
    'wall-clock',
    'a.test.ts',
    "test('is fast', () => {",
    'const start = performance.now()',
    'run()',
    'expect(performance.now() - start).toBeLessThan(500)',
    '})',
  ],
  [
    'wall-clock',
    'ATest.java',
    'class ATest {',
    '@Test void fast() { long start = System.nanoTime(); run(); assertTrue(System.nanoTime() - start < 5); } }',
  ],
  [undefined, 'a.test.ts', "test('is right', () => {", 'vi.useFakeTimers()', 'expect(sum([1, 2])).toBe(3)', '})'],
  [
    'self-consistent',
    'a.test.js',
    "it('agrees', () => {",
    "expect(readFileSync('/out/a.txt', 'utf8')).toBe(readFileSync('/out/b.txt', 'utf8'))",
    '})',
  ],
  [
    undefined,
    'a.test.js',
    "it('agrees', () => {",
    "expect(readFileSync('/out/a.txt', 'utf8')).toBe(sum(readFileSync('/app/in.txt', 'utf8')))",
    '})',
  ],
  [
    'name-decides',
    'a.test.js',
    "it('finds', () => {",
    "for (const name of readdirSync('/out')) expect(name.endsWith('-zz9.csv')).toBe(true)",
    '})',
  ],
  [
    'literals-only',
    'a.test.js',
    "it('has it', () => {",
    "expect(readFileSync('/out/a.txt', 'utf8').trim()).toBe('42')",
    '})',
  ],
  [
    'literals-only',
    'ATest.java',
    'class ATest {',
    '@Test void it() throws Exception { assertEquals("42", Files.readString(Path.of("/out/a.txt"))); } }',
  ],
  [
    'empty-check',
    'a.test.js',
    "it('runs', () => {",
    "for (const name of readdirSync('/out')) expect(JSON.parse(readFileSync(join('/out', name)))).toEqual({})",
    '})',
  ],
  ['empty-check', 'a.test.js', "it('runs', () => { sum([1]) })"],
  ['empty-check', 'a.test.js', "it.skip('runs', () => { expect(sum([1])).toBe(1) })"],
  ['empty-check', 'a.test.js', "it.each([])('runs', (one) => { expect(sum(one)).toBe(1) })"],
  ['empty-check', 'ATest.java', 'class ATest {', '@Disabled @Test void it() { assertEquals(1, sum(1)); } }'],
  [undefined, 'a.test.js', "it('throws', () => { expect(() => sum()).toThrow() })"],
  [
    undefined,
    'a.test.js',
    'const has = (given, right) => assert.equal(sum(given), right)',
    "it('runs', () => { has([1], 1) })",
  ],
  [undefined, 'a.test.js', "import { equal } from 'node:assert'", "it('runs', () => { equal(sum([1]), 1) })"],
  [undefined, 'a.test.js', "it('runs', () => { expect(sum([1])).to.be.ok })"],
  [
    undefined,
    'ATest.java',
    'class ATest {',
    '@Test void it() { assertThat(sum(1)).isEqualTo(1); assertThrows(Exception.class, () -> sum(null)); } }',
  ],
]

test.each(inOtherLanguages)('%s in %s: %s %s', async (check, file, ...lines) => {
  const { findings, notChecked } = await checkTests(new Map([[`tests/${file}`, lines.join('\n')]]), 'Sum the numbers.')
  expect(notChecked).toEqual([])
  expect([...new Set(findings.map((one) => one.check))]).toEqual(
    check === undefined ? [] : expect.arrayContaining([check]),
  )
})

test('a grader of the image beside a test that computes the answer is a note', async () => {
  const { findings } = await foundIn({
    ...docker('COPY numbers.txt /app/numbers.txt', 'COPY grade.py /app/grade.py'),
    'environment/grade.py': 'print("PASS")',
    'tests/test_outputs.py': `import subprocess\ndef test_word():\n    assert "PASS" in subprocess.run(["python3", "/app/grade.py"]).stdout\n${outputs}`,
  })
  expect(findings).toMatchObject([{ check: 'writable-verifier', level: 'note' }])
})

test('what cannot be read is not checked, and never clean', async () => {
  const { notChecked } = await foundIn({
    ...docker('RUN <<EOF', 'echo 1', 'EOF'),
    'tests/test.sh': '#!/usr/bin/env python3\nprint(1)\n',
    'tests/test_outputs.py': 'def test_it(:',
    'tests/outputs.rb': 'test()',
  })
  expect(notChecked).toEqual([
    { file: 'environment/Dockerfile', reason: 'line 2 cannot be read' },
    { file: 'tests/test.sh', reason: 'is not a script of a shell' },
    { file: 'tests/test_outputs.py', reason: 'does not parse' },
    { file: 'tests/outputs.rb', reason: 'its language is not read' },
  ])
})

test('hidden demands of a task are notes, unless a file that agents see says the word', async () => {
  const outputs = python('def test_it():', '    assert int(open("/app/result_v7.txt").read()) == sum([1, 2])')
  const { findings } = await foundIn(outputs)
  expect(findings).toEqual([
    expect.objectContaining({ check: 'hidden-demand', level: 'note', file: 'tests/test_outputs.py', line: 3 }),
  ])
  expect((await foundIn({ ...outputs, 'environment/README.md': 'It is in result_v7.txt.' })).names).toEqual([])
})

test('the hidden tests of an item without a Harbor task are read, too', async () => {
  await using root = await temporaryWorkspace()
  await root.write('one/before/tests/seen.test.js', "test('seen', () => {})")
  await root.write('one/reference/tests/seen.test.js', "test('seen', () => {})")
  await root.write('one/reference/tests/hidden.test.js', "\ntest('hidden', () => { sum([1]) })")
  const item = { path: 'one', judges: null, timeoutMs: null, task: 'Sum.' }
  expect(await checkItemSettings({ directory: root.root }, item)).toMatchObject({
    task: 'one/reference',
    findings: [{ check: 'empty-check', file: 'tests/hidden.test.js', line: 2 }],
  })
  expect(await checkItemSettings({ directory: root.root }, { ...item, path: 'two' })).toBeNull()
})
