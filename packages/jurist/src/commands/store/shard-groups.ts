import type { StoredShard } from '@jurist/distributed/internal'
import type { RunOverview } from '@jurist/experiment/internal/results'
import { usageInvalid } from '@jurist/experiment/plugin'
import { groupBy } from '@jurist/kit/group-by'
import { safeLine } from '@jurist/kit/terminal'

/** The shards of one run, which has one experiment, variant and session. */
export type ShardGroup = readonly RunOverview[]

/** Groups shards by experiment, variant and session. */
export function shardGroups(shards: readonly StoredShard[]): readonly ShardGroup[] {
  const runs = shards.map(({ run }) => run)
  return by(runs, ({ experimentName, variant, session }) => [experimentName, variant, session])
}

function by(runs: readonly RunOverview[], keyOf: (run: RunOverview) => unknown): readonly ShardGroup[] {
  const groups = groupBy(runs, (run) => JSON.stringify(keyOf(run)))
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, members]) => members)
}

/**
 * Shards of several sessions belong to several runs. If one of these runs is incomplete, the name of a session is
 * probably wrong.
 *
 * @throws `usage-invalid` with the shards of each session
 */
export function refuseMixedSessions(groups: readonly ShardGroup[]): void {
  const ofVariants = by(groups.flat(), ({ experimentName, variant }) => [experimentName, variant])
  const lines = ofVariants.flatMap((runs) => {
    const sessions = by(runs, ({ session }) => session)
    return sessions.length > 1 && !sessions.every(isWhole) ? sessions.map(lineOf) : []
  })
  if (lines.length === 0) return
  throw usageInvalid(
    'place',
    `The shards are of several sessions, so they do not make one run:\n${lines.join('\n')}\nName the shards of one session, or all shards of each: run --session NAME gives shards one session. To merge what is there: --allow-missing`,
  )
}

function isWhole(runs: ShardGroup): boolean {
  return indexesOf(runs).length === runs[0]?.shard?.count
}

function indexesOf(runs: ShardGroup): readonly number[] {
  return [...new Set(runs.flatMap(({ shard }) => shard?.index ?? []))].sort((a, b) => a - b)
}

function lineOf(runs: ShardGroup): string {
  const [{ experimentName, variant, session, shard } = {}] = runs as readonly Partial<RunOverview>[]
  const name = [experimentName, variant].filter((word) => typeof word === 'string').join(' ')
  const shards = indexesOf(runs).map((index) => `${index}/${shard?.count}`)
  return `  ${safeLine(`${name}, session ${session}: shard ${shards.join(', ')}`)}`
}
