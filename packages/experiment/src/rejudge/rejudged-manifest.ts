import { isAbsolute, posix } from 'node:path'
import type { JsonObject, Jury } from '@jurist/core'
import type { ExperimentResult, ItemResult, JuryDescription } from '../result/records.js'
import { hostEnvironment } from '../run/conditions.js'
import { modelConditions } from '../run/models.js'
import type { RunManifest } from '../store/store.js'

/** How the run is judged again. */
export interface Judgement {
  readonly jury: Jury
  /** Of the jury and of the judges of the items. */
  readonly description: JuryDescription
  readonly tiers: readonly string[] | null
  readonly judgeTimeoutMs: number
  readonly judgeFailedRuns: boolean
}

/** What is known of the new run when it begins: the old one's agent, dataset and code, another jury, and where it comes from. */
export function rejudgedManifest(
  run: ExperimentResult,
  { jury: present, description: jury, tiers, judgeTimeoutMs, judgeFailedRuns }: Judgement,
  id: string,
  itemIds: readonly string[],
): RunManifest {
  const { experimentName, variant, dataset, code, knowledge, metadata, lineage } = run
  const root = lineage?.root ?? run.id
  return {
    schemaVersion: 1,
    id,
    experimentName,
    kind: 'rejudge',
    variant,
    session: null,
    lineage: {
      rejudgedFrom: run.id,
      root,
      systemReinvoked: false,
      originalStartedAt: lineage?.originalStartedAt ?? run.startedAt,
      jury: jury.fingerprint,
      tiers,
    },
    dataset,
    code,
    environment: hostEnvironment(),
    conditions: {
      ...conditionsOf(run, present),
      jury: jury.fingerprint,
      judgeTimeoutMs,
      judgeFailedRuns,
      costAlreadyCounted: root,
    },
    configuration: { ...run.configuration, jury: present.name || 'jury', judgeTimeoutMs, judgeFailedRuns },
    jury,
    knowledge,
    baseline: null,
    startedAt: new Date().toISOString(),
    planned: itemIds.length,
    metadata,
    itemOrder: [...new Set(itemIds)],
  }
}

/** The conditions of the old run with the models of another jury. */
function conditionsOf({ conditions }: ExperimentResult, jury: Jury): JsonObject {
  const { judgeModels: _, modelPrices: before = {}, ...rest } = conditions
  const { modelPrices, ...present } = modelConditions({ jury })
  const prices = { ...(before as JsonObject), ...modelPrices }
  return { ...rest, ...present, ...(Object.keys(prices).length === 0 ? {} : { modelPrices: prices }) }
}

/**
 * The places of a trial as seen from a new run beside the old one: kept workspaces and journals stay where they are. In
 * another store they cannot be named.
 */
export function movedPaths(item: ItemResult, run: ExperimentResult, isBeside: boolean): ItemResult {
  const { workspacePath, journalPath, referencePath, beforePath } = item
  const fromSibling = (path: string | null) => {
    if (path === null || !isBeside) return null
    return posix.normalize(posix.join('..', run.id, path))
  }
  const fromResults = (path: string | null) => (path === null || isBeside || isAbsolute(path) ? path : null)
  return {
    ...item,
    workspacePath: fromSibling(workspacePath),
    journalPath: fromSibling(journalPath),
    referencePath: fromResults(referencePath),
    beforePath: fromResults(beforePath),
  }
}
