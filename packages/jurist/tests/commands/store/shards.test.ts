import { describe, expect, test } from 'vitest'
import { type Project, project, yamlConfigOf } from '../../project.js'
import { testOnce } from '../../project-results.js'

const items = JSON.stringify(Array.from({ length: 7 }, (_, index) => ({ id: `item-${index + 1}`, task: 'Say yes.' })))
const config = yamlConfigOf({ dataset: items, rest: 'repetitions: 1' })

function sharded(): Project {
  return project({ 'jurist.config.yaml': `${config}thresholds: { passRate: 1 }\n` })
}

/** The trials that `--dry-run` says it would run. */
async function planned(place: Project, env: Readonly<Record<string, string>>, ...flags: readonly string[]) {
  const { code, stdout, stderr } = await place.juristWith(env, 'run', '--dry-run', '--json', '--shard', ...flags)
  if (code !== 0) return stderr
  const { plans } = JSON.parse(stdout)
  return plans[0].items.map(({ itemId }: { readonly itemId: string }) => itemId)
}

describe('jurist run --shard', () => {
  test('runs its part, applies no threshold, says so, and ends with 0', async () => {
    using place = sharded()
    const { code, stdout, stderr } = await place.jurist('run', '--shard', '2/3', '--json')
    expect(stderr).toContain('shard 2/3 ran 2 of 7 trials. Thresholds and baselines do not apply to it')
    expect(code).toBe(0)
    const { results, misses } = JSON.parse(stdout)
    expect(misses).toEqual([])
    expect(results[0]).toMatchObject({ planned: 7, passRate: 0, shard: { index: 2, count: 3, by: 'order', trials: 2 } })
    const whole = await place.jurist('run')
    expect(whole.code).toBe(1)
  })

  testOnce('counts what judges passed of its own trials', async () => {
    const jury = '{ judges: { yes: { type: output-text, contains: a }, no: { type: output-text, contains: b } } }'
    using place = project({
      'jurist.config.yaml': `experiments:
  demo:
    dataset: ${items}
    agent: { command: [echo, a] }
    jury: ${jury}
    variants: { one: {}, two: {} }
`,
    })
    const { stdout } = await place.jurist('run', '--shard', '2/3', '--session', 's')
    expect(stdout).toMatch(/\n {2}one .* 2\/2 +0\/2 /)
    expect((await place.jurist('show', 'latest')).stdout).toContain('By judge   yes 2/2   no 0/2')
  })

  testOnce('ends with 1 when a budget or --bail left trials of it', async () => {
    using place = sharded()
    const { code, stderr } = await place.jurist('run', '--shard', '1/2', '--bail', '-j', '1')
    expect(stderr).toContain('Missed: stopped early (bail): 3 trials were not run')
    expect(code).toBe(1)
    const resumed = await place.jurist('run', '--resume')
    expect(resumed.stderr).toContain('shard 1/2 ran 4 of 7 trials.')
    expect(resumed.code).toBe(0)
  })

  testOnce.each([
    ['JURIST_SHARD', { JURIST_SHARD: '2/3', CI_NODE_INDEX: '1', CI_NODE_TOTAL: '3' }],
    ['GitLab', { CI_NODE_INDEX: '2', CI_NODE_TOTAL: '3' }],
    ['Buildkite', { BUILDKITE_PARALLEL_JOB: '1', BUILDKITE_PARALLEL_JOB_COUNT: '3' }],
    ['CircleCI', { CIRCLE_NODE_INDEX: '1', CIRCLE_NODE_TOTAL: '3' }],
    ['SLURM', { SLURM_ARRAY_TASK_ID: '5', SLURM_ARRAY_TASK_MIN: '4', SLURM_ARRAY_TASK_COUNT: '3' }],
    [
      'SLURM with steps',
      {
        SLURM_ARRAY_TASK_ID: '2',
        SLURM_ARRAY_TASK_MIN: '0',
        SLURM_ARRAY_TASK_COUNT: '3',
        SLURM_ARRAY_TASK_STEP: '2',
      },
    ],
    ['an Indexed Job', { JOB_COMPLETION_INDEX: '1', JURIST_SHARDS: '3' }],
  ])('auto is the shard that %s names', async (_, env) => {
    using place = sharded()
    const wanted = await planned(place, {}, '2/3')
    expect(wanted).toHaveLength(2)
    expect(await planned(place, env, 'auto')).toEqual(wanted)
  })

  testOnce.each([
    [
      'no variable',
      {},
      /no variable contains the number of this shard\. Set JURIST_SHARD=3\/10, .*CI_NODE_INDEX and CI_NODE_TOTAL/,
    ],
    ['a wrong one', { JURIST_SHARD: '4/3' }, /JURIST_SHARD must be a shard such as 3\/10 \(got "4\/3"\)/],
    ['half of a pair', { CI_NODE_INDEX: '2' }, /CI_NODE_INDEX=2 CI_NODE_TOTAL= name no shard/],
    ['an index beyond the count', { CIRCLE_NODE_INDEX: '3', CIRCLE_NODE_TOTAL: '3' }, /name no shard/],
    [
      'a gap in an array',
      { SLURM_ARRAY_TASK_ID: '9', SLURM_ARRAY_TASK_MIN: '1', SLURM_ARRAY_TASK_COUNT: '2' },
      /SLURM_ARRAY_TASK_ID=9 SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_MIN=1/,
    ],
  ])('auto with %s is refused', async (_, env, message) => {
    using place = sharded()
    expect(await planned(place, env, 'auto')).toMatch(message)
  })

  testOnce.each([
    [['--shard', '0/3'], /--shard must be a shard such as 3\/10/],
    [['--shard', '4/3'], /--shard must be a shard such as 3\/10/],
    [['--shard', '3'], /--shard must be a shard such as 3\/10/],
    [['--durations', 'd.json'], /--durations needs --shard/],
    [['--shard', '1/2', '--durations', 'missing.json'], /missing\.json cannot be read/],
    [['--shard', '1/2', '--durations', 'text.json'], /text\.json is not JSON/],
    [['--shard', '1/2', '--durations', 'list.json'], /list\.json is not an object/],
    [['--shard', '1/2', '--durations', 'zero.json'], /zero\.json has no duration for "item-1"/],
    [['--shard', '1/2', '--watch'], /Use --watch or --shard, not both/],
    [['--shard', '1/2', '--resume', '--widen'], /Use --widen or --shard, not both/],
    [['--shard', '1/2', '--distributed'], /Use --distributed or --shard, not both/],
  ])('refuses %j', async (flags, message) => {
    using place = sharded()
    place.write({ 'text.json': 'no', 'list.json': '[]', 'zero.json': '{"item-1":0}' })
    const { code, stderr } = await place.jurist('run', ...flags)
    expect(stderr).toMatch(message)
    expect(code).toBe(2)
  })

  test('deals by the durations of a file', async () => {
    using place = sharded()
    place.write({ 'durations.json': JSON.stringify({ 'item-4': 60_000, 'item-1': 1_000 }) })
    const parts = await Promise.all(
      ['1/2', '2/2'].map((shard) => planned(place, {}, shard, '--durations', 'durations.json')),
    )
    expect(parts.flat().toSorted()).toEqual(Array.from({ length: 7 }, (_, index) => `item-${index + 1}`))
    expect(parts.find((part) => part.includes('item-4'))).toHaveLength(3)
  })

  test('of variants needs the name of the session that all shards share', async () => {
    using place = project({
      'jurist.config.yaml': yamlConfigOf({ dataset: items, rest: 'variants: { a: {}, b: { model: large } }' }),
    })
    const { code, stderr } = await place.jurist('run', '--shard', '1/2')
    expect(stderr).toContain('--shard of an experiment with variants needs --session')
    expect(code).toBe(2)
    const named = await place.jurist('run', '--shard', '1/2', '--session', 'build-7', '--json')
    expect(named.code).toBe(0)
    expect(JSON.parse(named.stdout).results).toMatchObject([{ session: 'build-7' }, { session: 'build-7' }])
  })
})
