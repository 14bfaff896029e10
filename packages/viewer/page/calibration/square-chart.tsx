import type { ComponentChildren, JSX } from 'preact'

const size = 300
const [left, bottom] = [44, 36]
const ticks = [0, 0.25, 0.5, 0.75, 1]

/** Where a share is, from left to right. */
export function x(share: number): number {
  return left + share * (size - left - 8)
}

/** Where a share is, from below upwards. */
export function y(share: number): number {
  return size - bottom - share * (size - bottom - 8)
}

/** Two shares against each other; `scale` names the one from left to right. */
export function SquareChart({
  label,
  scale,
  children,
}: {
  readonly label: string
  readonly scale: string
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    <svg class="square" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
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
      {children}
      <text x={x(0.5)} y={size - 2} text-anchor="middle">
        {scale}
      </text>
    </svg>
  )
}
