import { spawnSync } from 'node:child_process'
import { runJudge } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { type TestOptions, testsPass } from '@jurist/workspace/commands'
import { type TemporaryFile, temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'

type Files = { readonly [path: string]: TemporaryFile }
const hasTool = (tool: string) => spawnSync(tool, ['--version']).status === 0

const tests = {
  'tests/test_calc.py': `import unittest
import pytest
from calc import Account, Broken, add, divide, grow, pair, later, squares, LIMIT
import asyncio

class TestCalc(unittest.TestCase):
    def test_add(self):
        assert add(1, 2) == 3
        self.assertEqual(add(2, b=2), 4)

    def test_values(self):
        assert pair(1, {'a': {1, 2}}) == (1, {'a': {1, 2}})
        assert LIMIT == 10
        assert list(squares(3)) == [0, 1, 4]
        assert asyncio.run(later(2)) == 4

    def test_changes_its_argument(self):
        values = [1]
        assert grow(values) is values
        assert values == [1, 2]

    def test_errors(self):
        with pytest.raises(ZeroDivisionError, match='division by zero'):
            divide(1, 0)
        with self.assertRaises(Broken) as caught:
            divide('a', 1)
        assert str(caught.exception) == 'not a number'

    def test_objects(self):
        account = Account(5)
        account.put(3)
        assert account.total == 8 and len(account) == 2
        assert 3 in account
`,
}
const right = `LIMIT = 10

class Broken(ValueError):
    pass

def add(a, b):
    return a + b

def divide(a, b):
    if not isinstance(a, int):
        raise Broken('not a number')
    return a / b

def pair(a, b):
    return (a, b)

def grow(values):
    values.append(2)
    return values

def squares(n):
    for i in range(n):
        yield i * i

async def later(x):
    return x * 2

class Account:
    def __init__(self, first):
        self.all = [first]
    def put(self, amount):
        self.all.append(amount)
        return self
    def __len__(self):
        return len(self.all)
    def __contains__(self, amount):
        return amount in self.all
    @property
    def total(self):
        return sum(self.all)
`

async function judged(work: Files, options: TestOptions = {}, judge = testsPass.pytest) {
  await using workspace = await temporaryWorkspace(work)
  await using reference = await temporaryWorkspace({ 'calc.py': right, ...tests })
  return await runJudge(
    judge('tests', { overlay: { paths: ['tests'] }, isolate: 'child', env: { PYTHONPATH: '.' }, ...options }),
    aContext({ workspace, reference }),
  )
}

describe.skipIf(!hasTool('pytest'))('code of Python in a separate process', () => {
  test('passes when it is right, and fails when it is wrong', async () => {
    const one = await judged({ 'calc.py': right })
    expect(one).toMatchObject({ status: 'pass', reasoning: '5 of 5 tests passed' })
    expect(await judged({ 'calc.py': right.replace('a + b', 'a - b') })).toMatchObject({ status: 'fail' })
  })
  const always = 'class Any(int):\n    def __eq__(self, other):\n        return True\n    __hash__ = int.__hash__\n'
  test.each([
    ['is equal to everything', `${always}\nadd = lambda *_, **__: Any()\n`],
    [
      'exports a class whose objects are equal to everything',
      'class add:\n    def __new__(cls, *_, **__):\n        return object.__new__(cls)\n    def __init__(self, *_, **__): pass\n    def __eq__(self, other):\n        return True\n    __hash__ = object.__hash__\n',
    ],
    [
      'replaces the runner',
      `import _pytest.python\n_pytest.python.Function.runtest = lambda self: None\n_pytest.python.pytest_pyfunc_call = lambda *_: True\nadd = lambda *_, **__: 0\n`,
    ],
    ['exits', 'import sys\nsys.exit(0)\n'],
    ['skips', 'import pytest\ndef add(a, b):\n    pytest.skip("no")\n'],
    [
      'reads the tests',
      `import re\nwanted = [int(one) for one in re.findall(r'\\) == (\\d)', open('tests/test_calc.py').read())]\nadd = lambda *_, **__: wanted.pop(0)\n`,
    ],
    [
      'reads its caller',
      `import sys\ndef add(a, b):\n    import linecache, re\n    frame = sys._getframe(1)\n    while frame:\n        found = re.search(r'== (\\d)', linecache.getline(frame.f_code.co_filename, frame.f_lineno))\n        if found: return int(found[1])\n        frame = frame.f_back\n    return 0\n`,
    ],
  ])('holds when it %s', async (_, code) => {
    const judgment = await judged({ 'calc.py': `${right}\n${code}` })
    expect(judgment).toMatchObject({ status: 'fail' })
  })
  test('is run by unittest, too', async () => {
    const options = { overlay: { paths: ['tests'] }, isolate: 'child' } as const
    await using workspace = await temporaryWorkspace({ 'calc.py': right })
    await using reference = await temporaryWorkspace({ 'calc.py': right, ...tests, 'tests/__init__.py': '' })
    const judge = testsPass.command(['python3', '-m', 'unittest', '-v', 'tests.test_calc'], options)
    const judgment = await runJudge(judge, aContext({ workspace, reference }))
    expect(judgment).toMatchObject({ status: 'pass' })
  })
})
