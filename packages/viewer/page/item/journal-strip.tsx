import type { JournalEvent } from '@jurist/core'
import type { JSX } from 'preact'

const [width, height] = [1_000, 34]

/** Tool calls over time, as marks on a line; failed ones stand out. The list below says the same in words. */
export function JournalStrip({ events }: { readonly events: readonly JournalEvent[] }): JSX.Element | null {
  const times = events.flatMap(({ at }) => (at === undefined ? [] : [Date.parse(at)])).filter(Number.isFinite)
  const [from, to] = [Math.min(...times), Math.max(...times)]
  if (!(to > from)) return null
  const failed = new Set(events.flatMap((event) => (event.type === 'tool-result' && event.failed ? [event.id] : [])))
  const calls = events.flatMap((event) =>
    event.type === 'tool-call' && event.at !== undefined
      ? [{ id: event.id, x: 6 + ((Date.parse(event.at) - from) / (to - from)) * (width - 12) }]
      : [],
  )
  const broken = calls.filter(({ id }) => failed.has(id)).length
  return (
    <svg
      class="strip"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${calls.length} tool calls over time, ${broken} failed`}
    >
      <line class="axis" x1="0" x2={width} y1={height / 2} y2={height / 2} />
      {calls.map(({ id, x }) => (
        <line
          key={id}
          class={failed.has(id) ? 'call broken' : 'call'}
          x1={x}
          x2={x}
          y1={failed.has(id) ? 3 : 9}
          y2={height - (failed.has(id) ? 3 : 9)}
        />
      ))}
    </svg>
  )
}
