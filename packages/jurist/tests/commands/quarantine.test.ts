import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../project.js'

const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)

/** Items whose answer is their task; `bad` ones fail, and half of `flaky` do. */
const config = `
import { fail, jury, outputText, pass } from 'jurist'
const agent = async ({ prompt }) => ({ status: 'completed', output: prompt })
const right = outputText({ equals: 'right' })
const polite = () => fail('never polite')
export default {
  thresholds: { passRate: 0.95 },
  experiments: {
    answers: { dataset: 'set/answers.jsonl', agent, jury: right },
    kept: { dataset: 'set/kept.jsonl', agent, jury: right },
    manners: { dataset: 'set/manners.jsonl', agent, jury: jury({ judges: { right, polite } }) },
    broken: { dataset: 'set/broken.jsonl', agent, jury: right },
    open: { dataset: 'set/open.jsonl', agent, jury: right },
  },
}
`
const rows = (entries: readonly (readonly [id: string, task: string])[]) =>
  entries.map(([id, task]) => `${JSON.stringify({ id, task })}\n`).join('')
const good = Array.from({ length: 20 }, (_, index) => [`q${index}`, 'right'] as const)
const bad = [
  ['bad-1', 'wrong'],
  ['bad-2', 'wrong'],
] as const
const entry = (item: string, more = `since: ${day(-3)}, until: ${day(10)}`) =>
  `- { item: ${item}, owner: ana, reason: "clock of CI", ${more} }\n`

const files = {
  'jurist.config.mjs': config,
  'set/answers.jsonl': rows([...good, ...bad]),
  'set/answers.quarantine.yaml': `${entry('bad-1')}${entry('bad-2')}`,
  'set/kept.jsonl': rows(good),
  'set/manners.jsonl': rows(good.slice(0, 10)),
  'set/open.jsonl': rows([['one', 'right']]),
  'set/broken.jsonl': rows(good),
}

let made: Project
beforeAll(() => {
  made = project(files)
})
afterAll(() => made[Symbol.dispose]())

const run = async (...argv: readonly string[]) => {
  const { code, stdout, stderr } = await made.jurist('run', ...argv, '--json')
  return { code, stderr, result: JSON.parse(stdout || 'null')?.results?.[0] }
}

