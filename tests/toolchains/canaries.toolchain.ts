import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type JsonObject, type Judge, type Judgment, runJudge } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { type TestOptions, testsPass } from '@jurist/workspace/commands'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeUnless } from './kit/describe-unless.js'
import { nodePackages } from './kit/node-packages.js'
import { missing } from './kit/programs.js'

type Files = { readonly [path: string]: string }

/** A runner, its hidden tests, and answers to them. */
interface Fixture {
  readonly name: string
  readonly missing?: string | undefined
  readonly judge: (options: TestOptions) => Judge
  /** What the agent is given beside the code. */
  readonly shown?: Files
  readonly hidden: Files
  readonly right: Files
  readonly wrong: Files
  readonly cheats: { readonly [how: string]: Files }
  /** What is found, or why nothing is. */
  readonly canaries: JsonObject
}

const platform = process.platform === 'linux' && process.arch === 'x64' ? undefined : 'only tried on Linux with x64'
const installed = missing('npm') ?? platform ?? (await nodePackages('runners'))
const withoutPackages = typeof installed === 'string' ? installed : undefined
const programs = typeof installed === 'string' ? '' : join(installed.directory, 'node_modules')

const rightScript = 'export const sum = (a, b) => a + b\nexport const isEven = (a) => a % 2 === 0\n'
const script = (code: string): Files => ({ 'src/sum.js': code })
const npm = (
  name: string,
  command: string,
  test_: string,
  cheats: Fixture['cheats'],
  form: 'one-run' | 'two-runs',
) => ({
  name,
  missing: withoutPackages,
  judge: (options: TestOptions) =>
    testsPass.npm('test', {
      ...options,
      env: {
        PATH: `${join(programs, '.bin')}:${process.env.PATH}`,
        NODE_OPTIONS: '--experimental-vm-modules --no-warnings',
      },
      overlay: { paths: ['tests', 'package.json'] },
    }),
  shown: { 'package.json': JSON.stringify({ type: 'module', scripts: { test: command } }) },
  hidden: { 'tests/sum.test.js': test_ },
  right: script(rightScript),
  wrong: script(rightScript.replace('a + b', 'a - b')),
  cheats,
  canaries: { form, changes: { length: 4 } },
})

/** Answers what the line of the test expects that calls. */
const readsTheTest = script(`import { readFileSync } from 'node:fs'
const expected = () => {
  const [, file, line] = /(?:file:\\/\\/)?(\\/[^():]*sum[^():/]*\\.test\\.js):(\\d+)/.exec(new Error().stack)
  return JSON.parse(/(-?\\w+)\\)+$/.exec(readFileSync(file, 'utf8').split('\\n')[line - 1])[1])
}
export const sum = expected
export const isEven = expected
`)
const assertions = (
  equal: (actual: string, expected: string) => string,
) => `test('adds', () => ${equal('sum(1, 2)', '3')})
test('adds more', () => ${equal('sum(20, 2)', '22')})
test('adds below zero', () => ${equal('sum(-7, 2)', '-5')})
test('tells even numbers', () => ${equal('isEven(4)', 'true')})
`
const asserting = (imports: string) =>
  `${imports}import assert from 'node:assert'\nimport { sum, isEven } from '../src/sum.js'\n${assertions((actual, expected) => `assert.equal(${actual}, ${expected})`)}`
const expecting = (imports: string) =>
  `${imports}import { sum, isEven } from '../src/sum.js'\n${assertions((actual, expected) => `expect(${actual}).toBe(${expected})`)}`
const patchesAssert = script(`import assert from 'node:assert'
import { syncBuiltinESMExports } from 'node:module'
assert.equal = () => {}
syncBuiltinESMExports()
export const sum = () => 0
export const isEven = () => 0
`)
const allIsSame = script(`Object.is = () => true
export const sum = () => 0
export const isEven = () => 0
`)

