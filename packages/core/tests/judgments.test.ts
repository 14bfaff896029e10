import type { Judgment } from '@jurist/core'
import { abstain, effectiveScore, error, fail, JuristError, numerical, pass, scored } from '@jurist/core'
import { failureOf, judgmentFromJson } from '@jurist/core/internal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readBack } from './vectors.js'

const withCode = (code: string, details?: object) =>
  expect.objectContaining({ code, ...(details === undefined ? {} : { details }) })

describe('what is not a judgment', () => {
  const score = { type: 'numerical', value: 2 }
  test.each([
    [{ status: 'pass' }, '"score" is missing. Make'],
    [{ status: 'pass', score: 5 }, '"score" is wrong: 5 is not an object. Make'],
    [{ status: 'pass', score }, '"score" is wrong: 2 lies outside 0 to 1; give the range it was measured on. Make'],
    [{ pass: true }, '"status" must be one of "pass", "fail", "abstain", "error". Make'],
    [null, 'it must be an object. Make'],
  ])('%o: the key, and what to do', (value, problem) => {
    expect(() => judgmentFromJson(value)).toThrow(
      `Not a judgment: ${problem} judgments with pass, fail, abstain, error or scored.`,
    )
  })
})

describe('making judgments', () => {
  test('the score follows the status unless one is given', () => {
    expect(pass('yes').score).toEqual({ type: 'boolean', value: true })
    expect(fail('no').score).toEqual({ type: 'boolean', value: false })
    expect(fail('no', { score: 0.4 }).score).toEqual({ type: 'numerical', value: 0.4, min: 0, max: 1 })
  })
  test('a boolean score must not contradict', () => {
    expect(() => pass('yes', { score: { type: 'boolean', value: false } })).toThrow(withCode('judgment-invalid'))
  })
  test('reasoning may be empty only where something was decided', () => {
    expect(pass('').reasoning).toBe('')
    for (const make of [() => abstain(' '), () => error(''), () => pass(3 as never)])
      expect(make).toThrow(withCode('judgment-invalid', { path: 'reasoning' }))
  })
  test('an error keeps its cause as a failure', () => {
    expect(error('broken', Object.assign(new TypeError('bad'), { code: 'E1', infrastructure: true })).failure).toEqual({
      name: 'TypeError',
      message: 'bad',
      code: 'E1',
      infrastructure: true,
    })
    expect(error('broken').failure).toEqual({ name: 'Error', message: 'broken' })
  })
  test('evidence is checked, with the path of the fault', () => {
    const check = { name: 'a', passed: true, message: '' }
    const bad: readonly (readonly [object, string])[] = [
      [{ checks: [check, { ...check, name: ' ' }] }, 'checks[1].name'],
      [{ checks: [{ ...check, passed: 1 }] }, 'checks[0].passed'],
      [{ checks: [{ ...check, score: 1.1 }] }, 'checks[0].score'],
      [{ checks: [{ ...check, location: { path: 'a', line: 0 } }] }, 'checks[0].location.line'],
      [{ elapsedMs: -1 }, 'elapsedMs'],
      [{ costUsd: Number.NaN }, 'costUsd'],
      [{ usage: { inputTokens: 1.5 } }, 'usage.inputTokens'],
    ]
    for (const [extras, path] of bad) expect(() => pass('x', extras)).toThrow(withCode('judgment-invalid', { path }))
  })
  test('what is passed as undefined counts as not given', () => {
    expect(Object.keys(pass('x', { elapsedMs: undefined, usage: undefined } as never))).not.toContain('elapsedMs')
  })
  test('an unknown extra is refused by name', () => {
    expect(() => pass('x', { reason: 'y' } as never)).toThrow(withCode('option-invalid', { option: 'reason' }))
  })
  test('scored passes at the bar, and says score and bar', () => {
    const judgment = scored(numerical(6, { max: 10 }), { passingAt: 0.6 })
    expect([judgment.status, judgment.reasoning]).toEqual(['pass', 'scored 0.6, 0.6 needed'])
    expect(scored(0.59, { passingAt: 0.6 }).status).toBe('fail')
    expect(() => scored({ type: 'boolean', value: false }, { passingAt: 0 })).toThrow(withCode('judgment-invalid'))
    expect(() => scored(1, {} as never)).toThrow(withCode('option-invalid', { option: 'passingAt' }))
    const label = { type: 'categorical', value: 'a', allowed: ['a'] } as const
    expect(() => scored(label, { passingAt: 0.5 })).toThrow(withCode('score-not-numeric'))
  })
})

describe('metadata', () => {
  const pathOf = (metadata: unknown) => {
    try {
      pass('x', { metadata: metadata as never })
    } catch (thrown) {
      if (JuristError.is(thrown, 'metadata-invalid')) return thrown.details.path
      throw thrown
    }
    return undefined
  }
  test('only JSON is kept, and the path says where it is not', () => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    expect(pathOf({ a: { b: [1, undefined] } })).toBe('metadata.a.b[1]')
    expect(pathOf({ 'a key': () => 1 })).toBe('metadata["a key"]')
    for (const value of [
      Symbol('s'),
      1n,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      new Date(),
      new Map(),
      /x/,
      new Array(1),
    ])
      expect(pathOf({ value })).toMatch(/^metadata\.value/)
    expect(pathOf(cycle)).toBe('metadata.self')
    expect(pathOf(JSON.parse('{"__proto__": 1}'))).toBe('metadata.__proto__')
    for (const whole of [() => 1, Symbol('s'), 1n, Number.NaN, null, [], 'text', new Date()])
      expect(pathOf(whole)).toBe('metadata')
    expect(pathOf({ deep: Array.from({ length: 5000 }).reduce((inner) => [inner], 1) })).toBeDefined()
  })
  test('is copied and frozen; the same object twice is fine; -0 is 0', () => {
    const shared = { n: -0 }
    const judgment = pass('x', { metadata: { a: shared, b: shared } })
    shared.n = 5
    expect(judgment.metadata).toStrictEqual({ a: { n: 0 }, b: { n: 0 } })
    expect(Object.isFrozen(judgment.metadata.a)).toBe(true)
  })
})

