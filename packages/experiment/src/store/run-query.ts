import { checkOptions, option } from '@jurist/core/internal'
import { runStatuses } from '../result/records.js'
import { isMeasurement, runKinds } from '../result/run-kind.js'
import type { RunEntry, RunQuery } from './store.js'

/**
 * The query, checked.
 *
 * @throws `option-invalid` naming every unknown or wrong part
 */
export function checkQuery(query: RunQuery | undefined): RunQuery {
  return checkOptions('list', query, {
    experimentName: option.string,
    kind: option.oneOf(...runKinds),
    status: option.oneOf(...runStatuses),
    variant: option.string,
    session: option.string,
    before: { wants: 'an instant (ISO 8601)', holds: (value) => !Number.isNaN(Date.parse(String(value))) },
    order: option.oneOf('oldest', 'newest'),
    limit: option.integer(0),
    includeExcluded: option.boolean,
  })
}

/** The entries that a query asks for, in its order. */
export function selectEntries(entries: readonly RunEntry[], query: RunQuery): readonly RunEntry[] {
  const sign = query.order === 'oldest' ? 1 : -1
  return entries
    .filter((entry) => matchesQuery(entry, query))
    .sort((a, b) => sign * byStart(a, b))
    .slice(0, query.limit)
}

/** The order of runs in time: by start, then by id. */
function byStart(a: RunEntry, b: RunEntry): number {
  return Date.parse(a.startedAt) - Date.parse(b.startedAt) || (a.id < b.id ? -1 : 1)
}

const compared = ['experimentName', 'kind', 'status', 'variant', 'session'] as const

function matchesQuery(entry: RunEntry, query: RunQuery): boolean {
  if (entry.excluded !== null && query.includeExcluded !== true) return false
  if (query.before !== undefined && Date.parse(entry.startedAt) >= Date.parse(query.before)) return false
  return compared.every((key) => query[key] === undefined || query[key] === entry[key])
}

/** The entry of the newest run that may represent its experiment: only one that measures an agent or a judge, unless `kind` asks for another. */
export function newestEntry(entries: readonly RunEntry[], query: RunQuery): RunEntry | undefined {
  const found = selectEntries(entries, { ...query, order: 'newest', limit: Number.POSITIVE_INFINITY })
  return found.find(({ kind }) => query.kind !== undefined || isMeasurement(kind))
}
