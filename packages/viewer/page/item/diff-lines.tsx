import { type DiffLine, hunksOf } from '@jurist/kit/text-diff'
import type { JSX } from 'preact'

const signs: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', removed: '−', added: '+' }

/** A group of lines, or the number of unchanged lines that are omitted. */
type Group = { readonly lines: readonly DiffLine[] } | { readonly omitted: number }

/** The lines of a changed file near its changes. */
export function DiffLines({
  lines,
  layout,
  label,
}: {
  readonly lines: readonly DiffLine[]
  readonly layout: 'unified' | 'sides'
  readonly label: string
}): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keys
    <section class={`lines ${layout}`} tabIndex={0} aria-label={`Changes of ${label}`}>
      <table>
        {layout === 'sides' ? <SideColumns /> : null}
        <tbody>
          {groupsOf(lines).map((group, index) =>
            'omitted' in group ? (
              <tr class="gap" key={`gap ${index}`}>
                <td colSpan={4}>{group.omitted} unchanged lines</td>
              </tr>
            ) : layout === 'sides' ? (
              <SideRows lines={group.lines} key={`lines ${index}`} />
            ) : (
              <UnifiedRows lines={group.lines} key={`lines ${index}`} />
            ),
          )}
        </tbody>
      </table>
    </section>
  )
}

function SideColumns(): JSX.Element {
  return (
    <colgroup>
      <col class="narrow" />
      <col />
      <col class="narrow" />
      <col />
    </colgroup>
  )
}

function UnifiedRows({ lines }: { readonly lines: readonly DiffLine[] }): JSX.Element {
  return (
    <>
      {lines.map(({ kind, text, before, after }) => (
        <tr class={kind} key={`${before} ${after}`}>
          <td class="at-line">{before}</td>
          <td class="at-line">{after}</td>
          <td class="at-sign">{signs[kind]}</td>
          <td>{text}</td>
        </tr>
      ))}
    </>
  )
}

function SideRows({ lines }: { readonly lines: readonly DiffLine[] }): JSX.Element {
  return (
    <>
      {pairsOf(lines).map(([left, right]) => (
        <tr key={`${left?.before} ${right?.after}`}>
          <td class={`at-line ${classOf(left)}`}>{left?.before}</td>
          <td class={classOf(left)}>{left?.text}</td>
          <td class={`at-line ${classOf(right)}`}>{right?.after}</td>
          <td class={classOf(right)}>{right?.text}</td>
        </tr>
      ))}
    </>
  )
}

function classOf(line: DiffLine | undefined): string {
  return line === undefined || line.kind === 'same' ? '' : line.kind
}

/** Pairs of removed lines and the added lines that replace them. */
function pairsOf(lines: readonly DiffLine[]): readonly (readonly [DiffLine | undefined, DiffLine | undefined])[] {
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

function groupsOf(lines: readonly DiffLine[]): readonly Group[] {
  const groups: Group[] = []
  let at = 0
  for (const { start, lines: shown } of hunksOf(lines)) {
    if (start > at) groups.push({ omitted: start - at })
    groups.push({ lines: shown })
    at = start + shown.length
  }
  if (at < lines.length) groups.push({ omitted: lines.length - at })
  return groups
}
