import { round } from './totals.js'

export const inCents = (euros) => round(euros * 100)
