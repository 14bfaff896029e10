/** Drawings for the guides: SVG with a text alternative, readable on light and dark pages. */
interface Drawing {
  readonly title: string
  /** What a reader sees who cannot see the drawing. */
  readonly description: string
  readonly width: number
  readonly height: number
  readonly parts: readonly string[]
}

function svg({ title, description, width, height, parts }: Drawing): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title description">
  <title id="title">${title}</title>
  <desc id="description">${description}</desc>
  <style>
    text { font: 14px Inter, system-ui, sans-serif; fill: #1f2328 }
    .small { font-size: 12px; fill: #5a616c }
    .axis { stroke: #8b8f98; stroke-width: 1 }
    .grid { stroke: #e3e0da; stroke-width: 1 }
    .first { stroke: #1a6e43; fill: none; stroke-width: 2.5 }
    .second { stroke: #2f5fb3; fill: none; stroke-width: 2.5; stroke-dasharray: 7 4 }
    .third { stroke: #a2570a; fill: none; stroke-width: 2.5; stroke-dasharray: 2 4 }
    .dot { fill: #1a6e43; stroke: none }
    @media (prefers-color-scheme: dark) {
      text { fill: #e8e6e1 } .small { fill: #a3a9b4 } .axis { stroke: #6d737e } .grid { stroke: #33373e }
      .first { stroke: #74d3a0 } .second { stroke: #8fb4ff } .third { stroke: #f0b070 } .dot { fill: #74d3a0 }
    }
  </style>
${parts.map((part) => `  ${part}`).join('\n')}
</svg>
`
}

const at = (value: number): string => String(Math.round(value * 10) / 10)

function text(x: number, y: number, words: string, options: { small?: boolean; anchor?: string } = {}): string {
  const { small = false, anchor = 'start' } = options
  return `<text${small ? ' class="small"' : ''} x="${at(x)}" y="${at(y)}" text-anchor="${anchor}">${words}</text>`
}

function line(kind: string, x1: number, y1: number, x2: number, y2: number): string {
  return `<path class="${kind}" d="M${at(x1)} ${at(y1)}L${at(x2)} ${at(y2)}"/>`
}

export interface IntervalRow {
  readonly label: string
  readonly note: string
  readonly rate: number
  readonly low: number
  readonly high: number
}

/** A row each: a label, a bar from the lower to the upper bound with a dot at the rate, and a note. */
export function intervalChart(title: string, description: string, rows: readonly IntervalRow[]): string {
  const [left, right, top, row] = [210, 640, 20, 34]
  const x = (rate: number) => left + rate * (right - left)
  const bottom = top + rows.length * row
  const grid = [0, 0.25, 0.5, 0.75, 1].flatMap((rate) => [
    line('grid', x(rate), top - 6, x(rate), bottom),
    text(x(rate), bottom + 18, `${rate * 100} %`, { small: true, anchor: 'middle' }),
  ])
  const bars = rows.flatMap(({ label, note, rate, low, high }, index) => {
    const y = top + index * row + row / 2
    return [
      text(left - 14, y + 5, label, { anchor: 'end' }),
      line('first', x(low), y, x(high), y),
      line('first', x(low), y - 6, x(low), y + 6),
      line('first', x(high), y - 6, x(high), y + 6),
      `<circle class="dot" cx="${at(x(rate))}" cy="${at(y)}" r="5"/>`,
      text(right + 16, y + 5, note, { small: true }),
    ]
  })
  return svg({ title, description, width: 860, height: bottom + 30, parts: [...grid, ...bars] })
}

interface Curve {
  readonly kind: 'first' | 'second' | 'third'
  readonly label: string
  readonly points: readonly (readonly [x: number, y: number])[]
}

interface Lines {
  readonly title: string
  readonly description: string
  readonly xLabel: string
  readonly xTicks: readonly number[]
  readonly curves: readonly Curve[]
}

/** Curves of shares from 0 to 1, each with its label in a legend on the right. */
export function lineChart({ title, description, xLabel, xTicks, curves }: Lines): string {
  const [left, right, top, bottom] = [60, 600, 20, 260]
  const [least, most] = [xTicks[0] ?? 0, xTicks.at(-1) ?? 1]
  const x = (value: number) => left + ((value - least) / (most - least)) * (right - left)
  const y = (share: number) => bottom - share * (bottom - top)
  const grid = [0, 0.2, 0.4, 0.6, 0.8, 1].flatMap((share) => [
    line('grid', left, y(share), right, y(share)),
    text(left - 8, y(share) + 4, `${Math.round(share * 100)} %`, { small: true, anchor: 'end' }),
  ])
  const ticks = xTicks.map((value) => text(x(value), bottom + 18, String(value), { small: true, anchor: 'middle' }))
  const drawn = curves.flatMap(({ kind, label, points }, index) => {
    const path = points.map(([px, py], point) => `${point === 0 ? 'M' : 'L'}${at(x(px))} ${at(y(py))}`).join('')
    const row = top + 40 + index * 28
    const legend = [line(kind, right + 20, row, right + 56, row), text(right + 66, row + 5, label)]
    return [`<path class="${kind}" d="${path}"/>`, ...legend]
  })
  const axis = text((left + right) / 2, bottom + 38, xLabel, { small: true, anchor: 'middle' })
  return svg({ title, description, width: 860, height: bottom + 50, parts: [...grid, ...ticks, axis, ...drawn] })
}
