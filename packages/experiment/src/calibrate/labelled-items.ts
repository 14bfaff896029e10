import { isPlainObject, optionInvalid } from '@jurist/core/internal'
import { type Dataset, type DatasetPath, type DatasetVersion, isDatasetPath } from '../dataset/dataset.js'
import type { DatasetItem } from '../dataset/item.js'
import type { CalibrateSettings } from './calibrate-options.js'
import type { CalibrationHost } from './host.js'

export interface LabelledItems {
  readonly items: readonly DatasetItem[]
  readonly version: DatasetVersion
}

/**
 * The items of a calibration.
 *
 * @throws `option-invalid` for an array with a repeated id or an invalid item, and what opening and reading a
 * dataset throws
 */
export async function labelledItems(settings: CalibrateSettings, host: CalibrationHost): Promise<LabelledItems> {
  const { items: given, datasetVersion } = settings
  if (isList(given)) return listed(given, settings)
  const dataset = isDatasetPath(given) ? await host.openDataset(given) : given
  const items: DatasetItem[] = []
  for await (const item of dataset.items()) items.push(item)
  const version = await dataset.describe()
  return { items, version: datasetVersion === undefined ? version : { ...version, version: datasetVersion } }
}

// Array.isArray does not narrow readonly arrays away.
function isList(
  items: CalibrateSettings['items'],
): items is Exclude<CalibrateSettings['items'], DatasetPath | Dataset> {
  return Array.isArray(items)
}

async function listed(
  given: readonly DatasetItem[],
  { name, datasetVersion = '1.0.0' }: Pick<CalibrateSettings, 'name' | 'datasetVersion'>,
): Promise<LabelledItems> {
  const items = await Promise.all(given.map(whole))
  const known = new Set<string>()
  const twice = items.find(({ id }) => known.size === known.add(id).size)?.id
  if (twice !== undefined)
    optionInvalid('items', `calibrate: two of the "items" have the id ${JSON.stringify(twice)}. Give each its own.`)
  const count = items.length
  const hash = await sha256(items.map((item) => `${item.id} ${item.hash}`).join('\n'))
  const counts = { activeItemCount: count, selectedItemCount: count }
  return { items, version: { name, version: datasetVersion, hash, gitCommit: null, dirty: false, ...counts } }
}

/**
 * An item of an array, with the defaults of a dataset, so that an id, a task and metadata are enough.
 *
 * @throws `option-invalid` for one without an id and a task
 */
async function whole(item: DatasetItem, index: number): Promise<DatasetItem> {
  if (!isPlainObject(item) || typeof item.id !== 'string' || typeof item.task !== 'string')
    optionInvalid('items', `calibrate: items[${index}] is not an item. Give it an "id" and a "task".`)
  const { id, task } = item
  const said: Partial<DatasetItem> = item
  return { ...empty, slug: id, ...said, id, task, hash: said.hash ?? (await sha256(JSON.stringify(item))) }
}

const empty = {
  path: null,
  bucket: '',
  taskType: '',
  status: 'active',
  noChange: false,
  tags: [],
  input: null,
  knowledgeRefs: [],
  before: null,
  reference: null,
  expectedOutput: null,
  expectedAnyOf: false,
  referenceData: [],
  metadata: {},
  judges: null,
  jury: null,
  timeoutMs: null,
  repetitions: null,
  image: null,
} as const

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
