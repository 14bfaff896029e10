/** Cents as an amount: `1234` becomes `12.34`. */
export function formatCents(cents) {
  const sign = cents < 0 ? '-' : ''
  const amount = Math.abs(cents)
  const whole = Math.trunc(amount / 100)
  const rest = String(amount % 100).padStart(2, '0')
  return `${sign}${whole}.${rest}`
}
