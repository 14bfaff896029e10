import { createHash } from 'node:crypto'
import type { ListedRun, ReadRun, Refusal, StoreBackend, TrialRow } from '@jurist/experiment/store-kit'
import { hasEnded, type ProcessIdentity } from '@jurist/kit/process-identity'
import type { Database, Rows } from './database.js'

export interface HolderColumns {
  readonly holder: string | null
  readonly holder_process: string | null
  /** Whether the holder has sent a heartbeat recently. */
  readonly alive: boolean | null
  /** Whether the workers of a queue write the run. */
  readonly queued: boolean
}

/** The columns of `HolderColumns`. */
export const holderColumns = 'holder, holder_process, held_until > now() as alive, queued'

/** Whether a run is written: by a writer, whose process has not ended on this machine, or by the workers of a queue. */
export function isHeld({ holder, holder_process: process, alive, queued }: HolderColumns): boolean {
  if (queued) return true
  return holder !== null && alive === true && !(process !== null && hasEnded(JSON.parse(process)))
}

/** The refusal of a run that is held. */
export function locked({ holder_process: process, queued }: HolderColumns): Refusal {
  if (process === null || queued) return { refused: 'locked' }
  const { pid, host } = JSON.parse(process) as ProcessIdentity
  return { refused: 'locked', holder: { pid, host } }
}

/** The reading functions of a backend. */
export function readRuns({ schema, rows, transaction }: Database): Pick<StoreBackend, 'read' | 'records' | 'list'> {
  return {
    read: (id, texts) =>
      transaction('repeatable read', async (ask): Promise<ReadRun | undefined> => {
        const [run] = await ask<HolderColumns & Pick<ReadRun, 'head' | 'excluded'>>(
          `select head, excluded, ${holderColumns} from ${schema}.runs where id = $1`,
          [id],
        )
        if (run === undefined) return undefined
        const { head, excluded } = run
        return { head, excluded, held: isHeld(run), trials: await trialTexts(ask, schema, id, texts) }
      }),
    async records(id, trials) {
      const found = await rows<{ readonly trial: string; readonly record: string }>(
        `select trial, record from ${schema}.trials where run = $1 and trial = any($2)`,
        [id, trials.map(trialKey)],
      )
      const byKey = new Map(found.map(({ trial, record }) => [trial, record]))
      return trials.flatMap((trial) => byKey.get(trialKey(trial)) ?? [])
    },
    async list(experimentName) {
      const found = await rows<HolderColumns & Pick<ListedRun, 'id' | 'entry' | 'excluded'>>(
        `select id, entry, excluded, ${holderColumns} from ${schema}.runs where $1::text is null or experiment = $1`,
        [experimentName ?? null],
      )
      return found.map((run) => ({ id: run.id, entry: run.entry, excluded: run.excluded, held: isHeld(run) }))
    },
  }
}

async function trialTexts(ask: Rows, schema: string, id: string, texts: 'records' | 'figures' | 'nothing') {
  if (texts === 'nothing') return []
  const column = texts === 'records' ? 'record' : 'figures'
  // Up to a thousand trials a row: the client spends more on a row than on its text. JSON has no line breaks of its own.
  const found = await ask<{ readonly lines: string }>(
    `select string_agg(${column}, E'\\n' order by place) as lines from ${schema}.trials
      where run = $1 group by place / 1000 order by place / 1000`,
    [id],
  )
  return found.flatMap(({ lines }) => lines.split('\n'))
}

/** Identifies a trial within its run. An id may hold what no text of PostgreSQL can, or be too long for an index. */
export function trialKey({ itemId, repetition }: Pick<TrialRow, 'itemId' | 'repetition'>): string {
  const key = `${repetition} ${JSON.stringify(itemId)}`
  return key.length <= 500 ? key : `${repetition} ${createHash('sha256').update(itemId).digest('hex')}`
}

/** A statement that stores trials for a run that is `held`, a query of its id; the parameters begin with `$1`. */
export function storeTrials(schema: string, held: string): string {
  return `insert into ${schema}.trials as known (run, trial, decided, record, figures)
    select held.id, given.* from (${held}) held,
      unnest($1::text[], $2::boolean[], $3::text[], $4::text[]) as given (trial, decided, record, figures)
    on conflict (run, trial) do update
      set decided = excluded.decided, record = excluded.record, figures = excluded.figures where not known.decided`
}

/** The parameters of `storeTrials`. */
export function trialColumns(trials: readonly TrialRow[]): readonly unknown[] {
  return [
    trials.map(trialKey),
    trials.map(({ decided }) => decided),
    trials.map(({ record }) => record),
    trials.map(({ figures }) => figures),
  ]
}