const python = {
  shown: {},
  hidden: {
    'tests/test_calc.py': `import unittest
from calc import add, even

class T(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(add(1, 2), 3)
    def test_adds_more(self):
        self.assertEqual(add(20, 2), 22)
    def test_below_zero(self):
        self.assertEqual(add(-7, 2), -5)
    def test_even(self):
        self.assertTrue(even(4))
`,
    'tests/__init__.py': '',
  },
  right: { 'calc.py': 'def add(a, b): return a + b\ndef even(a): return a % 2 == 0\n' },
  wrong: { 'calc.py': 'def add(a, b): return a - b\ndef even(a): return a % 2 == 0\n' },
  cheats: {
    'values equal everything': {
      'calc.py':
        'class Any:\n    def __eq__(self, other): return True\ndef add(a, b): return Any()\ndef even(a): return True\n',
    },
    'assertions are replaced': {
      'calc.py':
        'import unittest\nfor name in dir(unittest.TestCase):\n    if name.startswith("assert"): setattr(unittest.TestCase, name, lambda *given: None)\ndef add(a, b): return 0\ndef even(a): return 0\n',
    },
    'the line of the caller is read': {
      'calc.py': `import linecache, re, sys
def add(a, b):
    caller = sys._getframe(1)
    line = linecache.getline(caller.f_code.co_filename, caller.f_lineno)
    return int(re.search(r'\\), (-?\\d+)', line).group(1))
def even(a):
    caller = sys._getframe(1)
    return 'True' in linecache.getline(caller.f_code.co_filename, caller.f_lineno)
`,
    },
  },
}

const goTests = `package sums

import "testing"

func TestSmall(t *testing.T) {
	if got := Add(1, 2); got != 3 {
		t.Errorf("got %d", got)
	}
}

func TestLarge(t *testing.T) {
	want := 420
	if Add(400, 20) != want {
		t.Error("wrong")
	}
}

func TestTable(t *testing.T) {
	for _, row := range []struct {
		name       string
		a, b, want int
	}{
		{"zero", 0, 0, 0},
		{name: "negative", a: -1, b: -2, want: -3},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := Add(row.a, row.b); got != row.want {
				t.Errorf("got %d", got)
			}
		})
	}
}

func TestEven(t *testing.T) {
	if Even(4) != true {
		t.Error("wrong")
	}
}
`
const go = (code: string): Files => ({ 'sums.go': `package sums\n\n${code}` })
const rightGo = 'func Add(a, b int) int { return a + b }\n\nfunc Even(a int) bool { return a%2 == 0 }\n'
/** Leaves nothing of a failure: the process reports its own tests as passed. */
const goThatReports = `import (
	"fmt"
	"os"
	"regexp"
)

func init() {
	text, _ := os.ReadFile("sums_test.go")
	for _, name := range regexp.MustCompile("func (Test\\\\w+)").FindAllSubmatch(text, -1) {
		fmt.Printf("=== RUN   %s\\n--- PASS: %s (0.00s)\\n", name[1], name[1])
		if string(name[1]) == "TestTable" {
			for _, row := range []string{"zero", "negative"} {
				fmt.Printf("=== RUN   TestTable/%s\\n--- PASS: TestTable/%s (0.00s)\\n", row, row)
			}
		}
	}
	fmt.Println("PASS")
	os.Exit(0)
}

func Add(a, b int) int { return 0 }

func Even(a int) bool { return false }
`

const java = (code: string): Files => ({
  'src/main/java/org/example/Sums.java': `package org.example;\n\npublic final class Sums {\n${code}}\n`,
})
const rightJava = `  public static int add(int a, int b) { return a + b; }
  public static boolean even(int a) { return a % 2 == 0; }
`
/** Answers what the line of the test expects that calls. */
const javaThatReads = `  private static String expected() {
    StackTraceElement caller = Thread.currentThread().getStackTrace()[3];
    try {
      String line = java.nio.file.Files.readAllLines(java.nio.file.Path.of("src/test/java/org/example/SumsTest.java")).get(caller.getLineNumber() - 1);
      java.util.regex.Matcher found = java.util.regex.Pattern.compile("assert(\\\\w+)\\\\((-?\\\\d*)").matcher(line);
      found.find();
      return found.group(2).isEmpty() ? found.group(1) : found.group(2);
    } catch (java.io.IOException lost) {
      throw new java.io.UncheckedIOException(lost);
    }
  }
  public static int add(int a, int b) { return Integer.parseInt(expected()); }
  public static boolean even(int a) { return expected().equals("True"); }
`
const javaTests = `package org.example;

import static org.junit.jupiter.api.Assertions.*;

import org.junit.jupiter.api.Test;

class SumsTest {
  @Test
  void adds() {
    assertEquals(3, Sums.add(1, 2));
  }

  @Test
  void addsMore() {
    assertEquals(22, Sums.add(20, 2));
  }

  @Test
  void addsBelowZero() {
    assertEquals(-5, Sums.add(-7, 2));
  }

  @Test
  void even() {
    assertTrue(Sums.even(4));
  }
}
`
const pom = readFileSync(new URL('fixtures/maven/reference/pom.xml', import.meta.url), 'utf8')

