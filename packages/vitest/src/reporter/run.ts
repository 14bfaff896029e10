import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { newRunId } from '@jurist/experiment/internal/results'
import { type ExperimentResult, type ItemResult, type RunStatus, resultOf } from '@jurist/experiment/result'

export interface TestRun {
  readonly name: string
  readonly items: readonly ItemResult[]
  readonly status: Exclude<RunStatus, 'running'>
  /** Milliseconds since 1970. */
  readonly startedMs: number
  readonly endedMs: number
  readonly vitest: string
}

/** Converts the tests to a run of an experiment. The tests are the dataset, whose version is a hash of their names. */
export function runOf({ name, items, status, startedMs, endedMs, vitest }: TestRun): ExperimentResult {
  const hash = createHash('sha256')
  for (const { itemHash } of items) hash.update(itemHash)
  const digest = hash.digest('hex')
  return resultOf({
    schemaVersion: 1,
    id: newRunId(new Date(startedMs)),
    experimentName: name,
    kind: 'agent',
    status,
    stopReason: status === 'interrupted' ? 'cancelled' : null,
    variant: null,
    session: null,
    lineage: null,
    dataset: {
      name: 'tests',
      version: digest.slice(0, 12),
      hash: digest,
      gitCommit: null,
      dirty: false,
      activeItemCount: items.length,
      selectedItemCount: items.length,
    },
    code: { gitCommit: null, dirty: false, dirtyFiles: [] },
    environment: {
      node: process.version,
      platform: process.platform,
      arch: process.arch,
      jurist: ownVersion(),
      ci: isSet(process.env['CI']),
    },
    conditions: {},
    configuration: { runner: `vitest ${vitest}` },
    jury: null,
    knowledge: null,
    baseline: null,
    startedAt: new Date(startedMs).toISOString(),
    endedAt: new Date(endedMs).toISOString(),
    durationMs: endedMs - startedMs,
    planned: items.length,
    items,
    metadata: {},
  })
}

function ownVersion(): string {
  const { version } = createRequire(import.meta.url)('@jurist/vitest/package.json') as { readonly version: string }
  return version
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0' && value.toLowerCase() !== 'false'
}
