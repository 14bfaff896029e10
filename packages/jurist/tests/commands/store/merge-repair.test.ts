import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fileStore } from '@jurist/experiment/store'
import { describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'
import { onPostgres } from '../../project-results.js'

const repair = fileURLToPath(new URL('../../../../../examples/repair', import.meta.url))
const indices = [1, 2, 3]
/** Two trials for each shard, so that one can be killed after its first. */
const trialsOfRun = 6
const argvOf = (results: string) => [
  ...['--cwd', repair, '--results', results, 'run', '--variant', 'reference'],
  ...['--sample', `${trialsOfRun}`, '--seed', '1'],
]

/** Kills a shard after its first trial, and continues it. Returns the states of the run before and after. */
async function killedAndResumed(at: Project, index: number): Promise<readonly unknown[]> {
  const directory = join(at.directory, `shards/${index}`)
  const argv = [...argvOf(directory), '--shard', `${index}/3`, '--session', 'build', '-j', '1']
  const { child, ended } = at.start(...argv)
  const store = fileStore(directory)
  const stored = async () => {
    if (!existsSync(directory)) return []
    for await (const { id } of store.list()) return (await store.load(id))?.items ?? []
    return []
  }
  while ((await stored()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  child.kill('SIGKILL')
  await ended
  const states = async () => {
    for await (const { status } of store.list()) return status
    return undefined
  }
  const before = await states()
  await at.jurist(...argv, '--resume')
  const after = await states()
  await store[Symbol.asyncDispose]()
  return [before, after]
}

/** What must be equal: all but ids, times and places. */
function comparable(path: string): readonly unknown[] {
  const other = /^(startedAt|endedAt|\w*Ms|workspacePath|beforePath|referencePath|metadata|sessionId)$/
  const timed = (key: string, value: unknown) => (other.test(key) ? undefined : value)
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(JSON.stringify(JSON.parse(line), timed)))
    .sort((one, other) => (one.itemId < other.itemId ? -1 : 1))
}

describe.skipIf(onPostgres)(
  'three shards of six items of examples/repair (skipped on PostgreSQL: merge writes into a directory)',
  () => {
    test('make the same run as one, two of them killed and resumed, from directories and from bundles', async () => {
      using at = project()
      const place = (name: string) => join(at.directory, name)
      const whole = at.jurist(...argvOf(place('whole')))
      const killed = [await killedAndResumed(at, 2), await killedAndResumed(at, 3)]
      expect(killed).toEqual([
        ['interrupted', 'completed'],
        ['interrupted', 'completed'],
      ])
      await at.jurist(...argvOf(place('shards/1')), '--shard', '1/3', '--session', 'build')
      await whole

      const merge = async (into: string, places: readonly string[]) => {
        const { code, stdout, stderr } = await at.jurist(
          'store',
          'merge',
          ...places,
          '--into',
          into,
          '--fail-on',
          'never',
          '--json',
        )
        expect([code, stderr]).toEqual([0, stderr])
        return join(at.directory, into, 'repair', JSON.parse(stdout).results[0].id, 'items.jsonl')
      }
      const merged = await merge(
        'merged',
        indices.map((index) => `shards/${index}`),
      )
      for (const index of indices)
        await at.jurist(
          'store',
          'bundle',
          'latest',
          '--results',
          `shards/${index}`,
          '-o',
          `shard-${index}.tgz`,
          '--workspaces',
        )
      const bundled = await merge(
        'bundled',
        [...indices].reverse().map((index) => `shard-${index}.tgz`),
      )

      const one = fileStore(place('whole'))
      let id = ''
      for await (const entry of one.list()) id = entry.id
      await one[Symbol.asyncDispose]()
      const trials = comparable(merged)
      expect(trials).toHaveLength(trialsOfRun)
      expect(trials).toEqual(comparable(join(place('whole'), 'repair', id, 'items.jsonl')))
      expect(comparable(bundled)).toEqual(trials)
    })
  },
)
