import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DiffLine, hunksOf, lineDiff, unifiedDiff, wordDiff } from '@jurist/kit/text-diff'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 })
const numbered = (word: string, length: number) => Array.from({ length }, (_, index) => `${word} ${index}`)
const without = (diff: readonly DiffLine[], kind: DiffLine['kind']) =>
  diff.filter((line) => line.kind !== kind).map(({ text }) => text)

/** The length of the longest common subsequence, by the textbook's table. */
function commonLength(a: readonly string[], b: readonly string[]): number {
  let row = b.map(() => 0)
  for (const x of a) {
    const next: number[] = []
    for (const [at, y] of b.entries())
      next.push(x === y ? (row[at - 1] ?? 0) + 1 : Math.max(row[at] ?? 0, next[at - 1] ?? 0))
    row = next
  }
  return row.at(-1) ?? 0
}

describe('the difference between two texts', () => {
  test('contains both, in order, with as few edits as possible', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = lineDiff(before, after)
        expect(without(diff, 'added')).toEqual(before)
        expect(without(diff, 'removed')).toEqual(after)
        expect(diff.filter(({ kind }) => kind === 'same')).toHaveLength(commonLength(before, after))
      }),
      { numRuns: 500 },
    )
  })

  test('numbers the lines of each text from 1', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = lineDiff(before, after)
        expect(diff.flatMap((line) => line.before ?? [])).toEqual(before.map((_, index) => index + 1))
        expect(diff.flatMap((line) => line.after ?? [])).toEqual(after.map((_, index) => index + 1))
      }),
    )
  })

  test('puts removed lines before the lines that replace them', () => {
    expect(lineDiff(['a', 'b', 'c'], ['a', 'x', 'y', 'c']).map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'same a',
      'removed b',
      'added x',
      'added y',
      'same c',
    ])
  })

  test('replaces everything between the equal ends when the texts have little in common', () => {
    const [before, after] = [numbered('old', 20_000), numbered('new', 20_000)]
    const diff = lineDiff(['first', ...before, 'last'], ['first', ...after, 'last'])
    expect(diff.map(({ text }) => text)).toEqual(['first', ...before, ...after, 'last'])
  })

  // Each diagonal of the search would run through all equal lines.
  test('of long runs of equal lines is searched for with fewer edits', () => {
    const equal = new Array<string>(400_000).fill('')
    const diff = lineDiff(['a', ...equal, ...numbered('b', 200)], ['c', ...equal, ...numbered('d', 200)])
    expect(diff.filter(({ kind }) => kind === 'added')).toHaveLength(400_201)
    expect(diff.filter(({ kind }) => kind === 'same')).toHaveLength(0)
  })
})

describe('hunks', () => {
  const summary = (before: readonly string[], after: readonly string[]) =>
    hunksOf(lineDiff(before, after)).map(({ skipped, lines }) => [skipped.before, skipped.after, lines.length])

  test('have three unchanged lines around each change', () => {
    const before = numbered('line', 30)
    expect(summary(before, before.with(4, 'x').toSpliced(20, 1))).toEqual([
      [1, 1, 8],
      [17, 17, 7],
    ])
  })

  test('are merged when their contexts touch', () => {
    const before = numbered('line', 30)
    expect(summary(before, before.with(4, 'x').with(11, 'x'))).toEqual([[1, 1, 16]])
    expect(summary(before, before.with(4, 'x').with(12, 'x'))).toHaveLength(2)
  })

  test('do not exist for equal texts', () => {
    expect(summary(['a'], ['a'])).toEqual([])
  })
})

describe('the words in which two lines differ', () => {
  const line = fc
    .array(fc.oneof(fc.constantFrom('sum', ' ', 'total', '(', ')', '+=', '\t', 'é', '🙂'), fc.string()), {
      maxLength: 12,
    })
    .map((parts) => parts.join(''))
  const textOf = (stretches: readonly { readonly text: string }[]) => stretches.map(({ text }) => text).join('')

  test('make up both lines, and what is not changed is the same in both', () => {
    fc.assert(
      fc.property(line, line, (before, after) => {
        const found = wordDiff(before, after)
        if (found === undefined) return
        expect(textOf(found.before)).toBe(before)
        expect(textOf(found.after)).toBe(after)
        const same = (stretches: typeof found.before) => textOf(stretches.filter(({ isChanged }) => !isChanged))
        expect(same(found.before)).toBe(same(found.after))
      }),
      { numRuns: 500 },
    )
  })

  test('are whole words and signs', () => {
    const found = wordDiff('  total += price * item.count', '  cents += Math.round(price * 100) * item.count')
    expect(found?.before.filter(({ isChanged }) => isChanged).map(({ text }) => text)).toEqual(['total'])
    expect(found?.after.find(({ isChanged }) => isChanged)?.text).toBe('cents')
  })

  test('are not searched for in lines that have little in common or are very long', () => {
    expect(wordDiff('import { readFile } from "node:fs"', '}')).toBeUndefined()
    const long = 'word '.repeat(2_000)
    expect(wordDiff(long, `${long} more`)).toBeUndefined()
  })
})

describe('a unified diff', () => {
  test.each<[string, string, readonly string[]]>([
    ['a\n', 'a\n', []],
    ['', 'a\n', ['@@ -0,0 +1 @@', '+a']],
    ['a\n', '', ['@@ -1 +0,0 @@', '-a']],
    ['a\nb\n', 'a\nc\n', ['@@ -1,2 +1,2 @@', ' a', '-b', '+c']],
    ['a', 'a\n', ['@@ -1 +1 @@', '-a', '\\ No newline at end of file', '+a']],
  ])('of %j and %j', (before, after, expected) => {
    expect(unifiedDiff(before, after)).toEqual(expected)
  })

  test('is what git can apply', () => {
    const directory = mkdtempSync(join(tmpdir(), 'jurist-diff-'))
    try {
      const numbered = Array.from({ length: 40 }, (_, at) => `line ${at}`)
      const before = `${numbered.join('\n')}\n`
      const after = `first\n${numbered.filter((_, at) => at % 13 !== 5).join('\n')}\nlast`
      writeFileSync(join(directory, 'file'), before)
      const patch = ['--- a/file', '+++ b/file', ...unifiedDiff(before, after), ''].join('\n')
      execFileSync('git', ['apply', '-'], { cwd: directory, input: patch })
      expect(readFileSync(join(directory, 'file'), 'utf8')).toBe(after)
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })
})
