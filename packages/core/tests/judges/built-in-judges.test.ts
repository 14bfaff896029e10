import { strict as assert } from 'node:assert'
import type { Judge, Judgment } from '@jurist/core'
import { assertions, fileContent, fileExists, infoOf, normalize, outputText, runJudge, supersetOf } from '@jurist/core'
import { search } from '@jurist/core/internal'
import { aContext, judgeContract, memoryWorkspace } from '@jurist/core/testing'
import { describe, expect, test } from 'vitest'

const harness = { describe, test }
const withFiles = (files: Record<string, string | Uint8Array>, links = {}) =>
  aContext({ workspace: memoryWorkspace(files, { links }) })

judgeContract(harness, 'fileExists', { judge: fileExists('a'), passing: withFiles({ a: '' }), failing: withFiles({}) })
judgeContract(harness, 'fileContent', {
  judge: fileContent('a', { matches: /x/ }),
  passing: withFiles({ a: 'x' }),
  failing: withFiles({ a: 'y' }),
})
judgeContract(harness, 'outputText', {
  judge: outputText({ contains: 'x' }),
  passing: aContext({ agentOutput: 'x' }),
  failing: aContext({ agentOutput: 'y' }),
})
judgeContract(harness, 'supersetOf', {
  judge: supersetOf({ reference: memoryWorkspace({ a: 'x' }) }),
  passing: withFiles({ a: 'x', more: '' }),
  failing: withFiles({ a: 'y' }),
})
judgeContract(harness, 'assertions', {
  judge: assertions(async ({ context, expect }) => void expect(await context.workspace.exists('a')).toBe(true)),
  passing: withFiles({ a: '' }),
  failing: withFiles({}),
})

const checksOf = ({ checks }: Judgment) => checks.map(({ name, passed }) => `${passed ? '+' : '-'}${name}`)
const codeOf = (judgment: Judgment) => (judgment.status === 'error' ? judgment.failure.code : undefined)

describe('fileExists', () => {
  const workspace = withFiles({ 'd/f': 'x', 'empty/': '' }, { in: 'd/f', dir: 'd', broken: 'none', out: '../etc' })
  test.each([
    ['d/f', undefined, 'pass'],
    ['d/f', 'file', 'pass'],
    ['d/f', 'directory', 'fail'],
    ['d', 'directory', 'pass'],
    ['d/', 'any', 'pass'],
    ['d', 'file', 'fail'],
    ['in', 'file', 'pass'],
    ['dir', 'directory', 'pass'],
    ['broken', undefined, 'fail'],
    ['none', undefined, 'fail'],
  ] as const)('%s as %s: %s', async (path, type, status) => {
    const judgment = await runJudge(fileExists(path, type && { type }), workspace)
    expect([judgment.status, judgment.checks[0]?.location]).toEqual([status, { path }])
  })
  test('a link out fails, an escaping path of the judge is an error, a blank one is refused immediately', async () => {
    expect(checksOf(await runJudge(fileExists('out'), workspace))).toEqual(['-path-escape'])
    expect(codeOf(await runJudge(fileExists('../x'), workspace))).toBe('path-escape')
    expect(() => fileExists(' ')).toThrow(expect.objectContaining({ code: 'path-invalid' }))
    expect(() => fileExists('a', { type: 'link' as never })).toThrow(
      expect.objectContaining({ code: 'option-invalid' }),
    )
  })
})

