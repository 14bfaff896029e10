import type { Pool } from 'pg'

/** Moves what the queue has noted of a run, or of one lease, into the past, as if nothing had happened in that time. */
export async function makeOlder(
  pool: Pick<Pool, 'query'>,
  which: { readonly run: string } | { readonly lease: string },
  ms: number,
): Promise<void> {
  const older = (column: string) => `${column} = ${column} - make_interval(secs => ${ms / 1_000})`
  const [column, value] = 'run' in which ? ['run', which.run] : ['lease', which.lease]
  const trials = `from jurist.queue_trials where ${column} = $1`
  if ('run' in which) await pool.query(`update jurist.queue_runs set ${older('planned_at')} where run = $1`, [value])
  await pool.query(`update jurist_jobs.job set ${older('heartbeat_on')} where id in (select job ${trials})`, [value])
  // pg-boss looks once a second.
  await pool.query(
    `update jurist_jobs.queue set ${older('monitor_on')} where name in
      (select queue from jurist.queue_runs where run in (select run ${trials}))`,
    [value],
  )
  await pool.query(
    `update jurist.queue_trials set ${older('leased_at')}, ${older('held_until')} where ${column} = $1 and state = 'leased'`,
    [value],
  )
}
