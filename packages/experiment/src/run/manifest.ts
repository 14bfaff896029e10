import type { RunManifest } from '../store/store.js'
import { hostEnvironment } from './environment.js'
import type { Prepared, Selection } from './prepare.js'
import { conditionsOf, configurationOf } from './settings.js'

/** The record of a run before its first trial. */
export async function manifestOf(
  { settings, dataset, provision, knowledge, jury, code: asked, isolation }: Prepared,
  { items, version }: Selection,
  run: { readonly id: string; readonly session: string | null },
): Promise<RunManifest & { readonly itemOrder: readonly string[] }> {
  const code = await asked
  const facts = { datasetHash: version.hash, jury, knowledge: knowledge?.manifest ?? null, isolation }
  return {
    schemaVersion: 1,
    id: run.id,
    experimentName: settings.name,
    kind: 'agent',
    variant: settings.variant,
    session: run.session,
    lineage: null,
    dataset: version,
    code: { gitCommit: code.gitCommit, dirty: code.dirty, dirtyFiles: code.dirtyFiles },
    environment: hostEnvironment(),
    conditions: conditionsOf(settings, facts),
    configuration: configurationOf(settings, dataset, provision.name || 'provision'),
    jury,
    knowledge: knowledge?.manifest ?? null,
    baseline: settings.baseline,
    startedAt: new Date().toISOString(),
    planned: items.length * settings.repetitions,
    metadata: settings.metadata,
    itemOrder: items.map(({ id }) => id),
  }
}
