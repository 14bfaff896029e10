import { type LineChange, lineDiff } from './line-diff.js'

const context = 3
const signs: { readonly [kind in LineChange['kind']]: string } = { same: ' ', removed: '-', added: '+' }

/**
 * The lines of a unified diff between two texts, from the first `@@` on; `[]` for equal texts.
 *
 * @example
 * unifiedDiff('a\nb\n', 'a\nc\n') // ['@@ -1,2 +1,2 @@', ' a', '-b', '+c']
 */
export function unifiedDiff(before: string, after: string): readonly string[] {
  const changes = lineDiff(linesOf(before), linesOf(after))
  const lines: string[] = []
  let [old, now] = [0, 0]
  let at = 0
  for (const { from, to } of hunks(changes)) {
    const skipped = from - at
    const part = changes.slice(from, to)
    const [removed, added] = [count(part, 'added'), count(part, 'removed')]
    lines.push(`@@ -${range(old + skipped, removed)} +${range(now + skipped, added)} @@`, ...part.flatMap(shown))
    old += skipped + removed
    now += skipped + added
    at = to
  }
  return lines
}

/** Lines with their ends, so that a missing last one is a difference. */
function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}

/** The parts of a comparison around its changes; those that would touch are one. */
function hunks(changes: readonly LineChange[]): readonly { readonly from: number; readonly to: number }[] {
  const found: { from: number; to: number }[] = []
  for (const [at, { kind }] of changes.entries()) {
    if (kind === 'same') continue
    const to = Math.min(changes.length, at + context + 1)
    const last = found.at(-1)
    if (last !== undefined && at - context <= last.to) last.to = to
    else found.push({ from: Math.max(0, at - context), to })
  }
  return found
}

/** How many lines a part has on the side that does not know lines of `other`. */
function count(part: readonly LineChange[], other: LineChange['kind']): number {
  return part.filter(({ kind }) => kind !== other).length
}

/** A range as it is written; an empty one names the line before it. */
function range(skipped: number, length: number): string {
  const start = length === 0 ? skipped : skipped + 1
  return length === 1 ? `${start}` : `${start},${length}`
}

function shown({ kind, text }: LineChange): readonly string[] {
  const line = `${signs[kind]}${text}`
  return line.endsWith('\n') ? [line.slice(0, -1)] : [line, '\\ No newline at end of file']
}
