import { grouped } from '@jurist/experiment/internal/results'
import { type DiffLine, hunksOf, lineDiff, type Stretch, wordDiff } from '@jurist/kit/text-diff'
import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { useFocusAt } from './reading.js'

const signs: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', removed: '−', added: '+' }

export type LineLayout = 'unified' | 'sides' | 'file'

interface GroupProps {
  readonly layout: LineLayout
  /** A line of the new content to highlight and focus. */
  readonly place?: number | undefined
}

/** The difference of two texts, line by line; with the layout of a file, only the new one. */
export function DiffLines({
  before,
  after,
  label,
  ...props
}: GroupProps & { readonly before: string; readonly after: string; readonly label: string }): JSX.Element {
  const { layout, place } = props
  const lines = useMemo(
    () => (layout === 'file' ? unchanged(linesOf(after)) : lineDiff(linesOf(before), linesOf(after))),
    [before, after, layout],
  )
  const groups = useMemo(() => groupsOf(lines, place), [lines, place])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keys
    <section class={layout === 'sides' ? 'lines sides' : 'lines'} tabIndex={0} aria-label={label}>
      <table>
        {layout === 'sides' ? (
          <colgroup>
            <col class="narrow" />
            <col />
            <col class="narrow" />
            <col />
          </colgroup>
        ) : null}
        <tbody>
          {groups.map((group) => (
            <Group key={`${group.lines[0]?.before} ${group.lines[0]?.after}`} group={group} {...props} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function unchanged(lines: readonly string[]): readonly DiffLine[] {
  return lines.map((text, index) => ({ kind: 'same', text, before: index + 1, after: index + 1 }))
}

/** The last line counts whether or not it ends with a line break. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

/** How many hidden lines are shown with each press. */
const openedLines = 200

function Group({ group: { lines, isHidden }, ...props }: GroupProps & { readonly group: LineGroup }): JSX.Element {
  const [opened, setOpened] = useState(0)
  const shown = isHidden ? lines.slice(0, opened) : lines
  const left = lines.length - shown.length
  const next = Math.min(left, openedLines)
  return (
    <>
      <Rows lines={shown} {...props} />
      {left === 0 ? null : (
        <tr class="gap">
          <td colSpan={4}>
            <button type="button" onClick={() => setOpened(opened + next)}>
              Show {next < left ? `${grouped(next)} of ` : ''}
              {grouped(left)} more {left === 1 ? 'line' : 'lines'}
            </button>
          </td>
        </tr>
      )}
    </>
  )
}

function Rows({ lines, layout, place }: GroupProps & { readonly lines: readonly DiffLine[] }): JSX.Element {
  const words = useMemo(() => changedWords(lines), [lines])
  if (layout === 'sides')
    return (
      <>
        {pairsOf(lines).map(([left, right]) => (
          <Row key={`${left?.before} ${right?.after}`} class="" isAt={place !== undefined && right?.after === place}>
            <td class={`at-line ${classOf(left)}`}>{signed(left, left?.before)}</td>
            <td class={classOf(left)}>{left === undefined ? null : <LineText line={left} words={words} />}</td>
            <td class={`at-line ${classOf(right)}`}>{signed(right, right?.after)}</td>
            <td class={classOf(right)}>{right === undefined ? null : <LineText line={right} words={words} />}</td>
          </Row>
        ))}
      </>
    )
  return (
    <>
      {lines.map((line) => (
        <Row
          key={`${line.before} ${line.after}`}
          class={layout === 'file' ? '' : line.kind}
          isAt={place !== undefined && line.after === place}
        >
          {layout === 'file' ? null : <td class="at-line">{line.before}</td>}
          <td class="at-line">{line.after}</td>
          {layout === 'file' ? null : <td class="at-sign">{signs[line.kind]}</td>}
          <td>
            <LineText line={line} words={words} />
          </td>
        </Row>
      ))}
    </>
  )
}

/** The row that the address names gets the focus when it appears. */
function Row(given: {
  readonly isAt: boolean
  readonly class: string
  readonly children: JSX.Element | (JSX.Element | null)[]
}): JSX.Element {
  const { isAt, children, ...props } = given
  const ref = useFocusAt<HTMLTableRowElement>(isAt)
  return (
    <tr
      ref={ref}
      class={isAt ? `${props.class} place` : props.class}
      tabIndex={isAt ? -1 : undefined}
      aria-current={isAt ? 'location' : undefined}
    >
      {children}
    </tr>
  )
}

/** A line number with the sign of the line: colours alone do not tell. */
function signed(line: DiffLine | undefined, number: number | undefined): string {
  return line === undefined ? '' : `${signs[line.kind]} ${number}`.trim()
}

function classOf(line: DiffLine | undefined): string {
  return line === undefined || line.kind === 'same' ? '' : line.kind
}

function LineText(props: {
  readonly line: DiffLine
  readonly words: ReadonlyMap<DiffLine, readonly Stretch[]>
}): JSX.Element {
  const { line, words } = props
  const stretches = words.get(line)
  if (stretches === undefined) return <>{line.text}</>
  const Word = line.kind === 'removed' ? 'del' : 'ins'
  return (
    <>
      {stretches.map(({ text, isChanged }, index) =>
        isChanged ? <Word key={`${index}`}>{text}</Word> : <span key={`${index}`}>{text}</span>,
      )}
    </>
  )
}

interface LineGroup {
  readonly isHidden: boolean
  readonly lines: readonly DiffLine[]
}

/** How much of a file is shown at first. */
const maxShownLines = 1_000

/** At most this many lines are always shown: the row that hides them would take as much room. */
const fewLines = 2

/**
 * Groups the lines of a difference: those near its changes are shown, those between are hidden. If the contents are
 * equal, the beginning is shown. `place` is a line of the new content that is always shown, with the lines around it.
 */
export function groupsOf(lines: readonly DiffLine[], place?: number): readonly LineGroup[] {
  const isShown = new Set<number>()
  const show = (from: number, to: number) => {
    for (let index = Math.max(0, from); index < Math.min(lines.length, to); index++) isShown.add(index)
  }
  const hunks = hunksOf(lines)
  for (const hunk of hunks) show(hunk.start, hunk.start + Math.min(hunk.lines.length, maxShownLines))
  const at = place === undefined ? -1 : lines.findIndex(({ after }) => after === place)
  if (hunks.length === 0) {
    const start = Math.max(0, at - maxShownLines / 2)
    show(start, start + maxShownLines)
  } else if (at >= 0) show(at - 3, at + 4)
  return inGroups(lines, (index) => isShown.has(index)).map((group) =>
    group.isHidden && group.lines.length <= fewLines ? { ...group, isHidden: false } : group,
  )
}

function inGroups(lines: readonly DiffLine[], isShown: (index: number) => boolean): readonly LineGroup[] {
  const groups: { isHidden: boolean; lines: DiffLine[] }[] = []
  for (const [index, line] of lines.entries()) {
    const isHidden = !isShown(index)
    const last = groups.at(-1)
    if (last?.isHidden === isHidden) last.lines.push(line)
    else groups.push({ isHidden, lines: [line] })
  }
  return groups
}

type LinePair = readonly [before: DiffLine | undefined, after: DiffLine | undefined]

/**
 * Pairs the lines of two columns: unchanged lines with themselves, removed lines with the added lines that replace
 * them.
 */
export function pairsOf(lines: readonly DiffLine[]): readonly LinePair[] {
  const pairs: [DiffLine | undefined, DiffLine | undefined][] = []
  let unpaired = 0
  for (const line of lines) {
    if (line.kind === 'removed') {
      pairs.push([line, undefined])
      unpaired++
    } else if (line.kind === 'added' && unpaired > 0) {
      const pair = pairs[pairs.length - unpaired]
      if (pair !== undefined) pair[1] = line
      unpaired--
    } else {
      pairs.push(line.kind === 'added' ? [undefined, line] : [line, line])
      unpaired = 0
    }
  }
  return pairs
}

/**
 * Finds the changed words of lines that replace each other. Lines without an entry have changed as a whole, or not at
 * all.
 */
export function changedWords(lines: readonly DiffLine[]): ReadonlyMap<DiffLine, readonly Stretch[]> {
  const words = new Map<DiffLine, readonly Stretch[]>()
  for (const [before, after] of pairsOf(lines)) {
    if (before === undefined || after === undefined || before === after) continue
    const found = wordDiff(before.text, after.text)
    if (found === undefined) continue
    words.set(before, found.before)
    words.set(after, found.after)
  }
  return words
}
