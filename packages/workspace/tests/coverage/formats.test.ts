import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readCoverage } from '../../src/coverage/index.js'
import { readReport } from '../../src/coverage/read-coverage.js'

const line = (missed: number, covered: number) => `<counter type="LINE" missed="${missed}" covered="${covered}"/>`
const of = (covered: number, total: number) => ({
  covered,
  total,
  percent: total === 0 ? null : (covered * 100) / total,
})
const corrupt = { code: 'report-corrupt' }
const nothing = { covered: null, total: null, percent: null }
const unsupported = { code: 'report-unsupported' }

describe('JaCoCo', () => {
  test('counts what is directly in the report', async () => {
    const report = await readCoverage(
      `<?xml version="1.0"?><!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd"><report name="x">
        <group name="g"><package name="p"><class name="c">${line(9, 1)}</class>${line(9, 1)}</package>${line(9, 1)}</group>
        ${line(1, 3)}<counter type="BRANCH" missed="2" covered="2"/><counter type="METHOD" missed="0" covered="7"/></report>`,
    )
    expect(report).toEqual({ format: 'jacoco', line: of(3, 4), branch: of(2, 4), method: of(7, 7) })
  })

  test('adds up packages, also in groups, when the report itself has no counters', async () => {
    const report = `<report name="x"><group name="a"><group name="b"><package name="p"><class name="c">${line(5, 5)}</class>
      ${line(1, 2)}</package>${line(70, 70)}</group></group><package name="q">${line(0, 4)}</package></report>`
    expect(await readCoverage(report)).toEqual({ format: 'jacoco', line: of(6, 7), branch: null, method: null })
  })

  test('has no percentage of nothing', async () => {
    expect((await readCoverage(`<report>${line(0, 0)}</report>`)).line).toEqual(of(0, 0))
    expect((await readCoverage('<report/>')).line).toEqual({ covered: null, total: null, percent: null })
  })

  test.each([
    ['two root counters', `<report>${line(1, 1)}${line(1, 1)}</report>`],
    ['a negative count', '<report><counter type="LINE" missed="-1" covered="2"/></report>'],
    ['a fraction', '<report><counter type="LINE" missed="1.5" covered="2"/></report>'],
    ['an exponent', '<report><counter type="LINE" missed="1e2" covered="2"/></report>'],
    ['a count too large', '<report><counter type="LINE" missed="1" covered="9007199254740993"/></report>'],
    ['a sum too large', `<report>${line(9_007_199_254_740_991, 1)}</report>`],
    ['a missing count', '<report><counter type="LINE" covered="2"/></report>'],
    ['an empty count', '<report><counter type="LINE" missed="" covered="2"/></report>'],
    ['a truncated file', `<report>${line(1, 1)}`],
    ['mismatched tags', `<report><package>${line(1, 1)}</report></package>`],
    ['two roots', `<report>${line(1, 1)}</report><report/>`],
    ['nothing but a declaration', '<?xml version="1.0"?>'],
    ['an empty file', ''],
    ['only space', ' \n\t '],
  ])('refuses %s', async (_what, report) => {
    await expect(readCoverage(report)).rejects.toMatchObject(corrupt)
  })

  test('takes attributes in any order and names of the prototype as data', async () => {
    const report = `<report constructor="1" toString="2"><package name="__proto__"/><counter covered='3' missed='1' type='LINE'/></report>`
    expect((await readCoverage(report)).line).toEqual(of(3, 4))
  })
})

