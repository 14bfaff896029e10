import { type DiffLine, hunksOf, lineDiff } from '@jurist/kit/text-diff'

const signs: { readonly [kind in DiffLine['kind']]: string } = { same: ' ', removed: '-', added: '+' }

/**
 * The lines of a unified diff between two texts, from the first `@@` on; `[]` for equal texts.
 *
 * @example
 * unifiedDiff('a\nb\n', 'a\nc\n') // ['@@ -1,2 +1,2 @@', ' a', '-b', '+c']
 */
export function unifiedDiff(before: string, after: string): readonly string[] {
  return hunksOf(lineDiff(linesOf(before), linesOf(after))).flatMap(({ lines, skipped }) => {
    const [removed, added] = [count(lines, 'before'), count(lines, 'after')]
    return [`@@ -${range(skipped.before, removed)} +${range(skipped.after, added)} @@`, ...lines.flatMap(shown)]
  })
}

/** Lines with their line breaks, so that a missing last line break is a difference. */
function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}

function count(lines: readonly DiffLine[], side: 'before' | 'after'): number {
  return lines.filter((line) => line[side] !== undefined).length
}

/** A range in a hunk's header. An empty range has the number of the line before it. */
function range(skipped: number, length: number): string {
  const start = length === 0 ? skipped : skipped + 1
  return length === 1 ? `${start}` : `${start},${length}`
}

function shown({ kind, text }: DiffLine): readonly string[] {
  const line = `${signs[kind]}${text}`
  return line.endsWith('\n') ? [line.slice(0, -1)] : [line, '\\ No newline at end of file']
}
