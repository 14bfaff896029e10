import { type DiffLine, hunksOf } from '@jurist/kit/text-diff'
import type { JSX } from 'preact'

const signs: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', removed: '−', added: '+' }

/** A run of lines, or how many unchanged ones are left out. */
type Stretch = { readonly lines: readonly DiffLine[] } | { readonly left: number }

/** The lines of a changed file, far from changes left out. */
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
          {stretchesOf(lines).map((stretch, index) =>
            'left' in stretch ? (
              <tr class="gap" key={`gap ${index}`}>
                <td colSpan={4}>{stretch.left} unchanged lines</td>
              </tr>
            ) : layout === 'sides' ? (
              <SideRows lines={stretch.lines} key={`lines ${index}`} />
            ) : (
              <UnifiedRows lines={stretch.lines} key={`lines ${index}`} />
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

/** Removed lines beside the added ones that took their place. */
function pairsOf(lines: readonly DiffLine[]): readonly (readonly [DiffLine | undefined, DiffLine | undefined])[] {
  const pairs: [DiffLine | undefined, DiffLine | undefined][] = []
  let waiting = 0
  for (const line of lines) {
    if (line.kind === 'removed') {
      pairs.push([line, undefined])
      waiting++
    } else if (line.kind === 'added' && waiting > 0) {
      const pair = pairs[pairs.length - waiting]
      if (pair !== undefined) pair[1] = line
      waiting--
    } else {
      pairs.push(line.kind === 'added' ? [undefined, line] : [line, line])
      waiting = 0
    }
  }
  return pairs
}

function stretchesOf(lines: readonly DiffLine[]): readonly Stretch[] {
  const stretches: Stretch[] = []
  let at = 0
  for (const { start, lines: shown } of hunksOf(lines)) {
    if (start > at) stretches.push({ left: start - at })
    stretches.push({ lines: shown })
    at = start + shown.length
  }
  if (at < lines.length) stretches.push({ left: lines.length - at })
  return stretches
}
