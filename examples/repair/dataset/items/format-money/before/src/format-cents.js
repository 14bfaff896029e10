/** Cents as an amount: `1234` becomes `12.34`. */
export function formatCents(cents) {
  const whole = Math.floor(cents / 100)
  const rest = String(Math.abs(cents % 100)).padStart(2, '0')
  return `${whole}.${rest}`
}
