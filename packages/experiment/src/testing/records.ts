import { type ExperimentResult, type ItemResult, type RunRecord, trialWith } from '../result/records.js'
import { resultOf } from '../result/summarize.js'
import { newRunId } from '../store/names.js'

/**
 * A valid trial: item `item-1`, completed, judged `pass`. What is given replaces a field as it is.
 *
 * @example
 * import { anItem } from '@jurist/experiment/testing'
 *
 * anItem({ itemId: 'b', judged: 'fail', passed: false })
 */
export function anItem(overrides: Partial<ItemResult> = {}): ItemResult {
  return trialWith({
    itemId: 'item-1',
    itemHash: '0'.repeat(64),
    repetition: 1,
    task: 'do the task',
    agent: 'completed',
    judged: 'pass',
    passed: true,
    startedAt: '2026-01-01T00:00:00.000Z',
    endedAt: '2026-01-01T00:00:01.000Z',
    durationMs: 1_000,
    setupMs: 100,
    agentMs: 800,
    juryMs: 100,
    detail: { kind: 'agent', invocation: { status: 'completed' } },
    ...overrides,
  })
}

/**
 * A valid result of a completed run with one trial, and its summary. What is given replaces a field as it is; the id is
 * new each time.
 *
 * @example
 * import { aResult, anItem } from '@jurist/experiment/testing'
 *
 * aResult({ experimentName: 'add-readme', items: [anItem(), anItem({ itemId: 'b', judged: 'fail', passed: false })] })
 */
export function aResult(overrides: Partial<RunRecord> = {}): ExperimentResult {
  const items = overrides.items ?? [anItem()]
  return resultOf({
    schemaVersion: 1,
    id: newRunId(),
    experimentName: 'experiment',
    kind: 'agent',
    status: 'completed',
    stopReason: null,
    variant: null,
    session: null,
    lineage: null,
    dataset: datasetVersion,
    code: { gitCommit: null, dirty: false, dirtyFiles: [] },
    environment: { node: 'v20.19.0', platform: 'linux', arch: 'x64', jurist: '0.1.0', ci: false },
    conditions: {},
    configuration: {},
    jury: null,
    knowledge: null,
    baseline: null,
    startedAt: '2026-01-01T00:00:00.000Z',
    endedAt: '2026-01-01T00:00:01.000Z',
    durationMs: 1_000,
    planned: items.length,
    items,
    metadata: {},
    ...overrides,
  })
}

const datasetVersion: RunRecord['dataset'] = {
  name: 'dataset',
  version: '1',
  hash: '0'.repeat(64),
  gitCommit: null,
  dirty: false,
  activeItemCount: 1,
  selectedItemCount: 1,
}
