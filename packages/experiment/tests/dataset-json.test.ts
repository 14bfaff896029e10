import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson, itemHash, sha256 } from '../src/dataset/hash.js'
import type { UnhashedItem } from '../src/dataset/item.js'
import { parseJson } from '../src/dataset/json-text.js'

describe('parseJson', () => {
  test.each([
    ['', 1, 1, 'expected a value but found the end of the text'],
    ['{', 1, 2, 'expected a key in double quotes or "}" but found the end of the text'],
    ['{"a": 1,}', 1, 9, 'expected a key in double quotes but found "}"'],
    ['[1, 2\n 3]', 2, 2, 'expected "," or "]" but found "3"'],
    ["{'a': 1}", 1, 2, 'expected a key in double quotes or "}" but found "\'"'],
    ['{"a": undefined}', 1, 7, 'expected a value but found "u"'],
    ['{"a": 01}', 1, 8, 'expected "," or "}" but found "1"'],
    ['{"a": "x\ny"}', 1, 9, 'a string may hold no line break or control character'],
    ['{"a":\n\n  "x', 3, 3, 'this string has no closing quote'],
    ['["\\x"]', 1, 3, 'this backslash escapes nothing that JSON knows'],
    ['[]\n]', 2, 1, 'expected nothing more but found "]"'],
    ['["é😀", x]', 1, 8, 'expected a value but found "x"'],
    ['\uFEFF[}', 1, 2, 'expected a value but found "}"'],
    ['{"a" 1}', 1, 6, 'expected ":" but found "1"'],
    ['[1,]', 1, 4, 'expected a value but found "]"'],
    ['nul', 1, 1, 'expected a value but found "n"'],
  ])('%j', (text, line, column, problem) => {
    expect(parseJson(text)).toEqual({ ok: false, line, column, problem })
  })

  test('survives any depth', () => {
    expect(parseJson('['.repeat(200_000))).toMatchObject({ ok: false, line: 1, column: 200_001 })
  })

  test('reads what JSON.parse reads, and points into what it does not', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 1 }), (text, position, character) => {
        const at = position % (text.length + 1)
        const changed = text.slice(0, at) + character + text.slice(at + 1)
        const reading = parseJson(changed)
        if (reading.ok) expect(reading.value).toEqual(JSON.parse(changed.replace(/^\uFEFF/, '')))
        else {
          expect(() => JSON.parse(changed)).toThrow()
          expect(reading.line).toBe(1)
          expect(reading.column).toBeGreaterThanOrEqual(1)
          expect(reading.column).toBeLessThanOrEqual(changed.length + 1)
        }
      }),
    )
  })
})

test('canonicalJson does not depend on the order of keys', () => {
  expect(canonicalJson({ b: [{ d: null, c: 'x' }], a: 1.5 })).toBe('{"a":1.5,"b":[{"c":"x","d":null}]}')
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const reversed = Object.fromEntries(Object.entries(value).reverse())
      expect(canonicalJson(reversed as never)).toBe(canonicalJson(value as never))
      expect(JSON.parse(canonicalJson(value as never))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

test('the hash of an item is that of the canonical JSON of what defines its task', () => {
  const texts = fc.array(fc.string())
  const fields = fc.record({
    task: fc.string(),
    noChange: fc.boolean(),
    tags: texts,
    knowledgeRefs: texts,
    referenceData: texts,
    expectedOutput: fc.option(fc.record({ type: fc.constant('text'), text: fc.string() })),
    metadata: fc.dictionary(fc.string(), fc.jsonValue()),
  })
  const source = fc.option(fc.array(fc.tuple(fc.string(), fc.nat(), fc.string())))
  fc.assert(
    fc.property(fields, source, source, (item, before, reference) => {
      const hash = sha256(canonicalJson({ ...item, before, reference } as never))
      expect(itemHash(item as unknown as UnhashedItem, { before, reference })).toBe(hash)
    }),
  )
})
