import type { NewRun, Refusal, RunHold, StoreBackend, TrialRow } from 'jurist/store-kit'

interface Run extends NewRun {
  trials: Map<string, TrialRow>
  holder: symbol | null
  excluded: string | null
}

const locked: Refusal = { refused: 'locked' }
const keyOf = ({ itemId, repetition }: Pick<TrialRow, 'itemId' | 'repetition'>) => `${repetition} ${itemId}`

/** Keeps everything in maps. A database does the same with tables. */
export function mapBackend(): StoreBackend {
  const runs = new Map<string, Run>()
  const documents = {
    ...{ sessions: mapDocuments(), sweeps: mapDocuments() },
    ...{ labels: mapDocuments(), findings: mapDocuments(), settlements: mapDocuments() },
  }

  function hold(run: Run): RunHold {
    const token = Symbol()
    run.holder = token
    return {
      async write({ trials, head }) {
        // The fence: a writer that was taken over stores nothing.
        if (runs.get(run.id)?.holder !== token) return false
        Object.assign(run, head)
        for (const trial of trials) put(run.trials, trial)
        return true
      },
      async release() {
        if (run.holder === token) run.holder = null
      },
    }
  }

  return {
    async add(run) {
      if (runs.has(run.id)) return { refused: 'exists' }
      const added = { ...run, trials: new Map(), holder: null, excluded: null }
      runs.set(run.id, added)
      return hold(added)
    },
    async hold(id) {
      const run = runs.get(id)
      if (run === undefined) return { refused: 'unknown' }
      return run.holder === null ? hold(run) : locked
    },
    async replace({ trials, ...run }) {
      const known = runs.get(run.id)
      if (known !== undefined && known.holder !== null) return locked
      const byKey = new Map(trials.map((trial) => [keyOf(trial), trial]))
      runs.set(run.id, { ...run, trials: byKey, holder: null, excluded: known?.excluded ?? null })
      return undefined
    },
    ...readers(runs),
    ...changes(runs),
    documents: (kind) => documents[kind],
    async close() {},
  }
}

function readers(runs: ReadonlyMap<string, Run>): Pick<StoreBackend, 'read' | 'records' | 'list'> {
  return {
    async read(id, texts) {
      const run = runs.get(id)
      if (run === undefined) return undefined
      const { head, excluded, holder } = run
      const trials = texts === 'nothing' ? [] : [...run.trials.values()]
      const column = texts === 'records' ? 'record' : 'figures'
      return { head, excluded, held: holder !== null, trials: trials.map((trial) => trial[column]) }
    },
    async records(id, trials) {
      return trials.flatMap((trial) => runs.get(id)?.trials.get(keyOf(trial))?.record ?? [])
    },
    async list(experimentName) {
      const wanted = [...runs.values()].filter((run) => (experimentName ?? run.experimentName) === run.experimentName)
      return wanted.map(({ id, entry, excluded, holder }) => ({ id, entry, excluded, held: holder !== null }))
    },
  }
}

function changes(runs: Map<string, Run>): Pick<StoreBackend, 'remove' | 'exclude'> {
  return {
    async remove(id) {
      const run = runs.get(id)
      if (run === undefined) return { refused: 'unknown' }
      if (run.holder !== null) return locked
      runs.delete(id)
      return undefined
    },
    async exclude(id, reason) {
      const run = runs.get(id)
      if (run !== undefined) run.excluded = reason
      return run !== undefined
    },
  }
}

/** A trial that passed or failed is never replaced. */
function put(trials: Map<string, TrialRow>, trial: TrialRow): void {
  if (trials.get(keyOf(trial))?.decided !== true) trials.set(keyOf(trial), trial)
}

/** Texts by experiment and name. A change begins again when another one was quicker, as with a database. */
function mapDocuments(): ReturnType<StoreBackend['documents']> {
  const texts = new Map<string, string>()
  return {
    read: async (experimentName, name) => texts.get(`${experimentName}/${name}`),
    async change(experimentName, name, change) {
      const key = `${experimentName}/${name}`
      for (;;) {
        const current = texts.get(key)
        const next = await change(current)
        if (texts.get(key) !== current) continue
        texts.set(key, next)
        return next
      }
    },
    remove: async (experimentName, name) => texts.delete(`${experimentName}/${name}`),
    async all(experimentName) {
      return [...texts].filter(([key]) => key.startsWith(`${experimentName}/`)).map(([, text]) => text)
    },
  }
}
