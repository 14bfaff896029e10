import { parseOrUndefined } from '@jurist/kit/json'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson, itemHash, sha256 } from '../../src/dataset/hash.js'
import type { UnhashedItem } from '../../src/dataset/item.js'
import { jsonFault, utf8 } from '../../src/dataset/json-file.js'

describe('where a string stops being JSON', () => {
  test.each([
    ['', 1, 1, 'expected a value but found the end of the text'],
    ['{', 1, 2, 'expected "," or "}" but found the end of the text'],
    ['{"a": 1,}', 1, 9, 'expected a key in double quotes but found "}"'],
    ['[1, 2\n 3]', 2, 2, 'expected "," but found "3"'],
    ["{'a': 1}", 1, 2, 'unexpected "\'"'],
    ['{"a": undefined}', 1, 7, 'unexpected "u"'],
    ['{"a": 01}', 1, 8, 'expected "," but found "1"'],
    ['{"a": "x\ny"}', 1, 9, 'a string cannot hold a line break or a control character'],
    ['{"a":\n\n  "x', 3, 3, 'this string has no closing quote'],
    ['["\\x"]', 1, 3, 'this backslash starts an escape that JSON does not have'],
    ['["a", "\\u12g4"]', 1, 8, 'this backslash starts an escape that JSON does not have'],
    ['[]\n]', 2, 1, 'expected nothing more but found "]"'],
    ['["é😀", x]', 1, 8, 'unexpected "x"'],
    ['[}', 1, 2, 'expected a value but found "}"'],
    ['{"a" 1}', 1, 6, 'expected ":" but found "1"'],
    ['[1,]', 1, 4, 'expected a value but found "]"'],
    ['nul', 1, 1, 'unexpected "n"'],
    ['[1] // one', 1, 5, 'JSON has no comments'],
  ])('%j', async (text, line, column, problem) => {
    expect(await jsonFault(text)).toEqual({ line, column, problem })
  })

  test('survives any depth', async () => {
    expect(await jsonFault('['.repeat(200_000))).toMatchObject({ line: 1, problem: 'it is nested too deeply' })
  })

  test('is inside the string', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.nat(), fc.string({ maxLength: 1 }), async (text, position, character) => {
        const at = position % (text.length + 1)
        const changed = text.slice(0, at) + character + text.slice(at + 1)
        if (parseOrUndefined(changed) !== undefined) return
        const { line, column } = await jsonFault(changed)
        expect(line).toBe(1)
        expect(column).toBeGreaterThanOrEqual(1)
        expect(column).toBeLessThanOrEqual(changed.length + 1)
      }),
    )
  })
})

test('a byte order mark is no part of the text', () => {
  expect(utf8(Buffer.from('\uFEFF[]'))).toBe('[]')
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

test('the hash of an item is that of the canonical JSON of what defines its task, without what it lacks', () => {
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
  const added = fc.record(
    {
      expectedAnyOf: fc.constant(true),
      judges: fc.oneof(fc.string(), fc.array(fc.dictionary(fc.string(), fc.string()))),
      timeoutMs: fc.nat(),
      repetitions: fc.nat(),
      image: fc.string(),
      input: fc.dictionary(fc.string(), fc.string()),
    },
    { requiredKeys: [] },
  )
  const absent = { expectedAnyOf: false, judges: null, timeoutMs: null, repetitions: null, image: null, input: null }
  const source = fc.option(fc.array(fc.tuple(fc.string(), fc.nat(), fc.string())))
  fc.assert(
    fc.property(fields, added, source, source, (item, more, before, reference) => {
      // An item without the later fields keeps the hash that it always had.
      const hash = sha256(canonicalJson({ ...item, ...more, before, reference } as never))
      const { input, ...whole } = { ...absent, ...item, ...more }
      expect(itemHash(whole as unknown as UnhashedItem, { before, reference, input })).toBe(hash)
    }),
  )
})
