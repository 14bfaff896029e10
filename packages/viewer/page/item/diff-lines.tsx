import type { JSX } from 'preact'
import type { DiffLine } from '../../src/line-diff.js'

/** Unchanged lines shown around changes. */
const context = 3
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
  const isNear = new Array<boolean>(lines.length).fill(false)
  for (const [index, { kind }] of lines.entries())
    if (kind !== 'same') isNear.fill(true, Math.max(0, index - context), index + context + 1)
  const stretches: { lines?: DiffLine[]; left?: number }[] = []
  for (const [index, line] of lines.entries()) {
    const last = stretches.at(-1)
    if (isNear[index] === true) {
      if (last?.lines === undefined) stretches.push({ lines: [line] })
      else last.lines.push(line)
    } else if (last?.left === undefined) stretches.push({ left: 1 })
    else last.left++
  }
  return stretches as readonly Stretch[]
}
