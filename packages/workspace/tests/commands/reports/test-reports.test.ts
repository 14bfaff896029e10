import { readTestReport } from '@jurist/workspace/commands'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runFileVectors } from '../../files/file-vectors.js'

runFileVectors({ describe, test }, 'vectors of test reports', {
  manifest: new URL('../../../vectors/files/files.json', import.meta.url),
  select: (judge) => judge === 'readTestReport',
})

const pairs = (report: string) => readTestReport(report).tests.map(({ id, status }) => [id, status])
const code = (wanted: string) => expect.objectContaining({ code: wanted })

describe('TAP', () => {
  test('without a description the number is the id', () => {
    expect(pairs('ok 1\nok\nnot ok 3 # TODO\n1..3')).toEqual([
      ['1', 'passed'],
      ['2', 'passed'],
      ['3', 'skipped'],
    ])
  })
  test('escaped hashes and backslashes belong to the description', () => {
    expect(pairs('ok 1 - a \\# SKIP b\nok 2 c\\\\ # skip why\n1..2')).toEqual([
      ['a # SKIP b', 'passed'],
      ['c\\', 'skipped'],
    ])
  })
  test('subtests and diagnostics are passed over, what was printed before too', () => {
    const report = `> x@1.0.0 test\n> node --test\n\nTAP version 14\n    not ok 1 - inner\n    1..1\nok 1 - outer
  ---
  duration_ms: 2.5
  not ok 9 - no test
  ...
# a comment
1..1`
    expect(readTestReport(report)).toEqual({
      format: 'tap',
      tests: [{ id: 'outer', status: 'passed', message: '', elapsedMs: 2.5 }],
    })
  })
  test('the message of a failed test, on one line or several', () => {
    const report = `not ok 1 - a\n  ---\n  message: 'not equal'\n  ...\nnot ok 2 - b\n  ---\n  error: |-
    first

    second
  code: X
  ...\n1..2`
    expect(readTestReport(report).tests.map(({ message }) => message)).toEqual(['not equal', 'first\n\nsecond'])
  })
  test.each([
    ['1..3\nok 1 - a', '3 tests were planned, 1 were reported'],
    ['ok 1 - a', 'the stream ends without a plan after 1 tests'],
    ['1..1\nok 1 - a\n1..1', '1 tests were planned, 0 were reported'],
    ['1..1\nok 1 - a\nBail out! no disk', 'bailed out: no disk'],
    ['ok 7 - a\n1..1', 'the number 7 is not one of the 1 planned'],
    ['1..2\nok 0 - a\nok 2 - b', 'the number 0 is not one of the 2 planned'],
    ['TAP version 13\nok 2 - a\nok 2 - b\n1..2', 'two tests have the number 2'],
    ['TAP version 13\nok 1 - a\n1..1\nTAP version 13\nok 1 - b\n1..2', '2 tests were planned, 1 were reported'],
    ['1..2\nok 1 - a\n1..1\nok 1 - b', '2 tests were planned, 1 were reported'],
    ['ok 1 - a\n1..2\nok 1 - b\n1..1', '2 tests were planned, 1 were reported'],
  ])('%j has an errored plan', (report, message) => {
    const plan = readTestReport(report).tests.find(({ id }) => id === '(plan)')
    expect(plan).toEqual({ id: '(plan)', status: 'errored', message, elapsedMs: null })
  })
  test.each([
    [
      'with versions',
      'TAP version 13\nok 1 - a\n1..1\n# pass 1\n> next@1.0.0 test\nTAP version 13\nnot ok 1 - b\n1..1',
    ],
    ['plans first', '1..1\nok 1 - a\n1..1\nnot ok 1 - b'],
    ['plans last', 'ok 1 - a\n1..1\nnot ok 1 - b\n1..1'],
    ['plans last, without numbers', 'ok - a\n1..1\nnot ok - b\n1..1'],
    ['one plan first, one last', '1..1\nok 1 - a\nnot ok 1 - b\n1..1'],
  ])('each of several streams has its own plan: %s', (_, report) => {
    expect(pairs(report)).toEqual([
      ['a', 'passed'],
      ['b', 'failed'],
    ])
  })
  test.each([
    ['ok 1 - a # time=3.1ms', 'a', 'passed', 3.1],
    ['ok 1 - a # time=0.25s', 'a', 'passed', 250],
    ['ok 1 - a # duration_ms 2.5', 'a', 'passed', 2.5],
    ['ok 1 - a # SKIP not here # time=1ms', 'a', 'skipped', 1],
    ['ok 1 - a # time=1ms {\n    ok 1 - inner\n    1..1\n}', 'a', 'passed', 1],
    ['ok 1 - a { # time=1ms\n    ok 1 - inner\n    1..1\n}', 'a', 'passed', 1],
    ['ok 1 - a {\n    ok 1 - inner\n    1..1\n}', 'a', 'passed', null],
    ['ok 1 - opens {', 'opens {', 'passed', null],
    ['ok 1 - says # time=now', 'says # time=now', 'passed', null],
    ['ok 1 - says \\# time=1ms', 'says # time=1ms', 'passed', null],
  ])('the time and the brace of a subtest are not part of the id: %j', (point, id, status, elapsedMs) => {
    expect(readTestReport(`${point}\n1..1`).tests).toEqual([{ id, status, message: '', elapsedMs }])
  })
  test('a plan of nothing is met', () => {
    expect(pairs('1..0 # SKIP no tests here')).toEqual([])
  })
})

