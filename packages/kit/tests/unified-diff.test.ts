import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unifiedDiff } from '@jurist/kit/text-diff'
import { describe, expect, test } from 'vitest'

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
