import { usageInvalid } from '../config/problems.js'
import { flag, type Parse, repeatable, text, toggle, whole } from './flags.js'
import { instant } from './instant.js'

const hourMs = 3_600_000
const ages: Readonly<Record<string, number>> = { h: hourMs, d: 24 * hourMs, w: 7 * 24 * hourMs }

/** An age such as `12h`, `30d` or `8w`, or a date: milliseconds since 1970. */
const ageOrInstant: Parse<number> = (given, name) => {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([hdw])$/.exec(given) ?? []
  if (number !== undefined) return Date.now() - Number(number) * (ages[unit] ?? 0)
  if (/^\d{4}-/.test(given)) return instant(given, name)
  throw usageInvalid(name, `${name} must be an age or a date, such as 12h, 30d, 8w or 2026-10-01 (got "${given}").`)
}

const sizes: Readonly<Record<string, number>> = {
  ...{ b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 },
  ...{ kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30, tib: 2 ** 40 },
}

/** Bytes with a unit, such as `500MB` or `2GiB`. */
const byteSize: Parse<number> = (given, name) => {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?) ?([kmgt]?i?b)$/i.exec(given) ?? []
  const factor = sizes[unit.toLowerCase()]
  if (number !== undefined && factor !== undefined) return Number(number) * factor
  throw usageInvalid(name, `${name} must be a size with a unit, such as 500MB, 2GB or 2GiB (got "${given}").`)
}

/** The flags of `jurist prune`. */
export const pruneFlags = {
  keep: flag('--keep <n>', 'the newest n of each experiment, variant and kind stay (default: 1)', whole(0)),
  olderThan: flag(
    '--older-than <age>',
    'only runs from before: 12h, 30d, 8w or a date such as 2026-10-01',
    ageOrInstant,
  ),
  maxSize: flag('--max-size <size>', 'the oldest go until the results take at most this, such as 2GB', byteSize),
  experiment: repeatable('--experiment <name>', 'only runs of this experiment', text, { completes: 'experiment' }),
  unfinished: toggle('--unfinished', 'unfinished runs too, which could be resumed'),
  yes: toggle('--yes', 'remove them (default: ask in a terminal, else print what would go)'),
} as const