describe('fileContent', () => {
  const context = withFiles({ a: 'hello\n', bad: Uint8Array.of(0xff), 'd/x': '', big: 'x'.repeat(10_485_761) })
  const judged = (path: string, rule: object) => runJudge(fileContent(path, rule as never), context)
  test('checks tell how far it came', async () => {
    expect(checksOf(await judged('none', { equals: '' }))).toEqual(['-file_exists'])
    expect(checksOf(await judged('a', { equals: 'hello' }))).toEqual([
      '+file_exists',
      '+file_readable',
      '-content_match',
    ])
    for (const [path, code] of [
      ['bad', 'not-text'],
      ['d', 'not-a-file'],
      ['big', 'too-large'],
    ] as const) {
      const judgment = await judged(path, { contains: '' })
      expect([judgment.metadata.unjudgeable, checksOf(judgment)]).toEqual([code, ['+file_exists', '-file_readable']])
      expect(judgment.status).toBe('fail')
    }
  })
  test.each([
    [{ equals: 'hello\n' }, 'pass'],
    [{ contains: '' }, 'pass'],
    [{ contains: 'ell' }, 'pass'],
    [{ matches: '^hel+o$' }, 'fail'],
    [{ matches: /^hel+o$/gm }, 'pass'],
    [{ equals: 'HELLO\n', ignoreCase: true }, 'pass'],
    [{ equals: 'HELLO\n', ignoreCase: false }, 'fail'],
    [{ contains: 'ELL', ignoreCase: true }, 'pass'],
    [{ contains: 'ELL' }, 'fail'],
    [{ matches: '^HEL+O', ignoreCase: true }, 'pass'],
    [{ matches: /^HEL+O$/im, ignoreCase: true }, 'pass'],
    [{ satisfies: async (text: string) => text.length === 6 }, 'pass'],
    [{ satisfies: () => false }, 'fail'],
  ])('%o: %s', async (rule, status) => expect((await judged('a', rule)).status).toBe(status))
  test('a rule that throws or does not answer is an error', async () => {
    const thrower = () => {
      throw new Error('x')
    }
    expect((await judged('a', { satisfies: thrower })).status).toBe('error')
    expect(codeOf(await judged('a', { satisfies: () => 'yes' }))).toBe('judgment-invalid')
  })
  test.each([
    [{}],
    [{ equals: 'a', contains: 'b' }],
    [{ contains: 'a', budgetMs: 1 }],
    [{ satisfies: () => true, ignoreCase: true }],
    [{ contains: 'a', ignoreCase: 'yes' }],
    [{ has: 'a' }],
  ])('%o is refused', (rule) => {
    expect(() => fileContent('a', rule as never)).toThrow(expect.objectContaining({ code: 'option-invalid' }))
  })

  test.each([
    ['x', '{ equals: "x" } or { contains: "x" }'],
    [/x/i, '{ matches: /x/i }'],
    [() => true, '{ satisfies: (text) => … }'],
  ])('a rule that is %s: the error shows how to write it', (rule, written) => {
    for (const make of [() => fileContent('a', rule as never), () => outputText(rule as never)])
      expect(make).toThrow(`a rule is an object. Write ${written}.`)
  })

  test('without a reference, supersetOf says how to give one', async () => {
    const { status, reasoning } = await runJudge(supersetOf(), {})
    expect([status, reasoning]).toEqual(['abstain', expect.stringContaining('give the context a "reference"')])
  })
  test('the reason says that case does not matter', async () => {
    const judgment = await runJudge(
      outputText({ contains: 'Paris', ignoreCase: true }),
      aContext({ agentOutput: 'Rome' }),
    )
    expect(judgment.reasoning).toBe('the output does not contain "Paris" in any case')
  })
  test('an invalid pattern is refused immediately', () => {
    expect(() => outputText({ matches: '(' })).toThrow(expect.objectContaining({ code: 'pattern-invalid' }))
  })
  test('a catastrophic pattern ends within its budget', async () => {
    const evil = aContext({ agentOutput: `${'a'.repeat(40)}!` })
    const judgment = await runJudge(outputText({ matches: '^(a+)+$', budgetMs: 50 }), evil)
    expect(codeOf(judgment)).toBe('regex-timeout')
  })
})

test('a search drops g and y, and is repeatable', () => {
  const holds = search(/a/gy)
  expect([holds('ba'), holds('ba'), holds('b')]).toEqual([true, true, false])
})

test('outputText fails without output and reads every kind', async () => {
  const silent = await runJudge(outputText({ contains: '' }), {})
  expect([silent.status, checksOf(silent)]).toEqual(['fail', ['-output_present']])
  const data = { type: 'structured', data: { a: 1 } } as const
  expect((await runJudge(outputText({ contains: '"a": 1' }), { agentOutput: data })).status).toBe('pass')
})