describe('JUnit', () => {
  test('suites nest, times are milliseconds, the worst of equal ids counts', () => {
    const report = `<testsuites><testsuite name="a"><testsuite name="b">
<testcase classname="C" name="x" time="1,234.5"><failure message="m &lt; n">trace</failure></testcase>
<testcase classname="C" name="x"/><testcase name="bare" time="nonsense"/>
<testcase classname="C" name="y"><skipped/><error>broken<![CDATA[ down]]></error><system-out>ok</system-out></testcase>
<testcase classname="C" name="z" status="notrun"/>
</testsuite></testsuite></testsuites>`
    expect(readTestReport(report)).toEqual({
      format: 'junit',
      tests: [
        { id: 'C#x', status: 'failed', message: 'm < n\ntrace', elapsedMs: 1_234_500 },
        { id: 'bare', status: 'passed', message: '', elapsedMs: null },
        { id: 'C#y', status: 'errored', message: 'broken down', elapsedMs: null },
        { id: 'C#z', status: 'skipped', message: '', elapsedMs: null },
      ],
    })
  })
  test('a suite that broke outside of its tests is an errored test', () => {
    expect(pairs('<testsuite name="S"><testcase name="a"/><error message="no setup"/></testsuite>')).toEqual([
      ['a', 'passed'],
      ['S', 'errored'],
    ])
  })
  test.each([
    ['cut off', '<testsuite><testcase name="a"/>'],
    ['not well-formed', '<testsuite><testcase name="a"></testsuite>'],
    ['an entity', '<testsuite><testcase name="&x;"/></testsuite>'],
    ['a document type', '<!DOCTYPE t [<!ENTITY x "y">]><testsuite/>'],
    ['too deep', `${'<testsuite>'.repeat(50_000)}`],
    ['empty', ''],
  ])('%s is corrupt', (_, report) => {
    expect(() => readTestReport(report)).toThrow(code('report-corrupt'))
  })
  test.each(['\u0001', '\u001b', '\ufffe', '\uffff', '\ud800', '&#27;', '&#x1b;', '&#xFFFF;', '&#55357;'])(
    'the character %j, which XML forbids, reads as U+FFFD',
    (character) => {
      const id = `a${character}b`
      const report = `<testsuite><testcase name="${id}"/><system-out>${id}<![CDATA[${id}]]></system-out></testsuite>`
      expect(pairs(report)).toEqual([['a\ufffdb', 'passed']])
    },
  )
  test.each([
    ['ISO-8859-1', 'latin1', ''],
    ['windows-1252', 'latin1', ''],
    ['UTF-16', 'utf16le', '\ufeff'],
    ['UTF-16LE', 'utf16le', ''],
    ['UTF-8', 'utf8', '\ufeff'],
  ] as const)('a report is read in the encoding that it declares: %s', (encoding, bytes, mark) => {
    const report = `${mark}<?xml version="1.0" encoding="${encoding}"?><testsuite><testcase name="grüßt"/></testsuite>`
    expect(readTestReport(Buffer.from(report, bytes)).tests).toMatchObject([{ id: 'grüßt' }])
  })
  test('messages end with one full stop', () => {
    expect(() => readTestReport('<testsuite>&#;</testsuite>')).toThrow(/entity\.$/)
  })
  test('names such as __proto__ are data', () => {
    const names = ['__proto__', 'constructor', 'toString']
    const cases = names.map((name) => `<testcase name="${name}"/>`).join('')
    expect(pairs(`<testsuite>${cases}</testsuite>`).map(([id]) => id)).toEqual(names)
  })
})

