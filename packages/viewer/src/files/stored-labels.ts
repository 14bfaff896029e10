import { join } from 'node:path'
import { JuristError } from '@jurist/core'
import { labelOf, labelsInFile, labelsInStore } from '@jurist/experiment/internal'
import { trialText } from '@jurist/experiment/internal/results'
import { currentLabels, type Label } from '@jurist/experiment/label'
import type { RunResult } from '@jurist/experiment/result'
import type { ResultStore } from '@jurist/experiment/store'
import { groupBy } from '@jurist/kit/group-by'
import type { RunLabels } from '../answers/run-reader.js'

/** Where labels are: in a store that keeps them itself, or beside the runs of a directory. */
export interface LabelPlaces {
  readonly store?: ResultStore
  readonly directory: string | undefined
}

/** Reads the labels of a run. Labels that cannot be read are left out. */
export async function storedLabels(
  { store, directory }: LabelPlaces,
  { id, experimentName }: RunResult,
): Promise<readonly Label[]> {
  const place =
    store?.labels !== undefined
      ? labelsInStore(store.labels, { id, experimentName }, id)
      : directory === undefined
        ? undefined
        : labelsInFile(join(directory, experimentName, id, 'labels.jsonl'), id)
  try {
    return (await place?.read()) ?? []
  } catch (thrown) {
    if (JuristError.is(thrown, 'label-file-invalid')) return []
    throw thrown
  }
}

/** Reads what most people said of each labelled trial. */
export async function runLabels(places: LabelPlaces, run: RunResult): Promise<RunLabels> {
  const labels = currentLabels(await storedLabels(places, run))
  const said = groupBy(
    labels.filter(({ label }) => label === 'pass' || label === 'fail'),
    trialText,
  )
  return Object.fromEntries([...said].map(([name, ofTrial]) => [name, labelOf(ofTrial) ?? 'tie']))
}
