import { randomUUID } from 'node:crypto'
import type { Documents, RunHold, RunLinesKind, StoreBackend, TrialRow, WholeRun } from '@jurist/experiment/store-kit'
import { ownProcess } from '@jurist/kit/process-identity'
import type { Database, Rows } from './database.js'
import { type HolderColumns, holderColumns, isHeld, locked, readRuns, storeTrials, trialColumns } from './run-rows.js'

/**
 * A run that this process holds: every statement asks for the token, so that a writer that was taken over stores nothing. The
 * hold is renewed three times within its time; only the clock of the database counts.
 */
function runHold({ schema, rows }: Database, run: string, token: string, leaseMs: number): RunHold {
  const renewed = `held_until = now() + make_interval(secs => ${leaseMs / 1_000})`
  const renew = () => rows(`update ${schema}.runs set ${renewed} where id = $1 and holder = $2`, [run, token])
  // A connection that is broken now may be back before the hold has ended.
  const timer = setInterval(() => void renew().catch(() => undefined), leaseMs / 3)
  timer.unref()

  return {
    async write({ trials, head }) {
      const held = `update ${schema}.runs set ${renewed}, head = coalesce($7, head),
        entry = case when $7::text is null then entry else $8::text end where id = $5 and holder = $6::uuid returning id`
      const text = `with held as (${held}), stored as (${storeTrials(schema, 'select id from held')})
        select id from held`
      const values = [...trialColumns(trials), run, token, head?.head ?? null, head?.entry ?? null]
      return (await rows(text, values)).length === 1
    },
    async release() {
      clearInterval(timer)
      await rows(
        `update ${schema}.runs set holder = null, holder_process = null, held_until = null where id = $1 and holder = $2`,
        [run, token],
      )
    },
  }
}

/**
 * The documents of one kind. A change reads, asks, and writes only where the document is still the same; else it begins again.
 * No connection waits while the change is made, so a small pool cannot deadlock.
 */
function documentRows({ schema, rows }: Database, kind: 'sessions' | 'sweeps' | RunLinesKind): Documents<string> {
  async function read(experimentName: string, name: string): Promise<string | undefined> {
    const [found] = await rows<{ readonly body: string }>(
      `select body from ${schema}.documents where kind = $1 and experiment = $2 and name = $3`,
      [kind, experimentName, name],
    )
    return found?.body
  }

  /** Whether the document was `current` and is `next` now. */
  async function replaced(place: readonly string[], current: string | undefined, next: string): Promise<boolean> {
    const text =
      current === undefined
        ? `insert into ${schema}.documents (kind, experiment, name, body) values ($1, $2, $3, $4)
            on conflict do nothing returning name`
        : `update ${schema}.documents set body = $4 where kind = $1 and experiment = $2 and name = $3 and body = $5 returning name`
    return (await rows(text, [...place, next, ...(current === undefined ? [] : [current])])).length === 1
  }

  return {
    read,
    async change(experimentName, name, change) {
      for (;;) {
        const current = await read(experimentName, name)
        const next = await change(current)
        if (await replaced([kind, experimentName, name], current, next)) return next
      }
    },
    async remove(experimentName, name) {
      const text = `delete from ${schema}.documents where kind = $1 and experiment = $2 and name = $3 returning name`
      return (await rows(text, [kind, experimentName, name])).length === 1
    },
    async all(experimentName) {
      const found = await rows<{ readonly body: string }>(
        `select body from ${schema}.documents where kind = $1 and experiment = $2`,
        [kind, experimentName],
      )
      return found.map(({ body }) => body)
    },
  }
}

export function postgresBackend(database: Database, leaseMs: number): StoreBackend {
  const { schema, rows, transaction } = database
  const until = `now() + make_interval(secs => ${leaseMs / 1_000})`
  const holdOf = (id: string, token: string): RunHold => runHold(database, id, token, leaseMs)

  return {
    ...readRuns(database),
    documents: (kind) => documentRows(database, kind),
    async add({ id, experimentName, head, entry }) {
      const token = randomUUID()
      // When the answer to the first attempt was lost, the second finds its own token.
      const added = await rows(
        `insert into ${schema}.runs as known (id, experiment, head, entry, holder, holder_process, held_until)
          values ($1, $2, $3, $4, $5::uuid, $6, ${until})
          on conflict (id) do update set holder = excluded.holder where known.holder = excluded.holder returning id`,
        [id, experimentName, head, entry, token, JSON.stringify(ownProcess())],
      )
      return added.length === 1 ? holdOf(id, token) : { refused: 'exists' }
    },
    async hold(id) {
      const token = randomUUID()
      const refusal = await transaction('read committed', async (ask) => {
        const found = await lockedRow(ask, schema, id)
        if (found === undefined) return { refused: 'unknown' } as const
        // When the answer to the first attempt was lost, the second finds its own token.
        if (found.holder !== token && isHeld(found)) return locked(found)
        const values = [id, token, JSON.stringify(ownProcess())]
        await ask(
          `update ${schema}.runs set holder = $2, holder_process = $3, held_until = ${until} where id = $1`,
          values,
        )
        return undefined
      })
      return refusal ?? holdOf(id, token)
    },
    ...wholeRuns(database),
    close: database.close,
  }
}

/** For runs without a writer. */
function wholeRuns({ schema, rows, transaction }: Database): Pick<StoreBackend, 'replace' | 'remove' | 'exclude'> {
  return {
    replace: (run) =>
      transaction('read committed', async (ask) => {
        const found = await lockedRow(ask, schema, run.id)
        if (found !== undefined && isHeld(found)) return locked(found)
        if (found !== undefined && found.experiment !== run.experimentName) return { refused: 'exists' }
        await replaceRun(ask, schema, run)
        return undefined
      }),
    remove: (id) =>
      transaction('read committed', async (ask) => {
        const found = await lockedRow(ask, schema, id)
        if (found === undefined) return { refused: 'unknown' }
        if (isHeld(found)) return locked(found)
        await ask(`delete from ${schema}.runs where id = $1`, [id])
        await ask(`delete from ${schema}.documents where kind <> all ('{sessions,sweeps}') and name = $1`, [id])
        return undefined
      }),
    async exclude(id, reason) {
      return (
        (await rows(`update ${schema}.runs set excluded = $2 where id = $1 returning id`, [id, reason])).length === 1
      )
    },
  }
}

/** The holder of a run, which no one else changes until the transaction ends. */
async function lockedRow(ask: Rows, schema: string, id: string) {
  const text = `select experiment, ${holderColumns} from ${schema}.runs where id = $1 for update`
  const [found] = await ask<HolderColumns & { readonly experiment: string }>(text, [id])
  return found
}

/** The number of trials in one statement. */
const chunk = 500

async function replaceRun(ask: Rows, schema: string, { id, experimentName, head, entry, trials }: WholeRun) {
  await ask(
    `insert into ${schema}.runs (id, experiment, head, entry) values ($1, $2, $3, $4)
      on conflict (id) do update set head = excluded.head, entry = excluded.entry,
        holder = null, holder_process = null, held_until = null`,
    [id, experimentName, head, entry],
  )
  await ask(`delete from ${schema}.trials where run = $1`, [id])
  for (const some of chunks(trials))
    await ask(storeTrials(schema, 'select $5::text as id'), [...trialColumns(some), id])
}

function* chunks(trials: readonly TrialRow[]): Generator<readonly TrialRow[], void> {
  for (let at = 0; at < trials.length; at += chunk) yield trials.slice(at, at + chunk)
}
