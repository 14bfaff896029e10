import { dollars, percent } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { SessionDocument } from '../../src/answers/session.js'
import { linear, Ticks, ticksTo, Unspoken, useWidth } from '../charts.js'
import { linkTo } from '../router.js'
import { intervalText } from '../text.js'

const [height, left, right, top, bottom] = [320, 52, 16, 12, 40]

export function ParetoChart(props: {
  readonly document: SessionDocument
  readonly names: readonly string[]
}): JSX.Element {
  const { document, names } = props
  const [figure, width] = useWidth()
  const { dots, ticks, x, y } = layoutOf(document, names, width)
  if (dots.length === 0) return <p class="quiet">No variant has both a cost and a pass rate.</p>
  const front = document.front.flatMap((index) => dots.find((dot) => dot.index === index) ?? [])
  return (
    <figure class="trend" ref={figure}>
      <svg width={width} height={height} aria-label="Cost per trial and pass rate of each variant">
        <Unspoken>
          <Ticks
            ticks={[0, 0.25, 0.5, 0.75, 1]}
            at={y}
            across={[left, width - right]}
            text={(rate) => `${rate * 100} %`}
          />
          <Ticks ticks={ticks} at={x} below={height - bottom + 18} text={dollars} />
          <text x={(left + width - right) / 2} y={height - 4} text-anchor="middle">
            cost of agent and judges per trial
          </text>
        </Unspoken>
        <path class="front" d={paretoPath(front, width - right)} />
        {placedNames(dots, { left, right: width - right, top: 0, bottom: height - bottom }).map((dot) => (
          <a key={dot.id} href={linkTo(['runs', dot.id])} aria-label={dot.text}>
            <path class="whisker" fill="none" d={`M${dot.x - 4} ${dot.low}h8m-4 0V${dot.high}m-4 0h8`} />
            <circle
              class={document.front.includes(dot.index) ? 'dot' : 'dot off-front'}
              cx={dot.x}
              cy={dot.y}
              r="5.5"
            />
            <text class="dot-name" x={dot.nameX} y={dot.nameY} text-anchor={dot.anchor}>
              {dot.name}
            </text>
          </a>
        ))}
      </svg>
      <figcaption class="quiet small">
        The line is the Pareto front by measured values: no other variant costs less and passes as much. Intervals are
        those of the table above, at 95 %.
      </figcaption>
    </figure>
  )
}

function layoutOf({ variants }: SessionDocument, names: readonly string[], width: number) {
  const costs = variants.flatMap(({ costPerTrialUsd }) => costPerTrialUsd ?? [])
  const ticks = ticksTo(Math.max(...costs, 0))
  const x = linear([0, ticks.at(-1) ?? 1], [left, width - right])
  const y = linear([0, 1], [height - bottom, top])
  const dots: readonly Dot[] = variants.flatMap((one, index) => {
    const { id, costPerTrialUsd: cost, passRate: rate, passRateInterval: interval } = one
    if (cost === null || rate === null) return []
    const name = names[index] ?? id
    const text = `${name}: ${dollars(cost)} per trial, ${percent(rate)}, ${intervalText(interval)}`
    const [low, high] = [y(interval?.low ?? rate), y(interval?.high ?? rate)]
    return [{ index, id, name, text, x: x(cost), y: y(rate), low, high }]
  })
  return { dots, ticks, x, y }
}

export interface Dot {
  readonly index: number
  readonly id: string
  readonly name: string
  readonly text: string
  readonly x: number
  readonly y: number
  readonly low: number
  readonly high: number
}

interface NamedDot extends Dot {
  readonly nameX: number
  readonly nameY: number
  readonly anchor: 'start' | 'end'
}

const [letter, line, gap] = [6.8, 14, 10]

/** Steps from the cheapest variant of the front to the best one, and on to the right edge. */
export function paretoPath(front: readonly Pick<Dot, 'x' | 'y'>[], right: number): string {
  const [first, ...others] = front
  if (first === undefined) return ''
  return `M${first.x} ${first.y}${others.map(({ x, y }) => `H${x}V${y}`).join('')}H${right}`
}

interface Box {
  readonly from: number
  readonly to: number
  readonly y: number
}

/** Places a name next to each dot where it hides no other name: above or below it, to the right or to the left. */
export function placedNames(
  dots: readonly Dot[],
  { left, right, top, bottom }: Readonly<Record<'left' | 'right' | 'top' | 'bottom', number>>,
): readonly NamedDot[] {
  const taken: Box[] = []
  return dots.map((dot) => {
    const width = dot.name.length * letter
    const places = rowsBeside(dot.y, taken.length).flatMap((y) => [
      { from: dot.x + gap, y, anchor: 'start' as const },
      { from: dot.x - gap - width, y, anchor: 'end' as const },
    ])
    const inside = places.filter(
      ({ from, y }) => from >= left && from + width <= right && y - line >= top && y <= bottom,
    )
    const free = inside.find(({ from, y }) => !taken.some((box) => covers(box, { from, to: from + width, y })))
    const { from, y, anchor } = free ?? inside[0] ?? { from: dot.x + gap, y: dot.y + 4, anchor: 'start' as const }
    taken.push({ from, to: from + width, y })
    return { ...dot, anchor, nameX: anchor === 'start' ? from : from + width, nameY: y }
  })
}

/**
 * Returns rows for a name, nearest first. There are enough that `taken` names, each over two rows at most, leave one
 * free.
 */
function rowsBeside(y: number, taken: number): readonly number[] {
  const rows = Array.from({ length: 2 * taken + 1 }, (_, row) => row * line)
  // The first candidate is above the line of the front, which leads to the right.
  return rows.flatMap((away) => [y - 8 - away, y + line + 2 + away])
}

function covers(one: Box, other: Box): boolean {
  return one.from < other.to && other.from < one.to && Math.abs(one.y - other.y) < line
}
