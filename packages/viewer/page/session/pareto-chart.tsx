import { dollars, percent } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { SessionDocument } from '../../src/answers/session.js'
import { linear, ticksTo } from '../chart-scales.js'
import { Ticks, Unspoken, useWidth } from '../charts.js'
import { linkTo } from '../router.js'
import { intervalText } from '../text.js'
import { type Dot, paretoPath, placedNames } from './pareto-scale.js'

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
