import { JuristError } from '@jurist/core'
import type { Dataset, DatasetVersion } from '../dataset/dataset.js'
import type { DatasetItem } from '../dataset/item.js'
import type { CalibrateSettings } from './calibrate-options.js'
import type { CalibrationHost } from './host.js'

/** Labelled items, and which they are. */
export interface LabelledItems {
  readonly items: readonly DatasetItem[]
  readonly version: DatasetVersion
}

/**
 * The items of a calibration.
 *
 * @throws `option-invalid` for a list in which an id stands twice, and what opening and reading a dataset throws
 */
export async function labelledItems(settings: CalibrateSettings, host: CalibrationHost): Promise<LabelledItems> {
  const { items: given, datasetVersion } = settings
  if (isList(given)) return listed(given, settings)
  const dataset = typeof given === 'string' ? await host.openDataset(given) : given
  const items: DatasetItem[] = []
  for await (const item of dataset.items()) items.push(item)
  const version = await dataset.describe()
  return { items, version: datasetVersion === undefined ? version : { ...version, version: datasetVersion } }
}

// Array.isArray does not narrow readonly arrays away.
function isList(items: CalibrateSettings['items']): items is Exclude<CalibrateSettings['items'], string | Dataset> {
  return Array.isArray(items)
}

async function listed(
  items: readonly DatasetItem[],
  { name, datasetVersion = '' }: Pick<CalibrateSettings, 'name' | 'datasetVersion'>,
): Promise<LabelledItems> {
  const known = new Set<string>()
  const twice = items.find(({ id }) => known.size === known.add(id).size)?.id
  if (twice !== undefined)
    throw new JuristError(
      'option-invalid',
      `calibrate: two of the "items" have the id ${JSON.stringify(twice)}. Give each its own.`,
      {
        option: 'items',
      },
    )
  const count = items.length
  const hash = await sha256(items.map((item) => `${item.id} ${item.hash}`).join('\n'))
  const counts = { activeItemCount: count, selectedItemCount: count }
  return { items, version: { name, version: datasetVersion, hash, gitCommit: null, dirty: false, ...counts } }
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
