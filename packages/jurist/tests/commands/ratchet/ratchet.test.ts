import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { begin, night } from './night.js'

describe.concurrent('jurist ratchet', () => {
  test('keeps only what holds on items that the agent never saw, and reports the gain on others', async () => {
    using made = night()
    const { jurist, tries, git } = made
    const begun = await jurist(...begin)
    expect([begun.code, begun.stdout]).toEqual([
      0,
      expect.stringContaining('96 items: 24 visible, 48 hidden, 24 in reserve (secret split). At most 5 looks'),
    ])
    expect(begun.stdout).toMatch(
      /A look accepts \+20 points in \d+ %, \+10 in \d+ %, \+5 in \d+ %; after one acceptance/,
    )
    expect(begun.stderr).toContain('Not sandboxed')
    expect(statSync(made.state).mode & 0o777).toBe(0o700)
    const start = git('rev-parse', 'HEAD')
    const reference = () => git('rev-parse', 'refs/jurist/ratchet/demo')
    expect(reference()).toBe(start)

    const nothing = await tries('do a\nand nothing else\n')
    expect([nothing.code, JSON.parse(nothing.stdout)]).toEqual([
      1,
      {
        answer: 'not-asked',
        looksLeft: 5,
        ignored: [],
        visible: { passed: expect.any(Number), better: 0, worse: 0, run: expect.any(String) },
      },
    ])
    // What the visible items show is memorised: it does not hold on others.
    const { visible, hidden, reserve } = made.plan().parts
    const learnt = await tries(`do a\n${visible.map((id) => `only ${id.split('-')[1]};`).join(' ')}\n`)
    expect([learnt.code, JSON.parse(learnt.stdout)]).toMatchObject([
      1,
      { answer: 'not-accepted', looksLeft: 4, visible: { passed: 24 } },
    ])
    const better = await tries('do a do b do c do d do e\n')
    expect([better.code, JSON.parse(better.stdout)]).toMatchObject([0, { answer: 'accepted', looksLeft: 3 }])
    const again = await tries('do a do b do c do d do e\n')
    expect([again.code, JSON.parse(again.stdout)]).toMatchObject([
      0,
      { answer: 'accepted', looksLeft: 3, visible: null },
    ])
    const commit = reference()
    expect(git('show', `${commit}:prompts/system.md`)).toBe('do a do b do c do d do e')
    expect(git('rev-list', commit)).toBe(`${commit}\n${start}`)
    expect(git('diff', '--name-only', start, commit)).toBe('prompts/system.md')

    const said = [nothing, learnt, better, again].map(({ stdout, stderr }) => stdout + stderr).join('\n')
    for (const id of [...hidden.flat(), ...reserve]) expect(said).not.toContain(`${id}"`)
    const everything = await made.made.results.everything()
    for (const id of [...hidden.flat(), ...reserve]) expect(everything).not.toContain(`"${id}"`)
    const listed = JSON.parse((await jurist('list', '--json')).stdout)
    expect(listed).toHaveLength(4)

    const report = await jurist('ratchet', 'report')
    expect([report.code, report.stdout]).toEqual([
      0,
      expect.stringContaining(
        `3 tries: 1 stopped at the visible items, 2 looks, 1 accepted (try 3: ${commit.slice(0, 7)}).`,
      ),
    ])
    expect(report.stdout).toMatch(
      /Gain on 24 items that decided nothing: \+\d+\.\d points, 95 % interval, reports counted \(97.5 %\), \+\d+\.\d to/,
    )
    expect(report.stdout).toContain('which is too high by design')
    expect(report.stdout).toContain('Not sandboxed')
    // The same version is read from the store, and is the same report.
    const runs = () => readdirSync(join(made.state, 'store', 'demo')).length
    const before = runs()
    const second = await jurist('ratchet', 'report', '--json')
    expect([JSON.parse(second.stdout).gain.level, runs()]).toEqual([0.975, before])
    const kinds = made.log().map(({ kind }) => kind)
    expect(kinds).toEqual(['init', 'rehearsal', 'rehearsal', 'look', 'answer', 'rehearsal', 'look', 'answer', 'report'])
  })

  test('a try cannot begin without a ratchet, after the last look, and where something was changed: exit code 3', async () => {
    using made = night()
    const { jurist, tries } = made
    const none = await jurist('ratchet', 'try')
    expect([none.code, none.stderr]).toEqual([
      3,
      expect.stringContaining('No ratchet exists. Begin one: jurist ratchet init NAME'),
    ])
    expect((await jurist(...begin.map((word) => (word === '5' ? '1' : word)))).code).toBe(0)
    expect(
      (
        await tries(
          `do a only ${
            made
              .plan()
              .parts.visible.find((id) => Number(id.split('-')[1]) % 8 !== 0)
              ?.split('-')[1]
          };\n`,
        )
      ).code,
    ).toBe(1)
    const report = await jurist('ratchet', 'report')
    expect([report.code, report.stdout]).toEqual([1, expect.stringContaining('Nothing was kept')])
    const over = await tries('do a do c\n')
    expect([over.code, JSON.parse(over.stdout).error.message]).toEqual([
      3,
      'All 1 looks of the ratchet "demo" are used. It tells nothing more.',
    ])
  })

  test('every problem of a plan is named in one message, and nothing is written', async () => {
    using made = night({ 'judges/own.mjs': 'export {}\n' })
    const { jurist, home } = made
    const { code, stderr } = await jurist(
      ...['ratchet', 'init', 'bad name', '--editable', 'jurist.config.mjs', '--editable', '../x', '--hidden', '5'],
      ...[
        '--reserve',
        '95',
        '--looks',
        '0',
        '--alpha',
        '30%',
        '--state',
        '.ratchets',
        '--variant',
        'x',
        '--look-time',
        '5ms',
      ],
    )
    expect(code).toBe(2)
    for (const problem of [
      'The name "bad name" must be',
      '--editable jurist.config.mjs holds jurist.config.mjs, which judges',
      '--editable ../x must be inside the project',
      'The hidden part would have 5 items',
      '--looks must be from 1 to 1000 (got 0)',
      '--alpha must be above 0 and at most 0.2 (got 0.3)',
      'is inside the project, where the agent can change it',
      'demo has no variants. Remove --variant.',
      '--look-time must be 0, or from 1s to 24h.',
    ])
      expect(stderr).toContain(problem)
    expect(readdirSync(home)).toEqual([])
    const small = await jurist('ratchet', 'init', 'demo', '--hidden', '10', '--looks', '1000')
    expect([small.code, small.stderr]).toEqual([2, expect.stringContaining('--editable is missing')])
    const few = await jurist('ratchet', 'init', 'demo', '--hidden', '10', '--looks', '1000', '--editable', 'prompts')
    expect([few.code, few.stderr]).toEqual([
      2,
      expect.stringContaining('nothing could be accepted, even if all of them'),
    ])
    made.git('rm', '--cached', '--quiet', 'jurist.config.mjs')
    made.git('commit', '--quiet', '-m', 'config ignored')
    const loose = await jurist(...begin)
    expect([loose.code, loose.stderr]).toEqual([2, expect.stringContaining('jurist.config.mjs is in no commit')])
    expect(readdirSync(home)).toEqual([])
  })
})