describe('supersetOf', () => {
  const reference = memoryWorkspace(
    { a: 'abc', 'd/b': 'x', mvnw: 'm', 'mvnw.cmd': 'c', 't/1': '1', l: 'link' },
    { root: '/ref' },
  )
  const against = (files: Record<string, string>, options = {}, links = {}) =>
    runJudge(supersetOf({ reference, ...options }), withFiles(files, links))
  test('every file of the reference is a check; the score is the share', async () => {
    const files = { a: 'abX', 'd/b': 'xy', mvnw: 'm', 'mvnw.cmd': 'c', 'l/x': '' }
    const judgment = await against(files)
    expect(judgment.checks.map(({ name, message }) => [name, message])).toEqual([
      ['a', 'differs at byte 2'],
      ['d/b', 'differs at byte 1'],
      ['l', 'not a file'],
      ['mvnw', ''],
      ['mvnw.cmd', ''],
      ['t/1', 'missing'],
    ])
    expect(judgment.status === 'fail' && normalize(judgment.score)).toBeCloseTo(2 / 6, 9)
    expect(judgment.metadata).toEqual({ matchedFiles: 2, totalFiles: 6, referenceRoot: '/ref' })
  })
  test('ignore drops whole segments', async () => {
    const judgment = await against({}, { ignore: ['mvnw', 't/', 'd'] })
    expect(judgment.checks.map(({ name }) => name)).toEqual(['a', 'l', 'mvnw.cmd'])
  })
  test('a link that leaves the workspace fails its own check only', async () => {
    const judgment = await against({ a: 'abc' }, { ignore: ['d', 't', 'mvnw', 'mvnw.cmd'] }, { l: '/ref/l' })
    expect(judgment.checks.map(({ message }) => message)).toEqual(['', 'link leaves the workspace'])
  })
  test('abstains without a reference, or with nothing left of it', async () => {
    expect((await runJudge(supersetOf(), aContext())).status).toBe('abstain')
    expect((await runJudge(supersetOf({ reference: memoryWorkspace({ 'd/': '' }) }), aContext())).status).toBe(
      'abstain',
    )
    expect(
      (await runJudge(supersetOf({ ignore: ['a'] }), aContext({ reference: memoryWorkspace({ a: '' }) }))).status,
    ).toBe('abstain')
  })
})

