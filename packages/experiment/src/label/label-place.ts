import type { LabelStore, StoredRunName } from '../store/store.js'
import type { Label } from './label.js'
import { appendLabel, labelsFromLines, readLabels } from './label-file.js'

/** Where the labels of a run are. */
export interface LabelPlace {
  /** For messages. */
  readonly shown: string
  /** Every line, oldest first. */
  readonly read: () => Promise<readonly Label[]>
  readonly append: (label: Label) => Promise<void>
}

/** Labels in a file. */
export function labelsInFile(path: string, shown: string): LabelPlace {
  return { shown, read: () => readLabels(path), append: (label) => appendLabel(path, label) }
}

/** Labels in a store that keeps them itself. */
export function labelsInStore(store: LabelStore, run: StoredRunName, shown: string): LabelPlace {
  return {
    shown,
    read: async () => labelsFromLines(shown, await store.read(run)),
    append: (label) => store.append(run, `${JSON.stringify(label)}\n`),
  }
}
