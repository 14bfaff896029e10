import type { DiffLine } from './line-diff.js'

const linesAround = 3
const marks = { same: ' ', removed: '-', added: '+' } as const satisfies { readonly [kind in DiffLine['kind']]: string }

/**
 * A line difference as readers know it: every change with three lines around it, each stretch headed by the numbers of
 * its first line in the old and the new text.
 */
export function hunks(lines: readonly DiffLine[]): string {
  const shown = lines.map((_, index) => isNearChange(lines, index))
  const text: string[] = []
  const next = { old: 1, fresh: 1 }
  lines.forEach(({ kind, text: line }, index) => {
    if (shown[index] === true) {
      if (shown[index - 1] !== true) text.push(`@@ -${next.old} +${next.fresh} @@`)
      text.push(`${marks[kind]}${line}`)
    }
    if (kind !== 'added') next.old += 1
    if (kind !== 'removed') next.fresh += 1
  })
  return text.join('\n')
}

function isNearChange(lines: readonly DiffLine[], index: number): boolean {
  return lines.slice(Math.max(0, index - linesAround), index + linesAround + 1).some(({ kind }) => kind !== 'same')
}
