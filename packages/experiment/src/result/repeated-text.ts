import { counted, score } from './amounts.js'
import type { PassAtK } from './summary.js'

/**
 * pass@k, each with the number of items it is a mean of: only items with at least `k` decided trials count, so a larger
 * `k` may rest on fewer items.
 *
 * @example
 * passAtKText(result.passAtK) // 'k=4 0.96 (24 items)  k=5 0.95 (22 items)'
 */
export function passAtKText(rows: readonly PassAtK[]): string {
  return textOf(rows, ({ passAtK }) => passAtK)
}

/**
 * pass^k, each with the number of items it is a mean of.
 *
 * @example
 * passHatKText(result.passAtK) // 'k=1 0.75  k=2 0.50 (12 items)'
 */
export function passHatKText(rows: readonly PassAtK[]): string {
  return textOf(rows, ({ passHatK }) => passHatK)
}

/** The number of items stands at the end where it is the same for every `k`. */
function textOf(rows: readonly PassAtK[], rateOf: (row: PassAtK) => number): string {
  const isSame = rows.every(({ items }) => items === rows[0]?.items)
  return rows
    .map((row, index) => {
      const basis = isSame && index < rows.length - 1 ? '' : ` (${counted(row.items, 'item')})`
      return `k=${row.k} ${score(rateOf(row))}${basis}`
    })
    .join('  ')
}