describe('quarantine', () => {
  test('items run and are shown, and count in no threshold, no figure and no comparison', async () => {
    const [apart, without] = [await run('answers'), await run('kept')]
    expect([apart.code, without.code]).toEqual([0, 0])
    for (const figure of ['counts', 'passRate', 'passRateOfAll', 'passRateInterval', 'passAtK', 'flakyItems', 'scores'])
      expect(apart.result[figure]).toEqual(without.result[figure])
    expect(apart.result.quarantined).toEqual({ items: 2, trials: 2, passes: 0, decided: 2, passRateWithThem: 20 / 22 })
    expect(apart.result.items).toHaveLength(22)
    expect(without.result.quarantined).toBeNull()
    const shown = await made.jurist('show', apart.result.id, '--all')
    expect(shown.stdout).toMatch(/20 of 20 decided/)
    expect(shown.stdout).toMatch(/Quarantine 2 trials, in no rate: 90\.9 % with them/)
    expect(shown.stdout).toMatch(/bad-1.* quarantine/)
    // With them the threshold is missed.
    expect((await run('answers', '--no-quarantine')).code).toBe(1)
    const compared = await made.jurist(
      'compare',
      apart.result.id,
      without.result.id,
      '--ignore-conditions',
      '--format',
      'json',
    )
    const comparison = JSON.parse(compared.stdout)
    expect(comparison.quarantined).toEqual(['bad-1', 'bad-2'])
    expect([comparison.items.length, comparison.conclusion]).toEqual([20, 'no-difference-detected'])
    const junit = await made.jurist('export', apart.result.id, '--format', 'junit')
    expect(junit.stdout).toMatch(/<testsuites [^>]*failures="0"/)
    expect(junit.stdout).toContain('PROPERTY|quarantine=until')
  })

  test('one judge of an item is heard and does not count', async () => {
    made.write({
      'set/manners.quarantine.yaml': good
        .slice(0, 1)
        .map(([id]) => entry(id, `judge: polite, since: ${day(0)}, until: ${day(1)}`))
        .join(''),
    })
    const { code, result } = await run('manners')
    expect(code).toBe(1)
    const [first, second] = result.items
    expect([first.passed, second.passed]).toEqual([true, false])
    const { status, reasoning, metadata } = first.verdict.individual.polite
    expect([status, metadata.quarantined]).toEqual(['abstain', 'fail'])
    expect(reasoning).toMatch(/in quarantine until .*: fail, never polite/)
    made.write({ 'set/manners.quarantine.yaml': entry('q0', `judge: politeness, until: ${day(1)}`) })
    const refused = await made.jurist('validate', 'manners')
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('has no judge "politeness"')])
    expect(refused.stdout).toContain('polite')
  })

  test('an entry that is over refuses a run with a gate, and warns in one without', async () => {
    made.write({ 'set/open.quarantine.yaml': entry('one', `since: ${day(-20)}, until: ${day(-1)}`) })
    const gated = await made.jurist('run', 'open')
    expect(gated.code).toBe(2)
    expect(gated.stderr).toMatch(/one has been in quarantine since .*Fix it, delete it, or give it a new date\./s)
    expect((await made.jurist('validate', 'open')).code).toBe(1)
    made.write({ 'jurist.config.mjs': config.replace('thresholds: { passRate: 0.95 },', '') })
    const free = await made.jurist('run', 'open')
    made.write({ 'jurist.config.mjs': config })
    expect(free.code).toBe(0)
    expect(free.stderr).toContain('has been in quarantine since')
    expect(free.stdout).toMatch(/1 of 1 decided/)
  })

  test('more than a tenth of the active items refuses a gate', async () => {
    made.write({
      'set/open.jsonl': rows(good),
      'set/open.quarantine.yaml': ['q0', 'q1', 'q2'].map((id) => entry(id)).join(''),
    })
    const { code, stderr } = await made.jurist('run', 'open')
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('3 of 20 active items are in quarantine, and at most 2 may be'),
    ])
  })

  test('one error names everything that is wrong with the file', async () => {
    made.write({
      'set/broken.quarantine.yaml': [
        entry('q00'),
        entry('q1'),
        entry('q1'),
        `- { item: q2, reason: no owner, until: ${day(2)} }\n`,
        entry('q3', 'until: tomorrow'),
        entry('q4', `since: ${day(0)}, until: ${day(120)}`),
        entry('q5', `since: ${day(5)}, until: ${day(9)}`),
      ].join(''),
    })
    const { code, stderr } = await made.jurist('run', 'broken')
    expect(code).toBe(2)
    for (const said of [
      'line 1 item: "q00" is not an item.',
      'line 3 item: "q1" is there already, in entry 2.',
      'line 4 owner: is missing.',
      'line 5 until: must be a date such as 2026-12-20',
      'line 6 until:',
      'more than 90 days away',
      'is in the future',
    ])
      expect(stderr).toContain(said)
  })

  test('validate writes the first day, and list shows who repairs what and what can leave', async () => {
    made.write({
      'set/answers.quarantine.yaml': `# kept\n- { item: bad-1, owner: ana, reason: clock, until: ${day(9)} }\n${entry('q3')}`,
    })
    const first = await made.jurist('validate', 'answers')
    expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('bad-1 has no "since"')])
    const fixed = await made.jurist('validate', 'answers', '--fix-quarantine')
    expect([fixed.code, fixed.stderr]).toEqual([0, expect.stringContaining('wrote "since" of 1 entry')])
    expect((await made.jurist('validate', 'answers', '--strict')).code).toBe(0)
    await made.jurist('run', 'answers', '--repeat', '20', '--item', 'bad-1', '--item', 'q3')
    const { stdout } = await made.jurist('list', 'answers', '--quarantine')
    expect(stdout).toMatch(/bad-1 +ana +10 .*not flaky: 0 of 20/)
    expect(stdout).toMatch(/q3 +ana +11 .*can leave/)
    const document = JSON.parse((await made.jurist('list', 'answers', '--quarantine', '--json')).stdout)
    expect(document[0]).toMatchObject({ item: 'bad-1', owner: 'ana', daysLeft: 10, advice: 'not flaky: 0 of 20' })
  })
})
