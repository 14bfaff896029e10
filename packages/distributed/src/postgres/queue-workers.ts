import type { TrialName } from '@jurist/experiment/internal/results'
import type { SeenWorker, TrialQueue, WorkerReport } from '@jurist/experiment/store-kit'
import type { QueueParts } from './queue-run.js'

interface WorkerRow {
  readonly report: string
  readonly silent_ms: number
  readonly trials: readonly { readonly run: string; readonly name: string; readonly heldMs: number }[] | null
}

/** The functions of a queue that concern workers, and the buckets that they share. */
export function queueWorkers({
  database: { schema, rows },
  heartbeatMs,
}: QueueParts): Pick<TrialQueue, 'report' | 'workers' | 'leave' | 'limiter'> {
  const seconds = (heartbeatMs * 3) / 1_000
  return {
    async report(worker) {
      await rows(
        `insert into ${schema}.queue_workers as known (id, report) values ($1, $2)
          on conflict (id) do update set report = excluded.report, seen_at = now()`,
        [worker.id, JSON.stringify(worker)],
      )
    },
    async workers() {
      const found = await rows<WorkerRow>(
        `select report, extract(epoch from now() - seen_at)::float8 * 1000 as silent_ms, trials
          from ${schema}.queue_workers known left join lateral (
            select jsonb_agg(jsonb_build_object('run', run, 'name', name,
              'heldMs', extract(epoch from now() - leased_at)::float8 * 1000) order by leased_at) as trials
            from ${schema}.queue_trials where worker = known.id and state = 'leased') held on true
          where seen_at > now() - make_interval(secs => $1) or trials is not null order by id`,
        [seconds],
      )
      return found.map(seenWorker)
    },
    async leave(worker) {
      // Those that ended without leaving are forgotten here.
      await rows(`delete from ${schema}.queue_workers where id = $1 or seen_at < now() - interval '1 day'`, [worker])
    },
    limiter: (bucket, { perMinute, burst = Math.max(1, perMinute / 60) }) =>
      async function take(permits) {
        // More than fit are taken when the bucket is full, and owed.
        const wanted = Math.min(permits, burst)
        const level =
          'least($4::float8, known.permits + $3::float8 / 60 * greatest(0, extract(epoch from now() - known.filled_at)))'
        const taken = await rows(
          `insert into ${schema}.queue_buckets as known (name, permits, filled_at) values ($1, $4::float8 - $2::float8, now())
          on conflict (name) do update set permits = ${level} - $2::float8, filled_at = greatest(now(), known.filled_at)
          where ${level} >= $5::float8 returning name`,
          [bucket, permits, perMinute, burst, wanted],
        )
        if (taken.length > 0) return 0
        const [short] = await rows<{ readonly missing: number }>(
          `select $2::float8 - ${level} as missing from ${schema}.queue_buckets as known where name = $1`,
          [bucket, wanted, perMinute, burst],
        )
        return Math.max(1, Math.ceil(((short?.missing ?? 0) * 60_000) / perMinute))
      },
  }
}

function seenWorker({ report, silent_ms: silentMs, trials }: WorkerRow): SeenWorker {
  const held = (trials ?? []).map(({ run, name, heldMs }) => ({ ...(JSON.parse(name) as TrialName), run, heldMs }))
  return { ...(JSON.parse(report) as WorkerReport), silentMs, trials: held }
}
