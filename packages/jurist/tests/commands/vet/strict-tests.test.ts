import { describe, expect, test } from 'vitest'
import { project } from '../../project.js'

/**
 * A right solution with a test that only its form passes: the category, the file with its source, a call that any right
 * solution answers alike, the strict line of the test, and a sentence with which the task says the form.
 */
type Planted = readonly [category: string, path: string, source: string, fair: string, strict: string, says: string]

const js = 'src/a.mjs'
const py = 'a.py'
const thrownBy = (call: string) => `thrown(() => ${call})`
const sum = 'let sum = 0\n  for (const price of prices) sum += price\n  return sum'
const guarded = (error: string, message: string) => `export function half(count) {
  if (count < 0) throw new ${error}('${message}')
  return count / 2
}
`
const guardedPython = (error: string, message: string) => `def half(count):
    if count < 0:
        raise ${error}("${message}")
    return count / 2
`
const halves = 'assert.equal(half(4), 2)'
const halvesPython = 'assert a.half(4) == 2'
const held = (field: string, add = `this.${field}.push(price)`) => `export class Cart {
  ${field} = []
  add(price) {
    ${add}
  }
  get size() {
    return this.${field}.length
  }
}

export function total(prices) {
  ${sum}
}
`
const totals = 'assert.equal(total([1, 2, 3]), 6)'
const row = `export function row(name, price) {
  return { name, price, isFree: price === 0 }
}
`
const rowPython = `def row(name, price):
    return {"name": name, "price": price, "free": price == 0}
`
const rows = "assert.equal(row('tea', 1).price, 1)"
const rowsPython = 'assert a.row("tea", 1)["price"] == 1'
const cleaning = `function clean(text) {
  return text.trim()
}

export function label(text) {
  return '<' + clean(text) + '>'
}
`
const cleaningPython = `def _clean(text):
    return text.strip()


def label(text):
    return "<" + _clean(text) + ">"
`
const labels = "assert.equal(label(' x '), '<x>')"
const labelsPython = 'assert a.label(" x ") == "<x>"'
const asked = (method: string, back = '') => `export function check(list, isGood) {
  return list.${method}((one) => isGood(one))${back}
}

export function double(count) {
  return count * 2
}
`
const doubled = 'assert.equal(double(2), 4)'
const counted = (values: string, isGood: string, calls: number) =>
  `let calls = 0; check(${values}, (one) => { calls += 1; return ${isGood} }); assert.equal(calls, ${calls})`
const askedPython = (name: string) => `def check(values, is_good):
    return ${name}(is_good(one) for one in values)


def double(count):
    return count * 2
`
const countedPython = (values: string, answer: string) =>
  `calls = []\na.check(${values}, lambda one: calls.append(one) or ${answer})\nassert len(calls) == 1`
const importing = (line: string) => `${line}

export function name(path) {
  return resolve('/', join(path, basename(path)))
}
`
const named = "assert.equal(name('a'), '/a/a')"
const rounding = `from math import ceil, floor


def spread(value):
    return ceil(value) - floor(value)
`

