import { usageInvalid } from '../config/problems.js'
import { flag, text } from './flags.js'

/** The flags of `jurist import inspect` alone. */
export const inspectFlags = {
  headline: flag(
    '--headline <score>',
    'inspect: the score that decides (default: that of the log, else its first)',
    text,
  ),
  threshold: flag('--threshold <value>', 'inspect: the lowest value that passes (default: 1, which is C)', finite, {
    default: 1,
  }),
}

function finite(given: string, name: string): number {
  const value = Number(given)
  if (given.trim() !== '' && Number.isFinite(value)) return value
  throw usageInvalid(name, `${name} wants a number such as 0.5, not ${JSON.stringify(given)}.`)
}
