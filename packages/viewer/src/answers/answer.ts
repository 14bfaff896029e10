import { isDoubted } from '@jurist/experiment/internal/journal'
import { type RunNetwork, resultWithItems, runNetwork, trialText } from '@jurist/experiment/internal/results'
import type { RunResult } from '@jurist/experiment/result'
import type { RunEntry } from '@jurist/experiment/store'
import { againstDocument } from './against.js'
import { ballotsDocument } from './ballots.js'
import { comparisonDocument, pairDocument } from './comparison.js'
import { costDocument } from './cost.js'
import { experimentDocument } from './experiment.js'
import { itemDocument, otherVariants } from './item.js'
import { itemsDocument } from './items.js'
import { outputsDocument } from './outputs.js'
import { judgesDocument, reasonsDocument, runDocument } from './run.js'
import type { RunReader } from './run-reader.js'
import { sessionDocument, togetherDocument } from './session.js'

/**
 * Returns the document at a path of the API, for the server and for the static report alike.
 *
 * @returns `undefined` if there is no such document
 */
export async function answer(reader: RunReader, path: readonly string[], query: URLSearchParams): Promise<unknown> {
  const [kind, id = '', ...rest] = path
  if (kind === 'compare') return compared(reader, path, query)
  if (kind === 'outputs') return together(reader, path.slice(1), (runs) => outputsDocument(runs, query))
  if (kind === 'grid') return together(reader, path.slice(1), (runs) => itemsDocument(runs, query, reader))
  if (kind === 'experiments') return path.length === 2 ? experimentDocument(id, query, reader) : undefined
  if (kind === 'sessions') return rest.length === 1 ? sessionDocument(id, rest[0] ?? '', reader) : undefined
  if (kind === 'together') return togetherDocument(path.slice(1), reader)
  if (kind !== 'runs') return undefined
  if (path.length === 1) return runsDocument(reader)
  const run = await reader.run(id)
  if (run === undefined) return undefined
  const [part, itemId = '', repetition = ''] = rest
  switch (rest.length) {
    case 0:
      return runDocument(run, reader)
    case 1:
      if (part === 'ballots') return ballotsDocument(await resultWithItems(run))
      if (part === 'against') return againstDocument(run, reader)
      if (part === 'cost') return costDocument(run, reader)
      if (part === 'network') return { network: (await runNetwork(run)) ?? null } satisfies NetworkDocument
      if (part === 'reasons') return reasonsDocument(run)
      if (part === 'judges') return judgesDocument(run)
      return part === 'items' ? itemsDocument([run], query, reader) : undefined
    case 3:
      return part === 'items' ? itemDocument(run, { itemId, repetition: Number(repetition) }, query, reader) : undefined
    case 4:
      return part === 'items' && rest[3] === 'variants' ? otherVariants(run, itemId, reader) : undefined
    default:
      return undefined
  }
}

/** The network requests of the commands of a run; `null` for a run without an allow-list. */
export interface NetworkDocument {
  readonly network: RunNetwork | null
}

/** The runs of a store. */
export interface RunsDocument {
  readonly runs: readonly RunEntry[]
  readonly warnings: readonly string[]
  /** How many trials of each scanned run are suspect; runs that were never scanned are missing. */
  readonly suspects: Readonly<Record<string, number>>
}

async function runsDocument(reader: RunReader): Promise<RunsDocument> {
  const runs = await reader.entries()
  const suspects: Record<string, number> = {}
  for (const run of runs) {
    const scan = await reader.scan(run)
    if (scan !== null) suspects[run.id] = new Set(scan.findings.filter(isDoubted).map(trialText)).size
  }
  return { runs, warnings: reader.warnings(), suspects }
}

async function compared(reader: RunReader, path: readonly string[], query: URLSearchParams): Promise<unknown> {
  const [, first = '', second = '', part, itemId] = path
  const [baseline, candidate] = [await reader.run(first), await reader.run(second)]
  if (baseline === undefined || candidate === undefined) return undefined
  if (path.length === 3) return comparisonDocument(baseline, candidate, query)
  if (path.length !== 5 || part !== 'items' || itemId === undefined) return undefined
  return pairDocument(baseline, candidate, itemId, query)
}

/** The document of several runs; `undefined` without runs, or for an unknown id. */
async function together(
  reader: RunReader,
  ids: readonly string[],
  documentOf: (runs: readonly RunResult[]) => unknown,
): Promise<unknown> {
  const runs: RunResult[] = []
  for (const id of new Set(ids)) {
    const run = await reader.run(id)
    if (run === undefined) return undefined
    runs.push(run)
  }
  return runs.length === 0 ? undefined : documentOf(runs)
}
