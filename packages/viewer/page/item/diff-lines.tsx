import { grouped } from '@jurist/experiment/internal/results'
import type { DiffLine, Stretch } from '@jurist/kit/text-diff'
import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { changedWords, groupsOf, type LineGroup, pairsOf } from './diff-groups.js'
import { useFocusAt } from './place-link.js'

const signs: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', removed: '−', added: '+' }

export type LineLayout = 'unified' | 'sides' | 'file'

interface GroupProps {
  readonly layout: LineLayout
  /** A line of the new content to highlight and focus. */
  readonly place?: number | undefined
}

export function DiffLines({
  lines,
  label,
  ...props
}: GroupProps & { readonly lines: readonly DiffLine[]; readonly label: string }): JSX.Element {
  const { layout, place } = props
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
