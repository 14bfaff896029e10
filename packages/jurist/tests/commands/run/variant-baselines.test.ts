import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'

/** Two variants over three items, of which the second variant fails two. */
const config = `import { outputText } from 'jurist'
const dataset = ['a', 'b', 'c'].map((id) => ({ id, task: id }))
const fixes = {
  dataset,
  jury: outputText({ contains: 'yes' }),
  agent: async () => 'yes',
  variants: { v1: {}, v2: { agent: async ({ prompt }) => (prompt === 'a' ? 'yes' : 'no') } },
}
const baseline = process.env.BASELINE
export default { experiments: { fixes: baseline === undefined ? fixes : { ...fixes, baseline } } }
`

describe('baselines of variants', () => {
  let made: Project
  beforeAll(() => {
    made = project({ 'jurist.config.mjs': config })
  })
  afterAll(() => made[Symbol.dispose]())
  const latest = () => made.juristWith({ BASELINE: 'latest' }, 'run', '--session', `s${++sessions}`)
  let sessions = 0

  test('the first session has nothing to be compared with, and the next is compared with it variant by variant', async () => {
    const first = await latest()
    expect(first.code).toBe(0)
    expect(
      first.stderr.match(/^notice: v\d is the first of this variant in \S+: there is no earlier run/gm),
    ).toHaveLength(2)
    expect(first.stdout).toMatch(/v2 less v1 +-66\.7 points +0\.500 +0\.500 +3\n/)
    const next = await latest()
    expect(next.code).toBe(0)
    expect(next.stderr).not.toContain('notice: v')
    expect(next.stdout.match(/^fixes @ (v\d) .* compared with fixes @ \1 /gm)).toHaveLength(2)
  })

  test('one variant of a session is compared with another, in a flag as in the config', async () => {
    const weak = await made.jurist('run', '--baseline', 'variant:v1')
    expect(weak.code).toBe(0)
    expect(weak.stderr).toContain(
      'warning: v2: 3 items can be compared, and this gate cannot fail with fewer than 6 items; use --fail-on regression or --threshold\n',
    )
    expect(weak.stdout.match(/ compared with /g)).toHaveLength(1)
    const named = await made.juristWith({ BASELINE: 'variant:v1' }, 'run', '--fail-on', 'regression')
    expect([named.code, named.stderr]).toEqual([1, expect.stringContaining('2 items regressed (--fail-on regression)')])
    const alone = await made.juristWith({ BASELINE: 'variant:v1' }, 'run', '--variant', 'v2')
    expect([alone.code, alone.stderr]).toEqual([1, expect.stringContaining('its session has no run of the variant v1')])
  })

  test('variants of the newest session are runs by their names', async () => {
    await latest()
    const { stdout } = await made.jurist('compare', 'v1', 'v2')
    expect(stdout).toMatch(/^fixes @ v2 .* compared with fixes @ v1 /)
    expect((await made.jurist('show', 'latest@v1')).stdout).toMatch(/^fixes {2}v1 {3}run /)
    const refused = await made.jurist('compare', 'v1', 'v2', '--fail-on', 'regression')
    expect(refused.code).toBe(1)
  })

  test('the run before another one is that of the same variant', async () => {
    await latest()
    await latest()
    const { stdout } = await made.jurist('list', '--json')
    const runs = JSON.parse(stdout).map(({ id, variant }: { id: string; variant: string }) => [id, variant])
    const [newest, older] = runs.filter(([, variant]: readonly string[]) => variant === 'v1')
    const compared = await made.jurist('compare', 'latest@v1~1', 'fixes@v1')
    expect(compared.stdout).toMatch(
      new RegExp(`^fixes @ v1 \\(${newest[0]}\\) compared with fixes @ v1\\s+\\(${older[0]}\\)`),
    )
    const { code, stderr } = await made.jurist('show', 'latest@v1~999')
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^No run is 999 before .* is one of \d+ runs of "fixes@v1"/),
    ])
  })

  test.each([
    [['run', '--baseline', 'v1'], 'Did you mean "variant:v1", as this session has it, or "fixes@v1", its newest run?'],
    [['run', '--baseline', 'variant:v3'], 'fixes has no variant "v3".'],
    [
      ['run', '--baseline', 'variant:v1', '--variant', 'v2'],
      'This session does not run the variant v1. Add --variant v1',
    ],
    [['show', 'latest@v4'], 'No run of "fixes" has the variant "v4".'],
    [['compare', 'v1', 'v5'], 'No run "v5" in '],
  ])('%j is refused with what to do', async (argv, message) => {
    const { code, stderr } = await made.jurist(...argv)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  })

  test('a variant that only an older session has is named in full', async () => {
    await made.jurist('run', '--variant', 'v2')
    const { stderr } = await made.jurist('show', 'v1')
    expect(stderr).toMatch(/^No run "v1" in \S+\. Did you mean "fixes@v1"\?/)
    const wrong = await made.juristWith({ BASELINE: 'variant:v9' }, 'run')
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('names "v9", which is not a variant')])
  })
})