describe('hostile XML', () => {
  const bomb = Array.from({ length: 12 }, (_, at) => `<!ENTITY a${at + 1} "${`&a${at};`.repeat(10)}">`).join('')
  test.each([
    ['a bomb of entities', `<!DOCTYPE report [<!ENTITY a0 "ha">${bomb}]><report name="&a12;">${line(1, 1)}</report>`],
    ['an entity of a file', `<!DOCTYPE report [<!ENTITY x SYSTEM "file:///etc/passwd">]><report>&x;</report>`],
    ['declarations nobody uses', `<!DOCTYPE report [<!ELEMENT report ANY>]><report>${line(1, 1)}</report>`],
    ['an unknown entity', `<report name="&nbsp;">${line(1, 1)}</report>`],
    ['50,000 levels', '<report>'.repeat(50_000)],
    ['257 levels', `<report>${'<group>'.repeat(256)}${'</group>'.repeat(256)}</report>`],
    ['a reference beyond Unicode', `<report name="&#x110000;">${line(1, 1)}</report>`],
    ['a reference without digits', `<report name="&#;">${line(1, 1)}</report>`],
  ])('%s is refused', async (_what, report) => {
    await expect(readCoverage(report)).rejects.toMatchObject(corrupt)
  })

  test('bytes that are no UTF-8 are refused, a byte order mark is not', async () => {
    await expect(readCoverage(Uint8Array.of(0x3c, 0xff, 0xfe))).rejects.toMatchObject(corrupt)
    expect((await readCoverage(`\ufeff<report>${line(1, 1)}</report>`)).line.percent).toBe(50)
    expect((await readCoverage(Buffer.from(`\ufeff<report>${line(1, 1)}</report>`))).line.percent).toBe(50)
  })

  test.each(['\0', '\u001b', '\ufffe', '\ud800', '&#27;', '&#x1B;', '&#xD83D;&#xDE00;', '&#0;'])(
    'the character %j, which XML forbids, does not harm a report',
    async (character) => {
      const report = `<report name="${character}">${character}${line(1, 1)}</report>`
      expect((await readCoverage(report)).line.percent).toBe(50)
      const pieces = Array.from({ length: report.length }, (_, at) => report.slice(at, at + 1))
      const chunks = [`${pieces.splice(0, 10).join('')}`, ...pieces]
      expect((await readReport({ path: '', chunks })).line.percent).toBe(50)
    },
  )

  test.each([
    [
      'ISO-8859-1',
      Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?><report name="Grüße">${line(1, 3)}</report>`, 'latin1'),
    ],
    [
      'UTF-16',
      Buffer.from(
        `\ufeff<?xml version="1.0" encoding="UTF-16"?><report name="Grüße">${line(1, 3)}</report>`,
        'utf16le',
      ),
    ],
    [
      'what it was before',
      Buffer.from(`<?xml version="1.0" encoding="utf-16"?><report name="Grüße">${line(1, 3)}</report>`),
    ],
    ['its mark', Buffer.from('\ufeffSF:ä\nDA:1,0\nDA:2,1\nDA:3,1\nDA:4,1\nend_of_record\n', 'utf16le')],
  ])('a report is read in the encoding that it declares: %s', async (_, report) => {
    expect((await readCoverage(report)).line.percent).toBe(75)
  })

  test('an encoding that is not known is named', async () => {
    const report = Buffer.from('<?xml version="1.0" encoding="x-none"?><report/>')
    await expect(readCoverage(report)).rejects.toThrow('cannot be used: its encoding "x-none" is not known. Let')
  })

  test('whole numbers that are written as decimals count', async () => {
    const counts = 'lines-covered="1.0" lines-valid="2" branches-covered="1.0" branches-valid="4.00"'
    const { line, branch } = await readCoverage(`<coverage ${counts}><packages/></coverage>`)
    expect([line.percent, branch?.percent]).toEqual([50, 25])
    await expect(readCoverage(`<coverage ${counts.replace('1.0', '1.5')}/>`)).rejects.toThrow('not a whole number')
  })

  test('messages end with one full stop', async () => {
    await expect(readCoverage('<report>&nbsp;</report>')).rejects.toThrow(/undefined entity\. Let/)
  })

  test('messages are short and show no terminal what to do', async () => {
    const report = `<report><counter type="LINE" missed="\u009b2J${'x'.repeat(100_000)}" covered="1"/></report>`
    const message = await readCoverage(report).then(
      () => '',
      (thrown: Error) => thrown.message,
    )
    expect(message).toContain('not a whole number')
    expect(message.length).toBeLessThan(1_200)
    expect(message).not.toContain('\u009b')
  })
})

describe('Cobertura', () => {
  const cobertura = (root: string, inside = '') => `<coverage ${root}>${inside}</coverage>`
  const lines = (filename: string, ...hits: readonly number[]) =>
    `<packages><package><classes><class name="c" filename="${filename}"><methods><method><lines><line number="99" hits="1"/></lines></method></methods>
     <lines>${hits.map((count, at) => `<line number="${at + 1}" hits="${count}"/>`).join('')}</lines></class></classes></package></packages>`

  test('counts by the root', async () => {
    const root = 'lines-valid="8" lines-covered="4" line-rate="0.9" branches-valid="4" branches-covered="1"'
    expect(await readCoverage(cobertura(root, lines('a.py', 1)))).toEqual({
      format: 'cobertura',
      line: of(4, 8),
      branch: of(1, 4),
      method: null,
    })
  })

  test('else by distinct lines, once for all classes of a file', async () => {
    const report = cobertura('line-rate="0.1"', lines('a.py', 1, 0, 0) + lines('a.py', 0, 2) + lines('b.py', 0))
    expect((await readCoverage(report)).line).toEqual(of(2, 4))
  })

  test('else by the rate', async () => {
    const { line, branch } = await readCoverage(cobertura('line-rate="0.25" branch-rate="1"'))
    expect(line).toEqual({ covered: null, total: null, percent: 25 })
    expect(branch).toEqual({ covered: null, total: null, percent: 100 })
  })

  test.each(['1.01', '-0.1', '', 'high', '0x1', '1e400'])('refuses the rate %j', async (rate) => {
    await expect(readCoverage(cobertura(`line-rate="${rate}"`))).rejects.toMatchObject(corrupt)
  })

  test.each(['line-rate="7"', 'branch-rate="-1"', 'line-rate="1" branch-rate="2"'])(
    'refuses %s beside counts too',
    async (rates) => {
      const counts = 'lines-valid="8" lines-covered="4" branches-valid="4" branches-covered="1"'
      await expect(readCoverage(cobertura(`${counts} ${rates}`))).rejects.toMatchObject(corrupt)
      await expect(readCoverage(cobertura(rates, lines('a.py', 1)))).rejects.toMatchObject(corrupt)
    },
  )

  test('a share of nothing is not counted', async () => {
    const counts = 'lines-covered="9" lines-valid="10" line-rate="NaN" branch-rate="NaN"'
    expect(await readCoverage(cobertura(counts))).toMatchObject({ line: of(9, 10), branch: nothing })
    const none = 'lines-covered="0" lines-valid="0" line-rate="NaN" branch-rate="NaN"'
    expect(await readCoverage(cobertura(none))).toMatchObject({ line: of(0, 0), branch: nothing })
    expect((await readCoverage(cobertura('line-rate="NaN"'))).line).toEqual(nothing)
  })

  test('hits go up to 2^64', async () => {
    expect(
      (await readCoverage(cobertura('', lines('a.py', 2 ** 63, 0)).replace(/\d{19,}/, '18446744073709551615'))).line,
    ).toEqual(of(1, 2))
  })

  test('refuses more covered than there are, and lines without number', async () => {
    await expect(readCoverage(cobertura('lines-valid="1" lines-covered="2"'))).rejects.toMatchObject(corrupt)
    await expect(readCoverage(cobertura('', '<class><lines><line hits="1"/></lines></class>'))).rejects.toMatchObject(
      corrupt,
    )
  })
})

describe('Istanbul', () => {
  const file = (starts: readonly number[], hits: readonly number[]) => ({
    path: '/a.js',
    statementMap: Object.fromEntries(
      starts.map((start, at) => [at, { start: { line: start, column: 0 }, end: { line: start + 1, column: null } }]),
    ),
    fnMap: { 0: { name: 'f', decl: { start: { line: 1 } }, line: 1 } },
    branchMap: { 0: { type: 'if', locations: [{}, {}] } },
    s: Object.fromEntries(hits.map((count, at) => [at, count])),
    f: { 0: 1 },
    b: { 0: [0, 3] },
  })
  const final = (files: object) => readCoverage(JSON.stringify(files))

  test('counts start lines of a final report', async () => {
    expect(await final({ '/a.js': file([1, 1, 2], [0, 4, 0]), '/b.js': file([1], [1]) })).toEqual({
      format: 'istanbul',
      line: of(2, 3),
      branch: of(2, 4),
      method: of(2, 2),
    })
    expect((await final({})).line).toEqual(of(0, 0))
  })

  test('hits go up to 2^64', async () => {
    const report = JSON.stringify({ a: file([1, 2], [1, 0]) }).replace('"s":{"0":1', '"s":{"0":18446744073709551615')
    expect((await readCoverage(report)).line).toEqual(of(1, 2))
    await expect(readCoverage(report.replace('18446744073709551615', '1e30'))).rejects.toMatchObject(corrupt)
  })

  test('takes files whose names are those of a summary or of a prototype', async () => {
    const report = JSON.stringify({ total: file([1], [1]), constructor: file([1], [0]) })
    expect((await readCoverage(report)).line).toEqual(of(1, 2))
    expect((await readCoverage(report.replace('constructor', '__proto__'))).line).toEqual(of(1, 2))
  })

  test('counts the total of a summary and ignores its percentages', async () => {
    const count = (covered: number, total: number) => ({ covered, total, skipped: 0, pct: 'Unknown' })
    const report = { total: { lines: count(1, 4), branches: count(0, 0) }, 'a.js': { lines: count(9, 9) } }
    expect(await final(report)).toEqual({ format: 'istanbul', line: of(1, 4), branch: of(0, 0), method: null })
  })

  test.each([
    ['a truncated file', '{"/a.js": {"statementMap": {'],
    ['a trailing comma', '{"total": {"lines": {"covered": 1, "total": 1},}}'],
    ['a comment', '{/**/}'],
    ['a statement without count', JSON.stringify({ a: file([1, 2], [1]) })],
    ['a negative count', JSON.stringify({ a: file([1], [-1]) })],
    ['a count in quotes', JSON.stringify({ a: { ...file([1], [1]), f: { 0: '1' } } })],
    ['counts without statements', '{"a": {"s": {}}}'],
    ['more covered than there are', '{"total": {"lines": {"covered": 2, "total": 1}}}'],
    ['a total alone', '{"total": {"lines": {"total": 1}}}'],
    ['50,000 levels', `{"a":${'['.repeat(50_000)}`],
  ])('refuses %s', async (_what, report) => {
    await expect(readCoverage(report)).rejects.toMatchObject(corrupt)
  })
})

describe('Clover', () => {
  const metrics = (counts: string) => `<metrics loc="9" ${counts}/>`
  const all =
    'statements="10" coveredstatements="9" conditionals="4" coveredconditionals="1" methods="2" coveredmethods="2"'

  test('counts the metrics of the project, with and without the attribute of the root', async () => {
    const project = `<project timestamp="1"><file name="a.php">${metrics('statements="3" coveredstatements="0"')}</file>${metrics(all)}</project>`
    for (const root of ['generated="1"', 'generated="1" clover="3.2.0"', ''])
      expect(await readCoverage(`<coverage ${root}>${project}</coverage>`)).toEqual({
        format: 'clover',
        line: of(9, 10),
        branch: of(1, 4),
        method: of(2, 2),
      })
  })

  test('projects are added up, tests are left out', async () => {
    const one = `<project>${metrics('statements="1" coveredstatements="1"')}</project>`
    const tests = `<testproject>${metrics('statements="90" coveredstatements="90"')}</testproject>`
    const report = `<coverage clover="4"><project>${metrics(all)}</project>${tests}${one}</coverage>`
    expect((await readCoverage(report)).line).toEqual(of(10, 11))
  })

  test('refuses more covered than there are, and counts nothing without metrics', async () => {
    const report = `<coverage><project>${metrics('statements="1" coveredstatements="2"')}</project></coverage>`
    await expect(readCoverage(report)).rejects.toMatchObject(corrupt)
    await expect(readCoverage(report.replace(/covered\w+="2"/, ''))).rejects.toMatchObject(corrupt)
    expect(await readCoverage('<coverage><project/></coverage>')).toMatchObject({ format: 'clover', line: nothing })
  })
})

describe('LCOV', () => {
  const record = (path: string, ...rest: readonly string[]) => [`SF:${path}`, ...rest, 'end_of_record', ''].join('\n')

  test('merges the lines of a file over its records', async () => {
    const report = `TN:one\n${record('a.js', 'DA:1,1', 'DA:2,0', 'DA:3,0')}TN:two\n${record('a.js', 'DA:2,5,checksum', 'LF:900')}`
    expect((await readCoverage(report)).line).toEqual(of(2, 3))
  })

  test('takes the totals of a record without lines, and of branches and functions', async () => {
    const totals = ['FN:1,f', 'FNDA:1,f', 'FNF:2', 'FNH:1', 'BRDA:1,0,0,-', 'BRF:4', 'BRH:3']
    const report = record('a.js', 'LF:10', 'LH:7', ...totals) + record('b.js', 'DA:1,1', ...totals)
    expect(await readCoverage(report)).toEqual({ format: 'lcov', line: of(8, 11), branch: of(6, 8), method: of(2, 4) })
  })

  test('hits go up to 2^64', async () => {
    const report = record('a.rs', 'DA:1,18446744073709551615', 'DA:2,18446744073709551616', 'DA:3,0', 'LF:3', 'LH:2')
    expect((await readCoverage(report)).line).toEqual(of(2, 3))
  })

  test('reads the line ends of Windows, comments and a last line without end', async () => {
    const report = `# by hand\r\n\r\n${record('a.js', 'DA:1,1').replaceAll('\n', '\r\n').trimEnd()}`
    expect((await readCoverage(report)).line).toEqual(of(1, 1))
  })

  test.each([
    ['a last record without end', 'SF:a.js\nDA:1,1\n'],
    ['a record without end', `SF:a.js\nDA:1,1\n${record('b.js', 'DA:1,1')}`],
    ['an end too many', `${record('a.js')}end_of_record\n`],
    ['lines outside of records', 'TN:\nDA:1,1\n'],
    ['negative hits', record('a.js', 'DA:1,-1')],
    ['hits beyond 64 bits', record('a.js', 'DA:1,28446744073709551615')],
    ['a line beyond 2^53', record('a.js', 'DA:18446744073709551615,1')],
    ['no hits', record('a.js', 'DA:1')],
    ['more hit than found beside lines', record('a.js', 'DA:1,1', 'LF:1', 'LH:2')],
    ['more hit than found', record('a.js', 'LF:1', 'LH:2')],
    ['more branches hit than found', record('a.js', 'BRF:1', 'BRH:2') + record('b.js', 'BRF:9', 'BRH:0')],
    ['other text', record('a.js', 'hello')],
    ['one endless line', `SF:${'a'.repeat(2_000_000)}`],
  ])('refuses %s', async (_what, report) => {
    await expect(readCoverage(report)).rejects.toMatchObject(corrupt)
  })
})

describe('other formats', () => {
  test.each([
    ['HTML', '<html><body>100 %</body></html>'],
    ['NCover', '<root><coverage/></root>'],
    ['other JSON', '{"coverage": 100}'],
    ['a record of records', '{"a": {"b": {"c": 1}}}'],
    ['a JSON list', '[]'],
    ['prose', 'all lines are covered'],
  ])('%s is not supported', async (_what, report) => {
    await expect(readCoverage(report)).rejects.toMatchObject(unsupported)
  })

  test('a format that is asked for refuses others', async () => {
    await expect(readCoverage('<report/>', { format: 'cobertura' })).rejects.toMatchObject(unsupported)
    expect((await readCoverage('<report/>', { format: 'jacoco' })).format).toBe('jacoco')
  })

  test('bad options are refused', async () => {
    await expect(readCoverage('', { format: 'ncover' } as never)).rejects.toMatchObject({ code: 'option-invalid' })
    await expect(readCoverage(undefined as never)).rejects.toMatchObject({ code: 'option-invalid' })
  })
})

describe('laws', () => {
  test('where a report is cut into pieces does not count', async () => {
    const reports = [
      `<report name="äöü𝄞">${line(1, 3)}<!-- ü --><package name="&lt;p">${line(1, 1)}</package></report>`,
      '{"ü𝄞.js": {"statementMap": {"0": {"start": {"line": 1}}}, "s": {"0": 1}, "f": {}, "b": {}}}',
      'TN:\nSF:ü𝄞.js\nDA:1,1\nDA:2,0\nend_of_record\n',
    ]
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...reports), fc.array(fc.nat(200), { maxLength: 8 }), async (report, cuts) => {
        // Formats are recognized by what a report begins with, which comes in one piece.
        const bytes = Buffer.from(report)
        const places = [12, ...cuts.filter((cut) => cut > 12 && cut < bytes.length)].sort((a, b) => a - b)
        const chunks = [0, ...places].map((from, at) => bytes.subarray(from, places[at] ?? bytes.length))
        expect(await readReport({ path: 'r', chunks })).toEqual(await readCoverage(report))
      }),
    )
  })

  test('every text has an answer: a report or one of two errors', async () => {
    const part = fc.constantFrom(
      '<report>',
      '</report>',
      line(1, 1),
      'SF:a\n',
      'DA:1,1\n',
      '{',
      '}',
      '"s":',
      '0',
      '&lt;',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(part, fc.string({ maxLength: 5 })), { maxLength: 12 }), async (parts) => {
        const outcome = await readCoverage(parts.join('')).then(
          ({ format }) => format,
          ({ code }) => code,
        )
        expect(['jacoco', 'lcov', 'istanbul', 'report-corrupt', 'report-unsupported']).toContain(outcome)
      }),
    )
  })
})