const planted: readonly Planted[] = [
  ['private field', js, held('#rows'), totals, 'assert(/#rows\\b/.test(source))', 'The rows are in `#rows`.'],
  ['private field', js, held('_rows'), totals, "assert.deepEqual(Object.keys(new Cart()), ['_rows'])", 'Fill `_rows`.'],
  ['private field', js, held('rows_'), totals, 'assert.deepEqual(new Cart().rows_, [])', 'A cart has `rows_`.'],
  [
    'private field',
    py,
    'class Cart:\n    def __init__(self):\n        self._rows = []\n\n\ndef double(count):\n    return count * 2\n',
    'assert a.double(2) == 4',
    'assert a.Cart()._rows == []',
    'Keep the rows in `_rows`.',
  ],
  [
    'private field',
    py,
    '_rate = 2\n\n\ndef double(count):\n    return count * _rate\n',
    'assert a.double(2) == 4',
    'assert a._rate == 2',
    'The rate is `_rate`.',
  ],
  [
    'message',
    js,
    guarded('RangeError', 'a count must be positive'),
    halves,
    `assert.equal(${thrownBy('half(-1)')}.message, 'a count must be positive')`,
    'Others throw "a count must be positive".',
  ],
  [
    'message',
    js,
    guarded('Error', 'Nothing can be halved'),
    halves,
    "assert.throws(() => half(-1), { message: 'Nothing can be halved' })",
    'It throws the message `Nothing can be halved`.',
  ],
  [
    'message',
    js,
    guarded('TypeError', 'The cart is empty.'),
    halves,
    'assert.throws(() => half(-1), /is empty\\.$/)',
    "Throw 'The cart is empty.' for negative counts.",
  ],
  [
    'message',
    py,
    guardedPython('ValueError', 'a count must be positive'),
    halvesPython,
    'assert str(thrown(lambda: a.half(-1))) == "a count must be positive"',
    'Raise with "a count must be positive".',
  ],
  [
    'message',
    py,
    guardedPython('RuntimeError', 'No such count'),
    halvesPython,
    'assert thrown(lambda: a.half(-1)).args == ("No such count",)',
    'The message is: No such count',
  ],
  [
    'key order',
    js,
    row,
    rows,
    `assert.equal(JSON.stringify(row('tea', 1)), '{"name":"tea","price":1,"isFree":false}')`,
    'As JSON: {"name":"tea","price":1,"isFree":false}',
  ],
  [
    'key order',
    js,
    row,
    rows,
    "assert.deepEqual(Object.keys(row('tea', 1)), ['name', 'price', 'isFree'])",
    'The keys are name, price, isFree.',
  ],
  [
    'key order',
    py,
    rowPython,
    rowsPython,
    'assert list(a.row("tea", 1)) == ["name", "price", "free"]',
    'Its keys come in this order: first the name.',
  ],
  [
    'key order',
    py,
    rowPython,
    rowsPython,
    'import json\nassert json.dumps(a.row("tea", 1)) == \'{"name": "tea", "price": 1, "free": false}\'',
    'For tea: {"name": "tea", "price": 1, "free": false}',
  ],
  [
    'key order',
    py,
    rowPython,
    rowsPython,
    'assert str(a.row("tea", 0)).startswith("{\'name\'")',
    'The order of the keys is that of the table.',
  ],
  [
    'subclass',
    js,
    guarded('TypeError', 'no'),
    halves,
    `assert.equal(${thrownBy('half(-1)')}.constructor, TypeError)`,
    'It throws a TypeError.',
  ],
  [
    'subclass',
    js,
    guarded('RangeError', 'no'),
    halves,
    `assert.equal(Object.getPrototypeOf(${thrownBy('half(-1)')}), RangeError.prototype)`,
    'Throw `RangeError`.',
  ],
  [
    'subclass',
    js,
    guarded('SyntaxError', 'no'),
    halves,
    `assert(Object.is(${thrownBy('half(-1)')}.constructor, SyntaxError))`,
    'A SyntaxError is thrown.',
  ],
  [
    'subclass',
    py,
    guardedPython('ValueError', 'no'),
    halvesPython,
    'assert type(thrown(lambda: a.half(-1))) is ValueError',
    'Raise a ValueError.',
  ],
  [
    'subclass',
    py,
    guardedPython('KeyError', 'no'),
    halvesPython,
    'assert thrown(lambda: a.half(-1)).__class__ == KeyError',
    'It raises `KeyError`.',
  ],
  [
    'import order',
    js,
    importing("import { basename, join, resolve } from 'node:path'"),
    named,
    "assert(source.includes('{ basename, join, resolve }'))",
    'Sort the imports.',
  ],
  [
    'import order',
    js,
    importing("import { join, resolve, basename } from 'node:path'"),
    named,
    'assert.match(source, /^import \\{ join, resolve/)',
    'Each import names join first.',
  ],
  [
    'import order',
    js,
    "import { sep } from 'node:path'\nimport { EOL } from 'node:os'\n\nexport function ends(text) {\n  return text.endsWith(EOL) || text.endsWith(sep)\n}\n",
    "assert.equal(ends('a'), false)",
    "assert(source.indexOf('node:path') < source.indexOf('node:os'))",
    'The order of imports is path, os.',
  ],
  [
    'import order',
    py,
    'import json\nimport re\n\n\ndef words(text):\n    return json.dumps(re.findall("[a-z]+", text))\n',
    'assert a.words("a b") == \'["a", "b"]\'',
    'assert source.startswith("import json\\nimport re")',
    'The imports follow isort.',
  ],
  ['import order', py, rounding, 'assert a.spread(1.5) == 1', 'assert "ceil, floor" in source', 'Sort imported names.'],
  ['layout', js, cleaning, labels, "assert(source.includes('\\n  return'))", 'Indentation is two spaces.'],
  ['layout', js, cleaning, labels, 'assert(source.includes("\'<\'"))', 'Use single quotes.'],
  ['layout', js, `// Labels.\n${cleaning}`, labels, "assert(source.startsWith('// Labels.'))", 'Keep the comment.'],
  ['layout', py, cleaningPython, labelsPython, 'assert "\\n    return" in source', 'The code is formatted with black.'],
  [
    'layout',
    py,
    `${cleaningPython}# end\n`,
    labelsPython,
    'assert source.endswith("# end\\n")',
    'A comment closes the file.',
  ],
  ['helper', js, cleaning, labels, 'assert.match(source, /function clean\\(/)', 'Write a helper `clean`.'],
  ['helper', js, cleaning, labels, "assert.equal(source.split('clean(').length, 3)", 'Use clean for the text.'],
  [
    'helper',
    js,
    cleaning.replace('function clean(text) {', 'const clean = (text) => {'),
    labels,
    'assert(/const clean =/.test(source))',
    'The helper is called clean.',
  ],
  ['helper', py, cleaningPython, labelsPython, 'assert a._clean(" y ") == "y"', 'There is a function `_clean`.'],
  [
    'helper',
    py,
    cleaningPython,
    labelsPython,
    'from unittest import mock\nwith mock.patch("a._clean", return_value="y"):\n    assert a.label("x") == "<y>"',
    'It calls `_clean`.',
  ],
  [
    'call count',
    js,
    asked('some'),
    doubled,
    counted('[1, 2]', 'true', 1),
    'The check is called at most once for a hit.',
  ],
  ['call count', js, asked('every'), doubled, counted('[1, 2]', 'false', 1), 'It stops at the first failure.'],
  ['call count', js, asked('find'), doubled, counted('[1, 2, 3]', 'one === 1', 1), 'Call the check once for a hit.'],
  [
    'call count',
    py,
    askedPython('any'),
    'assert a.double(2) == 4',
    countedPython('[1, 2]', 'True'),
    'Nothing is called after a hit.',
  ],
  [
    'call count',
    py,
    askedPython('all'),
    'assert a.double(2) == 4',
    countedPython('[1, 2]', 'False'),
    'It calls no check after a failure.',
  ],
  ['final line end', 'out.txt', 'done', '', "assert.equal(source, 'done')", 'Write no newline.'],
  [
    'final line end',
    'out.json',
    '{ "done": true }\n',
    '',
    'assert.equal(source, \'{ "done": true }\\n\')',
    'A newline ends the file.',
  ],
  [
    'final line end',
    'rows.csv',
    'name,price\ntea,1\n',
    '',
    "assert.equal(source.split('\\n').length, 3)",
    'The file has a trailing line break.',
  ],
  [
    'final line end',
    js,
    "import { writeFileSync } from 'node:fs'\n\nexport function double(count) {\n  return count * 2\n}\n\nexport function save(path, list) {\n  writeFileSync(path, list.join(','))\n}\n",
    doubled,
    "save('saved.txt', [double(1), 2]); assert.equal(readFileSync('saved.txt', 'utf8'), '2,2')",
    'Nothing follows the last value, not even a newline.',
  ],
  [
    'final line end',
    py,
    'from pathlib import Path\n\n\ndef double(count):\n    return count * 2\n\n\ndef save(path):\n    Path(path).write_text("done")\n',
    'assert a.double(2) == 4',
    'a.save("saved.txt")\nassert open("saved.txt").read() == "done"',
    'The file has no newline at its end.',
  ],
  [
    'error class',
    js,
    guarded('Error', 'no'),
    halves,
    `assert.equal(${thrownBy('half(-1)')}.constructor.name, 'Error')`,
    'Throw an Error.',
  ],
  [
    'error class',
    js,
    guarded('URIError', 'no'),
    halves,
    `assert.equal(${thrownBy('half(-1)')}.constructor.name, 'URIError')`,
    'Throw a URIError.',
  ],
  [
    'error class',
    py,
    guardedPython('IndexError', 'no'),
    halvesPython,
    'assert type(thrown(lambda: a.half(-1))).__name__ == "IndexError"',
    'An IndexError is raised.',
  ],
  [
    'error class',
    py,
    guardedPython('ValueError', 'no'),
    halvesPython,
    'assert repr(thrown(lambda: a.half(-1))) == "ValueError(\'no\')"',
    'It raises ValueError.',
  ],
  [
    'error class',
    py,
    guardedPython('TypeError', 'no'),
    halvesPython,
    'assert str(type(thrown(lambda: a.half(-1)))) == "<class \'TypeError\'>"',
    'Raises TypeError.',
  ],
]

