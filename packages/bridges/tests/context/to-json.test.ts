import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toJson, withinText, withoutMiddle } from '../../src/context/to-json.js'

/** No half of a surrogate pair survives the way to bytes and back. */
const isWellFormed = (text: string) => new TextDecoder().decode(new TextEncoder().encode(text)) === text

describe('toJson', () => {
  test('live values become what they mean', () => {
    const live = {
      at: new Date(0),
      never: new Date(Number.NaN),
      big: 12n,
      bytes: new Uint8Array(3),
      view: new DataView(new ArrayBuffer(4)),
      error: Object.assign(new TypeError('no'), { code: 'E1' }),
      url: new URL('https://example.org/a'),
      numbers: [Number.NaN, Number.POSITIVE_INFINITY, -0, 1.5],
      map: new Map([['a', 1]]),
      set: new Set(['b']),
      list: [undefined, () => 1, Symbol('x'), 'kept'],
      nothing: undefined,
      run: () => 1,
    }
    expect(toJson(live)).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      never: 'Invalid Date',
      big: '12',
      bytes: { bytes: 3 },
      view: { bytes: 4 },
      error: { name: 'TypeError', message: 'no', code: 'E1' },
      url: 'https://example.org/a',
      numbers: ['NaN', 'Infinity', 0, 1.5],
      map: [['a', 1]],
      set: ['b'],
      list: [null, null, null, 'kept'],
    })
    expect([toJson(undefined), toJson(() => 1), toJson(null)]).toEqual([null, null, null])
  })

  test('cycles, depth, getters and __proto__', () => {
    const ring: Record<string, unknown> = { same: {} }
    ring['self'] = ring
    expect(toJson(ring)).toEqual({ same: {}, self: '[circular]' })
    const twice = { a: 1 }
    expect(toJson([twice, twice])).toEqual([{ a: 1 }, { a: 1 }])
    const broken = Object.defineProperty({ ok: 1 }, 'bad', {
      enumerable: true,
      get: () => {
        throw new Error('no')
      },
    })
    expect(toJson(broken)).toEqual({ ok: 1, bad: '[unreadable]' })
    const proxy = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('no')
        },
      },
    )
    expect(toJson({ proxy })).toEqual({ proxy: '[unreadable]' })
    expect(Object.keys(toJson(JSON.parse('{"__proto__":{"x":1},"y":2}')) as object)).toEqual(['y'])
    let deep: unknown = 'end'
    for (let level = 0; level < 40; level += 1) deep = [deep]
    expect(JSON.stringify(toJson(deep))).toBe(`${'['.repeat(32)}"[deep]"${']'.repeat(32)}`)
  })

  test('objects shared a million times do not unfold', () => {
    let shared: unknown = 'x'
    for (let level = 0; level < 30; level += 1) shared = [shared, shared]
    expect(JSON.stringify(toJson(shared)).length).toBeLessThan(3_000_000)
  })

  test('law: the result is frozen JSON, and toJson leaves JSON as it is', () => {
    fc.assert(
      fc.property(
        fc.anything({ withDate: true, withBigInt: true, withMap: true, withNullPrototype: true }),
        (value) => {
          const json = toJson(value)
          expect(JSON.parse(JSON.stringify(json))).toEqual(json)
          expect(toJson(json)).toEqual(json)
          if (typeof json === 'object') expect(Object.isFrozen(json)).toBe(true)
        },
      ),
    )
  })
})

describe('long texts', () => {
  test('keep both ends, and no half of a pair', () => {
    expect(withoutMiddle('abcdefghij', 4)).toBe('ab… 6 characters …ij')
    expect(withoutMiddle('abcd', 4)).toBe('abcd')
    expect(toJson('x'.repeat(70_000))).toBe(`${'x'.repeat(32_768)}… 4464 characters …${'x'.repeat(32_768)}`)
    const pairs = withoutMiddle('👋'.repeat(10), 6)
    expect(isWellFormed(pairs)).toBe(true)
  })

  test('law: no well-formed text becomes ill-formed, the ends stay', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 2, max: 40 }), (text, most) => {
        const short = withoutMiddle(text, most)
        expect(isWellFormed(short)).toBe(true)
        if (text.length > most) expect(short).toMatch(/… \d+ characters …/u)
        else expect(short).toBe(text)
      }),
    )
  })

  test('values keep both ends of their JSON', () => {
    expect(withinText({ a: 1 }, 10)).toEqual({ a: 1 })
    expect(withinText({ a: 'x'.repeat(20) }, 10)).toMatch(/^\{"a":… \d+ characters …xxx"\}$/)
    expect([withinText(7, 0), withinText('abc', 2)]).toEqual([7, 'a… 1 characters …c'])
  })
})
