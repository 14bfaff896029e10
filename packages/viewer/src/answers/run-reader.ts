import type { KeptScan } from '@jurist/experiment/internal/journal'
import type { RunResult } from '@jurist/experiment/result'
import type { RunEntry } from '@jurist/experiment/store'

/** The label that most people gave a trial. */
export type PeopleSay = 'pass' | 'fail' | 'tie'

/** The labels of a run, by the names of its trials. */
export type RunLabels = Readonly<Record<string, PeopleSay>>

/** The source of runs for answers: a store behind a server, or the results in a static report. */
export interface RunReader {
  /** The entries of all runs, newest first. */
  readonly entries: () => Promise<readonly RunEntry[]>
  /** The warnings of the store about damaged or skipped data. */
  readonly warnings: () => readonly string[]
  /** Returns `undefined` for an unknown id. */
  readonly run: (id: string) => Promise<RunResult | undefined>
  /** The labels of a run, beside it. */
  readonly labels: (run: RunResult) => Promise<RunLabels>
  /** The findings and limits of the last scan of a run; `null` if it was never scanned. */
  readonly scan: (run: Pick<RunResult, 'id' | 'experimentName'>) => Promise<KeptScan | null>
  /**
   * A small value computed from a run, such as a row of a table; `undefined` for an unknown id. The value is cached
   * under `name` until the run changes, so that a table of many runs does not read each of them again.
   */
  readonly derived: <Value>(id: string, name: string, of: (run: RunResult) => Value) => Promise<Value | undefined>
  /**
   * A small value computed from several runs; `undefined` if one of them is unknown. The runs are read one after the
   * other, and only a part of each is kept until the value is computed. The value is cached like that of `derived`.
   */
  readonly combined: <Part, Value>(
    ids: readonly string[],
    name: string,
    how: { readonly part: (run: RunResult) => Part; readonly of: (parts: readonly Part[]) => Value },
  ) => Promise<Value | undefined>
}

/** Further facts about runs, by their ids. */
export interface BesideRuns {
  readonly labels?: Readonly<Record<string, RunLabels>>
  readonly scans?: Readonly<Record<string, KeptScan>>
}

export function runsInMemory(results: readonly RunResult[], { labels = {}, scans = {} }: BesideRuns = {}): RunReader {
  const newestFirst = results.toSorted((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
  const run = async (id: string) => results.find((result) => result.id === id)
  return {
    entries: async () => newestFirst.map(entryOf),
    warnings: () => [],
    run,
    labels: async ({ id }) => labels[id] ?? {},
    scan: async ({ id }) => scans[id] ?? null,
    derived: async (id, _, of) => {
      const found = await run(id)
      return found === undefined ? undefined : of(found)
    },
    async combined(ids, _, { part, of }) {
      const found = await Promise.all(ids.map(run))
      const known = found.filter((one) => one !== undefined)
      return known.length < ids.length ? undefined : of(known.map(part))
    },
  }
}

function entryOf(result: RunResult): RunEntry {
  const { id, experimentName, kind, status, variant, session, startedAt, endedAt, durationMs, code } = result
  const { counts, passRate, passRateInterval, costUsd, judgeCostUsd } = result
  return {
    ...{ id, experimentName, kind, status, variant, session, startedAt, endedAt, durationMs },
    gitCommit: code.gitCommit,
    ...{ counts, passRate, passRateInterval, costUsd, judgeCostUsd },
    excluded: null,
  }
}
