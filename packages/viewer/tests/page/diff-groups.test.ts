import { lineDiff } from '@jurist/kit/text-diff'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changedWords, groupsOf, pairsOf } from '../../page/item/diff-lines.js'
import { treeOf } from '../../page/item/file-tree.js'

const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 60 })
const numbered = (length: number) => Array.from({ length }, (_, index) => `line ${index + 1}`)

describe('the groups of a difference', () => {
  test('hold every line once, in order, and show every change and the place', () => {
    fc.assert(
      fc.property(lines, lines, fc.integer({ min: 1, max: 70 }), (before, after, place) => {
        const diff = lineDiff(before, after)
        const groups = groupsOf(diff, place)
        expect(groups.flatMap((group) => group.lines)).toEqual(diff)
        for (const { lines } of groups.filter(({ isHidden }) => isHidden)) {
          expect(lines.every(({ kind, after }) => kind === 'same' && after !== place)).toBe(true)
          expect(lines.length).toBeGreaterThan(2)
        }
      }),
    )
  })

  test('of a long file show the lines around a place', () => {
    const file = lineDiff(numbered(5_000), numbered(5_000))
    expect(groupsOf(file).map(({ isHidden, lines }) => [isHidden, lines.length])).toEqual([
      [false, 1_000],
      [true, 4_000],
    ])
    const at = groupsOf(file, 3_000).find(({ isHidden }) => !isHidden)
    expect(at?.lines).toHaveLength(1_000)
    expect(at?.lines.some(({ after }) => after === 3_000)).toBe(true)
  })

  test('of a file that is new hide what is too much at first', () => {
    const shown = groupsOf(lineDiff([], numbered(3_000))).find(({ isHidden }) => !isHidden)
    expect(shown?.lines).toHaveLength(1_000)
  })
})

test('pairs hold every line once, and changed words only of lines that replace each other', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const pairs = pairsOf(lineDiff(before, after))
      expect(pairs.flatMap(([left]) => (left === undefined ? [] : [left.text]))).toEqual(before)
      expect(pairs.flatMap(([, right]) => (right === undefined ? [] : [right.text]))).toEqual(after)
    }),
  )
  const diff = lineDiff(['const sum = 0', 'x'], ['const total = 0', 'x', 'y'])
  expect([...changedWords(diff).keys()].map(({ text }) => text)).toEqual(['const sum = 0', 'const total = 0'])
})

test('a tree has directories before files, and one line for directories that hold nothing else', () => {
  const tree = treeOf(
    ['a.txt', 'src/main/java/A.java', 'src/main/java/B.java', 'src/test/C.java'].map((path) => ({ path })),
  )
  expect(tree.files.map(({ path }) => path)).toEqual(['a.txt'])
  const [src] = tree.directories
  expect(src?.directories.map(({ name, path }) => [name, path])).toEqual([
    ['main/java', 'src/main/java/'],
    ['test', 'src/test/'],
  ])
  expect(src?.directories[0]?.files).toHaveLength(2)
})
