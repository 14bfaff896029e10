import { checkRunId, checkSafeName } from '../store/names.js'
import type { LabelStore, StoredRunName } from '../store/store.js'
import type { StoreBackend } from './store-backend.js'

/** The labels of runs over texts, one for each run. */
export function labelTexts(backend: StoreBackend): LabelStore {
  const texts = backend.documents('labels')
  const placeOf = ({ id, experimentName }: StoredRunName) =>
    [checkSafeName(experimentName, 'an experiment'), checkRunId(id)] as const
  return {
    read: async (run) => (await texts.read(...placeOf(run))) ?? '',
    async append(run, lines) {
      await texts.change(...placeOf(run), (known = '') => `${known}${lines}`)
    },
  }
}
