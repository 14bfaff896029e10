import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { ExperimentResult } from '@jurist/experiment/result'
import type { RunEntry } from '@jurist/experiment/store'
import { type CopyEnd, copyDocuments } from './copy-documents.js'
import { copyLabels } from './copy-labels.js'

/** What happened to a run. `notKept`: files that the other end does not keep, and why. */
export interface CopiedRun {
  readonly id: string
  readonly outcome: 'copied' | 'present' | 'running'
  readonly notKept: readonly string[]
}

/**
 * Copies all runs that have ended, with their files and labels, then the sessions and sweeps of their experiments. Runs that are there
 * already with the same figures are left alone but for further labels, so that the same call continues a copy that was interrupted.
 */
export async function copyResults(from: CopyEnd, to: CopyEnd, copied: (run: CopiedRun) => void): Promise<void> {
  const experiments = new Set<string>()
  for await (const entry of from.store.list({ order: 'oldest', includeExcluded: true })) {
    experiments.add(entry.experimentName)
    copied(await copyRun(from, to, entry))
  }
  for (const experiment of experiments) await copyDocuments(from, to, experiment)
}

async function copyRun(from: CopyEnd, to: CopyEnd, entry: RunEntry): Promise<CopiedRun> {
  const { id, status, excluded } = entry
  if (status === 'running') return { id, outcome: 'running', notKept: [] }
  const run = (await isPresent(to, entry)) ? undefined : await from.store.load(id)
  // Files first: a run whose record is there is there as a whole.
  const notKept = run === undefined ? [] : await copyFiles(from, to, run)
  if (run !== undefined) await to.store.save(from.directory === undefined ? run : withPlaces(run, from.directory))
  if (excluded !== null) await to.store.exclude?.(id, excluded)
  await copyLabels(from, to, entry)
  return { id, outcome: run === undefined ? 'present' : 'copied', notKept }
}

async function isPresent({ store }: CopyEnd, entry: RunEntry): Promise<boolean> {
  const known = await store.overview(entry.id)
  if (known === undefined) return false
  const same = known.status === entry.status && known.endedAt === entry.endedAt && known.durationMs === entry.durationMs
  return same && JSON.stringify(known.counts) === JSON.stringify(entry.counts)
}

async function copyFiles(from: CopyEnd, to: CopyEnd, { id, experimentName }: ExperimentResult) {
  if (to.directory !== undefined) {
    await from.store.fetchFiles?.(id, to.directory)
    return []
  }
  if (from.directory !== undefined) return await to.store.keepFiles(id, join(from.directory, experimentName, id))
  const between = await mkdtemp(join(tmpdir(), 'jurist-copy-'))
  try {
    await from.store.fetchFiles?.(id, between)
    const directory = join(between, experimentName, id)
    return existsSync(directory) ? await to.store.keepFiles(id, directory) : []
  } finally {
    await rm(between, { recursive: true, force: true })
  }
}

/** The run with absolute paths of the items' own files, which are not copied. */
function withPlaces(run: ExperimentResult, directory: string): ExperimentResult {
  const absolute = (path: string | null) => (path === null ? null : resolve(directory, path))
  const items = run.items.map((item) => ({
    ...item,
    beforePath: absolute(item.beforePath),
    referencePath: absolute(item.referencePath),
  }))
  return { ...run, items }
}
