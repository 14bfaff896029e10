import pg from 'pg'

/** Moves what the queue has noted of a run into the past, as if nothing had happened in that time. */
export async function makeOlder(address: string, run: string, ms: number): Promise<void> {
  const older = (column: string) => `${column} = ${column} - make_interval(secs => ${ms / 1_000})`
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  try {
    await client.query(`update jurist.queue_runs set ${older('planned_at')} where run = $1`, [run])
    await client.query(
      `update jurist_jobs.job set ${older('heartbeat_on')} where id in (select job from jurist.queue_trials where run = $1)`,
      [run],
    )
    await client.query(`update jurist.queue_trials set ${older('leased_at')}, ${older('held_until')} where run = $1`, [
      run,
    ])
  } finally {
    await client.end()
  }
}
