import type { JSX } from 'preact'
import type { CalibrationDocument } from '../../src/answers/calibration.js'
import { count, percent } from '../amounts.js'
import { Scroller } from '../scroller.js'

type Reliability = NonNullable<CalibrationDocument['report']['reliability']>

const size = 300
const [left, bottom] = [44, 36]
const x = (share: number) => left + share * (size - left - 8)
const y = (share: number) => size - bottom - share * (size - bottom - 8)
const ticks = [0, 0.25, 0.5, 0.75, 1]

/** How often the judge is right when it is so sure: on the diagonal it knows itself. */
export function ReliabilityDiagram({ reliability }: { readonly reliability: Reliability }): JSX.Element {
  const { bins, calibrationError, source, trials } = reliability
  const most = Math.max(1, ...bins.map((bin) => bin.trials))
  const says = source === 'votes' ? 'share of the votes' : 'declared confidence'
  return (
    <section class="part">
      <h2>Reliability</h2>
      <p class="quiet small">
        Agreement by {says}; calibration error {percent(calibrationError)} over {count(trials)} trials.
      </p>
      <svg
        class="square"
        viewBox={`0 0 ${size} ${size}`}
        role="img"
        aria-label={`Reliability diagram: agreement by ${says}, calibration error ${percent(calibrationError)}`}
      >
        {ticks.map((tick) => (
          <g key={tick}>
            <line class="axis" x1={x(0)} x2={x(1)} y1={y(tick)} y2={y(tick)} />
            <text x={left - 8} y={y(tick) + 4} text-anchor="end">
              {tick}
            </text>
            <text x={x(tick)} y={size - bottom + 18} text-anchor="middle">
              {tick}
            </text>
          </g>
        ))}
        <line class="zero" x1={x(0)} y1={y(0)} x2={x(1)} y2={y(1)} />
        <polyline
          class="whisker"
          fill="none"
          points={bins.map((bin) => `${x(bin.meanConfidence)},${y(bin.agreement)}`).join(' ')}
        />
        {bins.map((bin) => (
          <circle
            class="dot"
            key={bin.low}
            cx={x(bin.meanConfidence)}
            cy={y(bin.agreement)}
            r={3 + 5 * Math.sqrt(bin.trials / most)}
          />
        ))}
        <text x={x(0.5)} y={size - 2} text-anchor="middle">
          {says}
        </text>
      </svg>
      <Bins bins={bins} />
    </section>
  )
}

function Bins({ bins }: { readonly bins: Reliability['bins'] }): JSX.Element {
  return (
    <details class="table">
      <summary>As a table</summary>
      <Scroller label="Reliability as a table">
        <table class="compact">
          <thead>
            <tr>
              {['Confidence', 'Mean', 'Agreement', 'Trials'].map((name) => (
                <th scope="col" class="number" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {bins.map(({ low, high, meanConfidence, agreement, trials }) => (
              <tr key={low}>
                <th scope="row" class="number">
                  {percent(low)} to {percent(high)}
                </th>
                <td class="number">{percent(meanConfidence)}</td>
                <td class="number">{percent(agreement)}</td>
                <td class="number">{count(trials)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
    </details>
  )
}