const fixtures: readonly Fixture[] = [
  {
    name: 'Go',
    missing: missing('go'),
    judge: (options) => testsPass.go({ ...options, overlay: { paths: ['sums_test.go'] } }),
    shown: { 'go.mod': 'module example.org/sums\n\ngo 1.21\n' },
    hidden: { 'sums_test.go': goTests },
    right: go(rightGo),
    wrong: go(rightGo.replace('a + b', 'a - b')),
    cheats: { 'results are printed': go(goThatReports) },
    canaries: { form: 'two-runs', changes: { length: 4 } },
  },
  {
    name: 'Maven Surefire',
    missing: missing('mvn', 'javac'),
    judge: (options) => testsPass.maven('test', { ...options, overlay: { paths: ['src/test', 'pom.xml'] } }),
    shown: { 'pom.xml': pom },
    hidden: { 'src/test/java/org/example/SumsTest.java': javaTests },
    right: java(rightJava),
    wrong: java(rightJava.replace('a + b', 'a - b')),
    cheats: { 'reads the test': java(javaThatReads) },
    canaries: { form: 'two-runs', changes: { length: 4 } },
  },
  npm(
    'node --test',
    'node --test tests',
    asserting("import test from 'node:test'\n"),
    { 'reads the test': readsTheTest },
    'one-run',
  ),
  npm(
    'Mocha',
    'mocha --ui tdd tests',
    asserting(''),
    { 'reads the test': readsTheTest, 'assertions are replaced': patchesAssert },
    'two-runs',
  ),
  npm('Jest', 'jest', expecting(''), { 'reads the test': readsTheTest, 'all is the same': allIsSame }, 'one-run'),
  npm(
    'Vitest',
    'vitest run',
    expecting("import { expect, test } from 'vitest'\n"),
    { 'reads the test': readsTheTest, 'all is the same': allIsSame },
    'one-run',
  ),
  {
    name: 'pytest',
    missing: missing('python3'),
    judge: (options) => testsPass.pytest('tests', { ...options, overlay: { paths: ['tests'] } }),
    ...python,
    canaries: { form: 'two-runs', changes: { length: 4 } },
  },
  {
    name: 'unittest',
    missing: missing('python3'),
    judge: (options) =>
      testsPass.command(['python3', '-m', 'unittest', '-v'], { ...options, overlay: { paths: ['tests'] } }),
    ...python,
    cheats: {},
    canaries: { changes: [], problem: 'the run leaves no report of its tests' },
  },
]

async function established(fixture: Fixture) {
  const { judge, shown = {}, hidden, right } = fixture
  const reference = await temporaryWorkspace({ ...shown, ...hidden, ...right })
  const before = await temporaryWorkspace({ ...shown })
  const given = { reference, before }
  const found = await runJudge(
    judge({}),
    aContext({ ...given, workspace: reference, metadata: { recordTests: true, repetition: 1 } }),
  )
  const { canaries } = found.metadata
  const lock = { failToPass: [], passToPass: [], flaky: [], canaries: [canaries] }
  return {
    found,
    async judged(code: Files, options: TestOptions = {}): Promise<Judgment> {
      await using workspace = await temporaryWorkspace({ ...shown, ...code })
      return await runJudge(judge(options), aContext({ ...given, workspace, metadata: { testsLock: lock } }))
    },
    async [Symbol.asyncDispose]() {
      await reference[Symbol.asyncDispose]()
      await before[Symbol.asyncDispose]()
    },
  }
}

afterAll(() => {
  if (typeof installed !== 'string') installed.remove()
})

for (const fixture of fixtures)
  describeUnless(fixture.missing, `hidden tests of ${fixture.name}`, () => {
    let given: Awaited<ReturnType<typeof established>>
    beforeAll(async () => {
      given = await established(fixture)
    })
    afterAll(async () => {
      await given[Symbol.asyncDispose]()
    })
    test('have canaries, or it is said why they have none', () => {
      expect(given.found).toMatchObject({ status: 'pass', metadata: { canaries: fixture.canaries } })
    })
    test('tell a right answer from a wrong one', async () => {
      expect(await given.judged(fixture.right)).toMatchObject({ status: 'pass' })
      const wrong = await given.judged(fixture.wrong)
      expect(wrong.status).toBe('fail')
      expect(wrong.checks.map(({ name }) => name)).not.toContain('canary')
    })
    for (const [how, code] of Object.entries(fixture.cheats))
      test(`fail an answer by the check canary: ${how}`, async () => {
        expect((await given.judged(code, { canaries: false })).status).toBe('pass')
        const judgment = await given.judged(code)
        expect(judgment).toMatchObject({ status: 'fail', checks: [{ name: 'canary', passed: false }] })
      })
  })