describe('assertions', () => {
  const judged = (body: Parameters<typeof assertions>[0]) => runJudge(assertions(body), aContext())
  test('each call is a check, in order; the score is the share', async () => {
    const judgment = await judged(({ expect: that, check }) => {
      that(1).toBe(1)
      that([1, 2], 'list').not.toContain(2)
      void check('later', async () => assert.equal(1, 2))
      that('abc').toMatch(/b/g)
    })
    expect(judgment.reasoning).toBe('2 of 4 assertions held')
    expect(checksOf(judgment)).toEqual(['+toBe', '-list', '-later', '+toMatch'])
    expect(judgment.checks[1]?.message).toBe('expected [1,2] not toContain 2')
  })
  test('matchers', async () => {
    const judgment = await judged(({ expect: that }) => {
      that({ a: [1, { b: 2 }] }).toEqual({ a: [1, { b: 2 }] })
      that({ a: 1 }).not.toEqual({ a: 1, b: undefined })
      that('abc').toContain('b')
      that('abc').toHaveLength(3)
      that(3).toSatisfy((value) => value === 3)
      that(3).toBeGreaterThan(2)
      that(3).toBeLessThan(4)
      that(1).toBeTruthy()
      that(null).toBeDefined()
      that(Number.NaN).toBe(Number.NaN)
    })
    expect(judgment.status).toBe('pass')
  })
  test('a value of the wrong kind fails its check, negated or not', async () => {
    const judgment = await judged(({ expect: that }) => {
      that(5).toContain('5')
      that(5).not.toContain('x')
      that('5').not.toBeGreaterThan(4)
      that(5).not.toMatch('x')
      that(null).not.toHaveLength(1)
      that(5).not.toSatisfy(() => {
        throw new Error('x')
      })
    })
    expect(judgment.checks.every(({ passed }) => !passed)).toBe(true)
  })
  test('never throw for what cannot be shown, and keep messages short', async () => {
    const unprintable = Object.assign(Object.create(null), { big: 5n })
    const nameless = Object.defineProperty(() => 1, 'name', { value: Object.create(null) })
    const judgment = await judged(async ({ expect: that, check }) => {
      for (const value of [5n, { big: 5n }, unprintable, nameless, Symbol('s')]) that(value).toBe('else')
      await check('long', () => assert.fail('x'.repeat(2_000)))
      assert.fail('y'.repeat(2_000))
    })
    expect(judgment.status).toBe('fail')
    expect(judgment.checks.map(({ message }) => message.length <= 500)).toEqual(Array(7).fill(true))
    expect(judgment.checks[2]?.message).toBe('expected unprintable value toBe "else"')
  })
  test('a blank name counts as none', async () => {
    const judgment = await judged(async ({ expect: that, check }) => {
      that(1, ' ').toBe(1)
      await check('', () => undefined)
    })
    expect(checksOf(judgment)).toEqual(['+toBe', '+check'])
  })
  test('a hole is compared, as undefined', async () => {
    const judgment = await judged(({ expect: that }) => {
      that(new Array(1)).toEqual([1])
      that(new Array(1)).toEqual([undefined])
    })
    expect(checksOf(judgment)).toEqual(['-toEqual', '+toEqual'])
  })
  test('a check that begins late in another one counts, although it is not awaited', async () => {
    const later = () => new Promise((resolve) => setTimeout(resolve, 5))
    const judgment = await judged(({ check }) => {
      void check('outer', async () => {
        await later()
        void check('inner', async () => {
          await later()
          assert.fail('no')
        })
      })
    })
    expect(checksOf(judgment)).toEqual(['+outer', '-inner'])
  })
  test.each<[string, Parameters<typeof assertions>[0], string]>([
    ['TypeError', ({ check }) => void check('a', () => (undefined as never as { b: () => void }).b()), 'a'],
    ['ReferenceError', ({ check }) => void check('a', () => Function('return nowhere')()), 'a'],
    ['RangeError', ({ check }) => void check('a', async () => new Array(-1)), 'a'],
    ['SyntaxError', ({ check }) => void check('a', () => new RegExp(String('('))), 'a'],
    ['TypeError', ({ expect: that }) => void that(5, 'p').toSatisfy((value) => (value as string).startsWith('x')), 'p'],
    ['JuristError', ({ expect: that }) => void that('x', 'm').toMatch('('), 'm'],
    ['JuristError', ({ expect: that }) => void that(`${'a'.repeat(60)}!`, 'm').not.toMatch(/^(a+)+$/), 'm'],
  ])('a bug of the judge is an ERROR, also in a check: %s', async (name, body, where) => {
    const judgment = await judged(async (tools) => {
      tools.expect(1).toBe(1)
      await body(tools)
    })
    expect(judgment).toMatchObject({ status: 'error', failure: { name } })
    expect(judgment.reasoning).toContain(`"${where}"`)
    expect(checksOf(judgment)).toEqual(['+toBe', `-${where}`])
  })
  test('a failed assertion of any library is a failed check, and so is a text that is not JSON', async () => {
    const others = [
      new assert.AssertionError({ message: 'no' }),
      Object.assign(new TypeError('not equal'), { code: 'ERR_ASSERTION' }),
      Object.assign(new Error('expected 1 to be 2'), { matcherResult: { pass: false } }),
      Object.assign(new Error('too short'), { name: 'ZodError' }),
      'a text',
      undefined,
    ]
    const judgment = await judged(async ({ check }) => {
      for (const thrown of others) await check('library', () => Promise.reject(thrown))
      await check('json', () => JSON.parse('{'))
    })
    expect(judgment.status).toBe('fail')
    expect(checksOf(judgment)).toEqual([...others.map(() => '-library'), '-json'])
  })
  test('what the body throws', async () => {
    expect((await judged(() => undefined)).status).toBe('abstain')
    expect(checksOf(await judged(() => assert.ok(false)))).toEqual(['-assertion'])
    expect((await judged(() => Promise.reject(new TypeError('bug')))).status).toBe('error')
  })
})

test('the built-in judges have their names', () => {
  const judges: Judge[] = [fileExists('a'), fileContent('a', { equals: '' }), outputText({ equals: '' }), supersetOf()]
  expect(judges.map((judge) => infoOf(judge))).toMatchObject(
    ['fileExists', 'fileContent', 'outputText', 'supersetOf'].map((name) => ({ name, kind: 'deterministic' })),
  )
})