const scriptTest = (path: string, fair: string, strict: string) => `import assert from 'node:assert'
import { readFileSync } from 'node:fs'
${path.endsWith('.mjs') ? `import * as a from '../${path}'\nconst { Cart, check, double, ends, half, label, name, row, save, total } = a` : ''}
const source = readFileSync(new URL('../${path}', import.meta.url), 'utf8')
const thrown = (act) => { try { act() } catch (error) { return error } }
${fair}
${strict}
`
const pythonTest = (fair: string, strict: string) => `import sys
sys.path.insert(0, ".")
import a
source = open("a.py").read()
def thrown(act):
    try:
        act()
    except BaseException as error:
        return error
${fair}
${strict}
`

/** An item whose agents begin with an empty file. */
const itemFiles = (id: string, task: string, [, path, source, fair, strict]: Planted) => {
  const isPython = path.endsWith('.py')
  const hidden = isPython ? 'tests/hidden_test.py' : 'tests/hidden.test.mjs'
  return {
    [`dataset/${id}/item.json`]: JSON.stringify({ developerTask: task }),
    [`dataset/${id}/before/${path}`]: '',
    [`dataset/${id}/reference/${path}`]: source,
    [`dataset/${id}/reference/${hidden}`]: isPython ? pythonTest(fair, strict) : scriptTest(path, fair, strict),
    [`dataset/${id}/reference/tests/run.sh`]: isPython ? `python3 -B ${hidden}\n` : `node ${hidden}\n`,
  }
}

