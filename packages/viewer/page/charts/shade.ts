/** The most that a cell is coloured, in per cent: text on it stays readable. */
const strongest = 28

/** A colour for a cell, the stronger the larger its share of the largest one. */
export function shade(tone: 'accent' | 'pass' | 'fail', share: number): string {
  return share === 0
    ? ''
    : `color-mix(in srgb, var(--${tone}) ${Math.round(4 + share * (strongest - 4))}%, transparent)`
}
