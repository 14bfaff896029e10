import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shellWord } from '../src/shell-word.js'

test('words without signs of a shell stay readable', () => {
  expect(['item-1#2', 'a/b.ts', '20261122T171054372Z-194325'].map(shellWord)).toEqual([
    'item-1#2',
    'a/b.ts',
    '20261122T171054372Z-194325',
  ])
  expect(['#comment', '', 'a b', "it's", '$(touch x)', '`x`', '~'].map(shellWord)).toEqual([
    "'#comment'",
    "''",
    "'a b'",
    "'it'\\''s'",
    "'$(touch x)'",
    "'`x`'",
    "'~'",
  ])
})

test('a shell reads every word as it was', () => {
  const word = fc.string({ unit: fc.constantFrom(...'ab \'"$`\\#~*?!&|;<>(){}[]=') })
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const line = words.map(shellWord).join(' ')
      const read = execFileSync('sh', ['-c', `for word in ${line}; do printf '%s\\n' "$word"; done`], {
        encoding: 'utf8',
      })
      expect(read).toBe(words.map((one) => `${one}\n`).join(''))
    }),
    { numRuns: 30 },
  )
})
