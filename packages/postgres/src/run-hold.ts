import type { RunHold } from '@jurist/experiment/store-kit'
import type { Database } from './database.js'
import { storeTrials, trialColumns } from './run-rows.js'

/**
 * A run that this process holds: every statement asks for the token, so that a writer that was taken over stores nothing. The
 * hold is renewed three times within its time; only the clock of the database counts.
 */
export function runHold({ schema, rows }: Database, run: string, token: string, leaseMs: number): RunHold {
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
