import { fail, type Judge, pass } from '@jurist/core'
import type { DatasetItem } from '@jurist/experiment/dataset'

/** An item with a label, and with what there is to judge. */
export function labelledItem(id: string, label: string | null, metadata: DatasetItem['metadata'] = {}): DatasetItem {
  return {
    id,
    slug: id,
    path: null,
    bucket: '',
    taskType: '',
    status: 'active',
    metadata: { ...(label === null ? {} : { label }), ...metadata },
    task: `task ${id}`,
    input: null,
    noChange: false,
    tags: [],
    knowledgeRefs: [],
    before: null,
    reference: null,
    expectedOutput: null,
    expectedAnyOf: false,
    judges: null,
    jury: null,
    timeoutMs: null,
    repetitions: null,
    image: null,
    referenceData: [],
    hash: `hash ${id}`,
  }
}

/** Says what the item's metadata tells it to say under `key`. */
export function told(key: string): Judge {
  return Object.defineProperty(
    (({ metadata }) => (metadata[key] === 'pass' ? pass('good') : fail('bad'))) satisfies Judge,
    'name',
    { value: key },
  )
}