describe('failures', () => {
  test('are plain, whatever was thrown', () => {
    expect(failureOf(new Error(''))).toEqual({ name: 'Error', message: 'Error' })
    expect(failureOf('text')).toEqual({ name: 'Error', message: 'text' })
    expect(failureOf('')).toEqual({ name: 'Error', message: 'Error' })
    expect(failureOf(Object.create(null))).toEqual({ name: 'Error', message: 'unprintable value' })
    expect(failureOf(Object.assign(new Error('m'), { code: 7 }))).toEqual({ name: 'Error', message: 'm' })
  })
  test('JuristError is known across copies of the package', () => {
    const foreign = Object.assign(new Error('x'), { code: 'aborted', [Symbol.for('jurist.error')]: true })
    expect([JuristError.is(foreign), JuristError.is(foreign, 'aborted'), JuristError.is(foreign, 'not-found')]).toEqual(
      [true, true, false],
    )
    for (const other of [new Error('x'), null, undefined, 'aborted']) expect(JuristError.is(other)).toBe(false)
  })
})

describe('reading judgments back', () => {
  test('the key order is fixed and absent means absent', () => {
    const judgment = fail('2 of 5 files match', {
      costUsd: 1,
      usage: { outputTokens: 1 },
      elapsedMs: 12,
      metadata: { matchedFiles: 2 },
      checks: [{ name: 'a.txt', passed: false, message: 'missing', location: { path: 'a.txt' } }],
      score: 0.4,
    })
    expect(JSON.stringify(judgment)).toBe(
      '{"status":"fail","score":{"type":"numerical","value":0.4,"min":0,"max":1},"reasoning":"2 of 5 files match",' +
        '"checks":[{"name":"a.txt","passed":false,"message":"missing","location":{"path":"a.txt"}}],' +
        '"metadata":{"matchedFiles":2},"elapsedMs":12,"usage":{"outputTokens":1},"costUsd":1}',
    )
  })
  test('a fault is refused with its path', () => {
    const whole = { status: 'pass', score: { type: 'boolean', value: true }, reasoning: '', checks: [], metadata: {} }
    const bad: readonly (readonly [unknown, string])[] = [
      [null, '$'],
      [{ ...whole, status: 'maybe' }, 'status'],
      [{ ...whole, score: { type: 'boolean', value: false } }, 'score'],
      ...[null, 0, [], 'x', { a: null }, { a: '0.5' }, { a: true }].map(
        (scale) => [{ ...whole, score: { type: 'categorical', value: 'a', allowed: ['a'], scale } }, 'score'] as const,
      ),
      [{ ...whole, status: 'abstain', reasoning: 'x' }, 'score'],
      [{ ...whole, status: 'error', score: undefined, reasoning: 'x' }, 'failure'],
      [{ ...whole, checks: undefined }, 'checks'],
      [{ ...whole, metadata: { a: Number.NaN } }, 'metadata.a'],
      [{ ...whole, reasoning: undefined }, 'reasoning'],
    ]
    for (const [value, path] of bad)
      expect(() => judgmentFromJson(value)).toThrow(withCode('judgment-invalid', { path }))
    expect(judgmentFromJson({ ...whole, extra: 1 })).toStrictEqual(pass(''))
  })

  // `__proto__` is refused as a key, however deep.
  const keepable = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('__proto__'))
  const extras = fc.record(
    {
      metadata: fc.dictionary(
        fc.string().filter((key) => key !== '__proto__'),
        keepable,
      ),
      elapsedMs: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
      costUsd: fc.double({ min: 0, max: 100, noNaN: true }),
      usage: fc.record({ inputTokens: fc.nat(), outputTokens: fc.nat() }, { requiredKeys: [] }),
      checks: fc.array(fc.record({ name: fc.constantFrom('a', 'b'), passed: fc.boolean(), message: fc.string() })),
    },
    { requiredKeys: [] },
  )
  const some: fc.Arbitrary<Judgment> = fc.oneof(
    fc.tuple(fc.string(), extras).map(([text, more]) => pass(text, more as never)),
    fc.tuple(fc.string(), extras).map(([text, more]) => fail(text, more as never)),
    extras.map((more) => abstain('nothing', more as never)),
    extras.map((more) => error('broken', new Error('boom'), more as never)),
  )
  test('a judgment equals itself after JSON', () => {
    fc.assert(
      fc.property(some, (judgment) => {
        expect(readBack(judgment)).toStrictEqual(judgment)
        expect(JSON.stringify(readBack(judgment))).toBe(JSON.stringify(judgment))
      }),
    )
  })
  test('minus zero is zero, so that JSON keeps a judgment as it is', () => {
    const checks = [{ name: 'a', passed: true, message: '', score: -0 }]
    const judgment = pass('x', { checks, elapsedMs: -0, costUsd: -0, usage: { inputTokens: -0 } })
    expect(readBack(judgment)).toStrictEqual(judgment)
  })
  test('the effective score is there exactly when something was decided', () => {
    fc.assert(
      fc.property(some, (judgment) => {
        expect(effectiveScore(judgment) === undefined).toBe(judgment.score === undefined)
      }),
    )
  })
})
