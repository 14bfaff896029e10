import type { JsonObject } from '@jurist/core'
import type { DatasetItem } from '../dataset/item.js'
import type { RunKind } from '../result/run-kind.js'
import type { RunManifest } from '../store/store.js'
import { hostEnvironment } from './environment.js'
import { countTrials, type Prepared, type Selection } from './prepare.js'
import { conditionsOf, configurationOf } from './settings.js'

/** What a run is called, and what it is for. */
export interface RunIdentity {
  readonly id: string
  readonly session: string | null
  readonly kind: RunKind
}

/** The record of a run before its first trial. */
export async function manifestOf(
  { settings, dataset, provision, knowledge, code: asked, isolation }: Prepared,
  { items, version, juries }: Selection,
  run: RunIdentity,
): Promise<RunManifest & { readonly itemOrder: readonly string[] }> {
  const code = await asked
  const jury = juries.description
  const facts = { datasetHash: version.hash, jury, knowledge: knowledge?.manifest ?? null, isolation }
  return {
    schemaVersion: 1,
    id: run.id,
    experimentName: settings.name,
    kind: run.kind,
    variant: settings.variant,
    session: run.session,
    lineage: null,
    dataset: version,
    code: { gitCommit: code.gitCommit, dirty: code.dirty, dirtyFiles: code.dirtyFiles },
    environment: hostEnvironment(),
    conditions: conditionsOf(settings, facts),
    configuration: { ...configurationOf(settings, dataset, provision.name || 'provision'), ...ownRepetitions(items) },
    jury,
    knowledge: knowledge?.manifest ?? null,
    baseline: settings.baseline,
    startedAt: new Date().toISOString(),
    planned: countTrials(items, settings),
    metadata: settings.metadata,
    itemOrder: items.map(({ id }) => id),
  }
}

/** The items that say how often they run, so that a resumed run knows its plan. */
function ownRepetitions(items: readonly DatasetItem[]): JsonObject {
  const own = items.flatMap(({ id, repetitions }) => (repetitions === null ? [] : [[id, repetitions] as const]))
  return own.length === 0 ? {} : { itemRepetitions: Object.fromEntries(own) }
}