describe('Jest and Vitest', () => {
  const file = (fields: object) => JSON.stringify({ testResults: [{ name: 'a.test.ts', ...fields }] })
  test('pending and todo are skipped', () => {
    const results = ['passed', 'failed', 'pending', 'todo', 'skipped'].map((status) => ({ title: status, status }))
    expect(pairs(file({ assertionResults: results })).map(([, status]) => status)).toEqual([
      'passed',
      'failed',
      'skipped',
      'skipped',
      'skipped',
    ])
  })
  test('a file that cannot be loaded is an errored test', () => {
    const report = file({ status: 'failed', message: 'no such module', assertionResults: [] })
    expect(readTestReport(report).tests).toEqual([
      { id: 'a.test.ts', status: 'errored', message: 'no such module', elapsedMs: null },
    ])
  })
  test.each([
    ['a file without results', file({})],
    ['an unknown status', file({ assertionResults: [{ title: 'a', status: 'maybe' }] })],
    ['a title that is no text', file({ assertionResults: [{ title: 1, status: 'passed' }] })],
    ['cut off', '{"testResults": ['],
  ])('%s is corrupt', (_, report) => {
    expect(() => readTestReport(report)).toThrow(code('report-corrupt'))
  })
})

describe('Go', () => {
  const events = (...all: readonly object[]) => all.map((event) => `${JSON.stringify(event)}\n`).join('')
  test('only the ends of tests count', () => {
    const report = `# build noise\n${events(
      { Action: 'start', Package: 'm/p' },
      { Action: 'run', Package: 'm/p', Test: 'TestA' },
      { Action: 'output', Package: 'm/p', Test: 'TestA', Output: 'a_test.go:3: wrong\n' },
      { Action: 'fail', Package: 'm/p', Test: 'TestA', Elapsed: 0.25 },
      { Action: 'pass', Package: 'm/p', Test: 'TestB/sub', Elapsed: 0 },
      { Action: 'skip', Package: 'm/p', Test: 'TestC' },
      { Action: 'fail', Package: 'm/p', Elapsed: 1 },
    )}FAIL\tm/p\n`
    expect(readTestReport(report)).toEqual({
      format: 'go',
      tests: [
        { id: 'm/p.TestA', status: 'failed', message: 'a_test.go:3: wrong', elapsedMs: 250 },
        { id: 'm/p.TestB/sub', status: 'passed', message: '', elapsedMs: 0 },
        { id: 'm/p.TestC', status: 'skipped', message: '', elapsedMs: null },
      ],
    })
  })
  test('an event that is cut off is corrupt', () => {
    expect(() => readTestReport('{"Action":"start"}\n{"Action":"pa')).toThrow(code('report-corrupt'))
  })
})

describe('any text', () => {
  test.each(['hello', '{"a":1}', '[1]', '<coverage/>', 'ok  \tm/p\t0.1s', 'ok: done', 'okay'])(
    '%j is no report',
    (text) => {
      expect(() => readTestReport(text)).toThrow(code('report-unsupported'))
    },
  )
  test('bytes that are no UTF-8 are corrupt', () => {
    expect(() => readTestReport(Uint8Array.of(0xff, 0xfe))).toThrow(code('report-corrupt'))
  })
  test('gives a report or an error with a code, and no id twice', () => {
    const piece = fc.constantFrom(
      'ok 1 - a\n',
      'not ok',
      '1..1\n',
      '<testsuite>',
      '<testcase name="a"/>',
      '{"Action":"',
      '\n',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string())), (pieces) => {
        try {
          const ids = readTestReport(pieces.join('')).tests.map(({ id }) => id)
          expect(new Set(ids).size).toBe(ids.length)
        } catch (thrown) {
          expect(String((thrown as { code?: unknown }).code)).toMatch(/^report-/)
        }
      }),
    )
  })
})