interface Judged {
  readonly itemId: string
  readonly variants: readonly { readonly outcome: string; readonly kind: string; readonly what: string }[]
}

/** Judges variants of each item, with the task that `taskOf` gives. */
async function judgedItems(chosen: readonly Planted[], taskOf: (one: Planted) => string): Promise<readonly Judged[]> {
  const items = chosen.map((one, index) => [`item-${index + 1}`, one] as const)
  using at = project({
    'jurist.config.yaml': `experiments:
  strict:
    dataset: dataset
    preserveWorkspaces: none
    jury: { type: tests-pass, tool: command, command: sh tests/run.sh, minTests: 0, overlay: { paths: [tests] } }
`,
    'dataset/dataset.json': JSON.stringify({
      ...{ schemaVersion: 1, name: 'strict', version: '1.0.0', description: '' },
      items: items.map(([id]) => ({ id, path: id })),
    }),
    ...Object.assign({}, ...items.map(([id, one]) => itemFiles(id, taskOf(one), one))),
  })
  const words = ['vet', 'mutate', '--variants', '--operators', 'relation', '--per-item', '10', '--json']
  const { stdout, stderr } = await at.jurist(...words)
  const read: readonly Judged[] = JSON.parse(stdout || '{}').variants?.items ?? []
  expect(read, stderr).toHaveLength(items.length)
  return read
}

const having = (items: readonly Judged[], outcomes: readonly string[]) =>
  items.filter(({ variants }) => variants.some(({ outcome }) => outcomes.includes(outcome)))
const described = ({ itemId, variants }: Judged) =>
  `${itemId}: ${variants.map(({ kind, outcome, what }) => `${kind} ${outcome} (${what})`).join('; ')}`
const demand = 'Write what the tests ask for.'
const isPython = ([, path]: Planted) => path.endsWith('.py')

// All fifty take minutes: JURIST_PLANTED=all. Otherwise one of each category, in turn of both languages where it has both.
const exam = planted.filter(
  (_, index) => process.env['JURIST_PLANTED'] !== undefined || index % 5 === ((index / 5) & 1) * 4,
)

describe.each([
  ['Python', exam.filter(isPython)],
  ['JavaScript and files of data', exam.filter((one) => !isPython(one))],
])('%s', (_, chosen) => {
  const count = chosen.length
  test('of tests that only one form passes, at least 80 % are found and 60 % proven', async () => {
    expect(planted).toHaveLength(50)
    const items = await judgedItems(chosen, () => demand)
    const found = having(items, ['too-strict', 'suspected'])
    const missed = items.filter((one) => !found.includes(one)).map(described)
    expect(found.length, missed.join('\n')).toBeGreaterThanOrEqual(0.8 * count)
    expect(having(items, ['too-strict']).length).toBeGreaterThanOrEqual(0.6 * count)
  })

  test('of tests that the task explains, none is a finding', async () => {
    const items = await judgedItems(chosen, (one) => `${demand} ${one[5]}`)
    expect(having(items, ['too-strict', 'suspected']).map(described)).toEqual([])
    expect(having(items, ['passed']).length).toBeGreaterThanOrEqual(0.8 * count)
  })
})
