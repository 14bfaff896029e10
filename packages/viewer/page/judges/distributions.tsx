import { grouped, type JudgeFigures, type ScoreDistribution } from '@jurist/experiment/internal/results'
import { score } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { Ticks } from '../charts.js'
import { Part } from '../parts.js'

const [width, height, base] = [260, 84, 70]

/** The distribution of the scores of each judge whose scores are between 0 and 1, with the threshold of its vote. */
export function Distributions({ judges }: { readonly judges: readonly JudgeFigures[] }): JSX.Element | null {
  const graded = judges.flatMap(({ path, scores, threshold }) => (scores === null ? [] : [{ path, scores, threshold }]))
  return graded.length === 0 ? null : (
    <Part title="Scores">
      <div class="small-charts">
        {graded.map(({ path, scores, threshold }) => {
          const { bins } = scores
          const [most, bar] = [Math.max(...bins), width / bins.length]
          return (
            <figure key={path}>
              <figcaption>
                {path}{' '}
                <span class="quiet small">
                  mean {score(scores.mean)} of {grouped(scores.n)}
                  {threshold === null ? '' : `, threshold ${threshold}`}
                </span>
              </figcaption>
              <svg
                viewBox={`0 0 ${width} ${height}`}
                width={width}
                height={height}
                role="img"
                aria-label={`Scores of ${path}: ${binsText(scores)}`}
              >
                {bins.map((count, bin) => {
                  const tall = (count / most) * (base - 4)
                  return <rect class="bin" key={bin} x={bin * bar + 1} width={bar - 2} y={base - tall} height={tall} />
                })}
                <line class="axis" x1="0" x2={width} y1={base} y2={base} />
                {threshold === null ? null : (
                  <line class="zero" x1={threshold * width} x2={threshold * width} y1="0" y2={base} />
                )}
                <Ticks ticks={[0, 0.5, 1]} at={(share) => share * width} below={height - 2} isInside />
              </svg>
            </figure>
          )
        })}
      </div>
    </Part>
  )
}

function binsText({ bins }: ScoreDistribution): string {
  return bins.flatMap((count, bin) => (count === 0 ? [] : [`${grouped(count)} from ${bin / bins.length}`])).join(', ')
}
