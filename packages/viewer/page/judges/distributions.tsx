import { grouped, type JudgeFigures, type ScoreDistribution } from '@jurist/experiment/internal/results'
import { score } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { Ticks } from '../charts.js'
import { Part } from '../parts.js'

const [width, height, foot] = [260, 84, 14]

/** How each judge that gives scores between 0 and 1 distributed them, with the threshold of its vote. */
export function Distributions({ judges }: { readonly judges: readonly JudgeFigures[] }): JSX.Element | null {
  const graded = judges.flatMap(({ path, scores, threshold }) => (scores === null ? [] : [{ path, scores, threshold }]))
  return graded.length === 0 ? null : (
    <Part title="Scores">
      <div class="small-charts">
        {graded.map(({ path, scores, threshold }) => (
          <figure key={path}>
            <figcaption>
              {path}{' '}
              <span class="quiet small">
                mean {score(scores.mean)} of {grouped(scores.n)}
                {threshold === null ? '' : `, threshold ${threshold}`}
              </span>
            </figcaption>
            <Histogram scores={scores} threshold={threshold} label={`Scores of ${path}: ${binsText(scores)}`} />
          </figure>
        ))}
      </div>
    </Part>
  )
}

function binsText({ bins }: ScoreDistribution): string {
  return bins.flatMap((count, bin) => (count === 0 ? [] : [`${grouped(count)} from ${bin / bins.length}`])).join(', ')
}

function Histogram({
  scores: { bins },
  threshold,
  label,
}: {
  readonly scores: ScoreDistribution
  readonly threshold: number | null
  readonly label: string
}): JSX.Element {
  const most = Math.max(...bins)
  const bar = width / bins.length
  return (
    <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={label}>
      {bins.map((count, bin) => {
        const tall = (count / most) * (height - foot - 4)
        return <rect class="bin" key={bin} x={bin * bar + 1} width={bar - 2} y={height - foot - tall} height={tall} />
      })}
      <line class="axis" x1="0" x2={width} y1={height - foot} y2={height - foot} />
      {threshold === null ? null : (
        <line class="zero" x1={threshold * width} x2={threshold * width} y1="0" y2={height - foot} />
      )}
      <Ticks ticks={[0, 0.5, 1]} at={(share) => share * width} below={height - 2} isInside />
    </svg>
  )
}
