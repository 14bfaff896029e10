import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lineDiff } from '../src/terminal/line-diff.js'
import { unifiedDiff } from '../src/terminal/unified-diff.js'

const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 })

/** The longest common subsequence, by the table that everybody knows. */
function common(a: readonly string[], b: readonly string[]): number {
  let row = b.map(() => 0)
  for (const x of a) {
    const next: number[] = []
    for (const [at, y] of b.entries())
      next.push(x === y ? (row[at - 1] ?? 0) + 1 : Math.max(row[at] ?? 0, next[at - 1] ?? 0))
    row = next
  }
  return row.at(-1) ?? 0
}

describe('the difference of two lists of lines', () => {
  test('holds both lists, in order, with the fewest changes', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const changes = lineDiff(before, after)
        const without = (kind: string) => changes.filter((one) => one.kind !== kind).map(({ text }) => text)
        expect(without('added')).toEqual(before)
        expect(without('removed')).toEqual(after)
        expect(changes.filter(({ kind }) => kind === 'same')).toHaveLength(common(before, after))
      }),
    )
  })

  test('of long unrelated texts ends at once, and still holds both', () => {
    const before = Array.from({ length: 20_000 }, (_, at) => `old ${at}`)
    const after = Array.from({ length: 20_000 }, (_, at) => `new ${at}`)
    expect(lineDiff(before, after).map(({ text }) => text)).toEqual([...before, ...after])
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
