import { existsSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { failureOf } from '@jurist/core/internal'
import { nearestNames } from '@jurist/kit/did-you-mean'
import { yamlValue } from '@jurist/workspace/internal'
import * as v from 'valibot'
import { fields, text } from '../fields.js'
import type { Dataset } from './dataset.js'
import { checkAt } from './item-fields.js'
import { readTextFile } from './json-file.js'
import { collectProblems, type DatasetProblem, type Spot } from './problem.js'
import { placeOf } from './read-dataset.js'

/**
 * An item whose trials count nowhere for a while, with the reason. They still run, are judged, stored and shown.
 */
export interface QuarantineEntry {
  readonly item: string
  /** The place of one judge, such as `rules/tests`: only that judge does not count. Absent: the whole item does not. */
  readonly judge?: string
  /** The person who repairs it. */
  readonly owner: string
  readonly reason: string
  /** A date such as `2026-11-20`. */
  readonly since?: string
  /** The last day, in UTC. */
  readonly until: string
}

/** The quarantine of a dataset. */
export interface Quarantine {
  /** The path of its file; `null` for items in memory. */
  readonly file: string | null
  /** Entries that hold now. */
  readonly entries: readonly QuarantineEntry[]
  /** Entries whose last day is over. */
  readonly expired: readonly QuarantineEntry[]
  /** Everything that is wrong with the file; expired entries are not among it. */
  readonly problems: readonly DatasetProblem[]
}

/** The most days between `since` and `until`. */
const mostDays = 90

/** The share of the active items that may be in quarantine. */
const mostQuarantined = 0.1

const dayMs = 86_400_000

/** How many of so many active items may be in quarantine: at least one. */
function quarantineRoom(activeItems: number, most: number = mostQuarantined): number {
  return Math.max(1, Math.floor(activeItems * most))
}

/** The path of the file that lists the items in quarantine, whether it exists or not; `null` for items in memory. */
export function quarantineFile(dataset: Dataset): string | null {
  const { directory, file } = placeOf(dataset)
  if (directory === null) return null
  return join(directory, file === null ? 'quarantine.yaml' : `${basename(file, extname(file))}.quarantine.yaml`)
}

/** The first moment at which an entry no longer holds, in milliseconds since 1970. */
export function endOf({ until }: Pick<QuarantineEntry, 'until'>): number {
  return Date.parse(`${until}T00:00:00Z`) + dayMs
}

/** Reads the quarantine of a dataset: `quarantine.yaml` in its directory, or `NAME.quarantine.yaml` beside a file of rows. */
export async function readQuarantine(dataset: Dataset, nowMs: number = Date.now()): Promise<Quarantine> {
  const file = quarantineFile(dataset)
  if (file === null || !existsSync(file)) return { file, entries: [], expired: [], problems: [] }
  const { problems, report } = collectProblems()
  const name = basename(file)
  const spot: Spot = { file: name, item: null, prefix: '', report }
  const content = await readTextFile(join(file, '..'), spot)
  const read =
    content === undefined ? undefined : await yamlValue(content).catch((thrown: unknown) => failureOf(thrown))
  if (read === undefined || !('lineOf' in read)) {
    const problem = `is not YAML: ${read?.message}.`
    if (read !== undefined) report({ file: name, item: null, field: null, problem, remedy: 'Correct it there.' })
    return { file, entries: [], expired: [], problems }
  }
  const entries = entriesIn(read.value ?? [], dataset, nowMs, {
    ...spot,
    fieldOf: (keys) => `line ${read.lineOf(keys as readonly (string | number)[])}${nameOf(keys)}`,
  })
  return {
    file,
    entries: entries.filter((entry) => endOf(entry) > nowMs),
    expired: entries.filter((entry) => endOf(entry) <= nowMs),
    problems,
  }
}

function nameOf(keys: readonly unknown[]): string {
  const name = keys.findLast((key) => typeof key === 'string')
  return name === undefined ? '' : ` ${String(name)}`
}

const date: v.GenericSchema<string> = v.pipe(
  v.string('must be a date such as 2026-12-20'),
  v.check(
    (given) => /^\d{4}-\d{2}-\d{2}$/.test(given) && new Date(`${given}T00:00:00Z`).toJSON()?.slice(0, 10) === given,
    'must be a date such as 2026-12-20',
  ),
)

const entrySchema = fields(
  {
    item: text,
    judge: v.exactOptional(text),
    owner: text,
    reason: text,
    since: v.exactOptional(date),
    until: date,
  },
  { remedy: 'An entry has item, judge, owner, reason, since and until.' },
)

function entriesIn(value: unknown, dataset: Dataset, nowMs: number, spot: Spot): readonly QuarantineEntry[] {
  const { file, report } = spot
  if (!Array.isArray(value)) {
    const remedy = 'Write - { item: …, owner: …, reason: …, until: 2026-12-20 } for each.'
    report({ file, item: null, field: null, problem: 'must be a list of entries.', remedy })
    return []
  }
  const known = dataset.entries.map(({ id }) => id)
  const ids = new Set(known)
  const seen = new Map<string, number>()
  return value.flatMap((given: unknown, index) => {
    const at = { ...spot, fieldOf: (keys: readonly unknown[]) => spot.fieldOf?.([index, ...keys]) ?? '' }
    const refuse = (field: string, problem: string, remedy: string) =>
      report({ file, item: null, field: at.fieldOf([field]), problem, remedy })
    const entry = checkAt(entrySchema, given, at)
    const id = entry?.item ?? ''
    if (entry === undefined) return []
    const { judge = '', since, until } = entry
    const near = nearestNames(id, known)[0]
    if (!ids.has(id))
      refuse('item', `"${id}" is not an item.`, near === undefined ? 'Delete the entry.' : `Did you mean "${near}"?`)
    const key = JSON.stringify([id, judge])
    const first = seen.get(key)
    if (first !== undefined) refuse('item', `"${id}" is there already, in entry ${first + 1}.`, 'Keep one of them.')
    seen.set(key, first ?? index)
    const from = since === undefined ? nowMs : Date.parse(since)
    if (since !== undefined && Date.parse(since) > nowMs)
      refuse('since', `${since} is in the future.`, 'Write the day on which the quarantine began.')
    else if (Date.parse(until) < from && since !== undefined)
      refuse('until', `${until} is before ${since}.`, 'Write a later day.')
    else if (Date.parse(until) - from > mostDays * dayMs)
      refuse('until', `${until} is more than ${mostDays} days away.`, `Write a day within ${mostDays} days.`)
    return ids.has(id) && first === undefined ? [entry as QuarantineEntry] : []
  })
}

/** Expired entries as problems of the dataset. */
export function expiredProblems(
  { file, expired }: Pick<Quarantine, 'file' | 'expired'>,
  severity: DatasetProblem['severity'],
): readonly DatasetProblem[] {
  return expired.map(({ item, since, until }) => {
    const when = since === undefined ? `was in quarantine until ${until}` : `has been in quarantine since ${since}`
    const remedy = 'Fix it, delete it, or give it a new date.'
    return Object.freeze({
      ...{ file: basename(file ?? ''), item, field: null, severity, remedy },
      problem: `${item} ${when}, and the last day is over.`,
    })
  })
}

/** One problem when more items are in quarantine than may be. */
export function tooManyProblems(
  { file, entries }: Pick<Quarantine, 'file' | 'entries'>,
  activeItems: number,
  most: number = mostQuarantined,
): readonly DatasetProblem[] {
  const items = new Set(entries.map(({ item }) => item)).size
  const room = quarantineRoom(activeItems, most)
  if (items <= room) return []
  return [
    Object.freeze({
      ...{ file: basename(file ?? ''), item: null, field: null, severity: 'error' },
      problem: `${items} of ${activeItems} active items are in quarantine, and at most ${room} may be.`,
      remedy: 'Repair some, or raise "quarantine: { most: … }" of the experiment.',
    } as const),
  ]
}
