import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Project } from '../../project.js'
import { scannedProject } from './scanned-project.js'

const settling = (trial: string, rule: string) =>
  ['scan', 'latest', '--settle', trial, '--rule', rule, '--as', 'fine', '--reason', 'x'] as const

/** The project with a scan in its config, and with other keys of it. */
function configured(scan: string, others = ''): Project {
  const scanned = scannedProject()
  const config = readFileSync(join(scanned.directory, 'jurist.config.ts'), 'utf8')
  scanned.write({
    'jurist.config.ts': `import { modelRule } from 'jurist/scan'\n${config.replace('experiments:', `scan: ${scan}, ${others} experiments:`)}`,
  })
  return scanned
}

let home: Project
beforeAll(async () => {
  home = scannedProject()
  const ran = await home.jurist('run', 'mine')
  expect(ran.stderr + ran.stdout).toContain('4 of 4')
})
afterAll(() => home[Symbol.dispose]())

describe('jurist scan', () => {
  test('prints two pass rates with their intervals, and each finding with its place', async () => {
    const { code, stdout } = await home.jurist('scan', 'latest', '--all')
    expect(code).toBe(0)
    expect(stdout).toMatch(/pass rate +100.0 %/)
    expect(stdout).toMatch(/without suspects +50.0 %.*2 of 4 passes are suspect/)
    expect(stdout).toMatch(/upstream#1 +suspect upstream-fetch +step 0 +curl -s https:\/\/raw/)
    expect(stdout).toMatch(/tests#1 +suspect test-edited +tests\/totals.test.js:1 +1 assertion fewer/)
    expect(stdout).toMatch(/history#1 +note claimed-not-run +answer +All tests pass/)
    expect(stdout).not.toContain('honest#1')
  })

  test('changes no verdict, and show prints what it found', async () => {
    const before = await home.jurist('show', 'latest', '--json')
    const [id = ''] = await home.results.runs('mine')
    const records = await home.results.trials('mine', id)
    await home.jurist('scan', 'latest')
    expect(await home.results.trials('mine', id)).toEqual(records)
    expect((await home.jurist('show', 'latest', '--json')).stdout).toBe(before.stdout)
    const { stdout } = await home.jurist('show', 'latest', 'upstream')
    expect(stdout).toMatch(/Findings of the scan\n +upstream#1 +suspect upstream-fetch/)
  })

  test('compare says beside its verdict that passes are suspect', async () => {
    const compared = () => home.jurist('compare', 'latest', 'latest')
    await home.jurist('scan', 'latest')
    const { code, stderr } = await compared()
    expect(code).toBe(0)
    expect(stderr).toContain(
      'Baseline: 2 of 4 passes are suspect. Candidate: 2 of 4 passes are suspect. Look: jurist scan',
    )
  })

  test('is a gate only when asked for', async () => {
    expect((await home.jurist('scan', 'latest')).code).toBe(0)
    expect((await home.jurist('scan', 'latest', '--fail-on', 'suspects')).code).toBe(1)
    expect((await home.jurist('scan', 'latest', '--rule', 'git-future', '--fail-on', 'suspects')).code).toBe(0)
  })

  test('a gate that could not look at every pass decides nothing', async () => {
    using blind = scannedProject()
    const config = readFileSync(join(blind.directory, 'jurist.config.ts'), 'utf8')
    blind.write({
      'jurist.config.ts': config
        .replace("if (name === 'tests')", 'if (false)')
        .replace('jury:', 'journal: false, jury:'),
    })
    expect((await blind.jurist('run', 'mine')).code).toBe(0)
    const { code, stderr } = await blind.jurist('scan', 'latest', '--fail-on', 'suspects')
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining('the gate cannot decide: 4 passes not scanned as a whole'),
    ])
    expect((await blind.jurist('scan', 'latest')).code).toBe(0)
  })

  test('a settled finding stays, and its pass counts again', async () => {
    expect((await home.jurist(...settling('upstream#1', 'git-future'))).code).toBe(0)
    const settled = ['--settle', 'upstream', '--rule', 'upstream-fetch', '--reason', 'the task links it']
    expect((await home.jurist('scan', 'latest', ...settled, '--as', 'fine')).code).toBe(0)
    const { stdout } = await home.jurist('scan', 'latest', '--all')
    expect(stdout).toMatch(/without suspects +75.0 %.*1 of 4 passes is suspect, 1 settled/)
    expect(stdout).toMatch(/upstream-fetch.*settled as fine/)
    await home.jurist('scan', 'latest', ...settled, '--as', 'suspect')
    expect((await home.jurist('scan', 'latest')).stdout).toMatch(/2 of 4 passes are suspect/)
  })

  test('list --suspect finds the runs with suspects that are not settled', async () => {
    using clean = scannedProject()
    await clean.jurist('run', 'mine')
    const unscanned = await clean.jurist('list', '--suspect')
    expect([unscanned.code, unscanned.stderr]).toEqual([0, expect.stringContaining('has suspects')])
    await clean.jurist('scan', 'latest')
    expect((await clean.jurist('list', '--suspect')).stdout).toMatch(/SUSPECT[\s\S]*mine .* 2\b/)
    expect(JSON.parse((await clean.jurist('list', '--suspect', '--json')).stdout)).toMatchObject([{ suspects: 2 }])
    for (const [item, rule] of [
      ['upstream', 'upstream-fetch'],
      ['tests', 'test-edited'],
    ] as const)
      await clean.jurist('scan', 'latest', '--settle', item, '--rule', rule, '--as', 'fine', '--reason', 'read')
    expect(JSON.parse((await clean.jurist('list', '--suspect', '--json')).stdout)).toEqual([])
  })

  test('scan in a config scans each run, and allows with a reason', async () => {
    const runs = async (scan: string) => {
      const scanned = configured(scan)
      return { scanned, ran: await scanned.jurist('run', 'mine') }
    }
    const plain = await runs('true')
    using _plain = plain.scanned
    expect(plain.ran.stderr).toMatch(/scan: 2 of 4 passes are suspect: .*jurist scan 2/)
    expect((await plain.scanned.jurist('list', '--suspect')).stdout).toContain('mine')
    const allow = "[{ rule: 'upstream-fetch', words: ['acme/cart'], reason: 'it may read its own page' }]"
    const allowed = await runs(`{ without: ['test-edited'], allow: ${allow} }`)
    using _allowed = allowed.scanned
    expect([allowed.ran.code, allowed.ran.stderr]).toEqual([0, expect.not.stringContaining('suspect')])
    const { stdout } = await allowed.scanned.jurist('scan', 'latest', '--all')
    expect(stdout).toContain('allowed: it may read its own page')
    expect(stdout).not.toContain('test-edited')
    expect(stdout).toMatch(/0 of 4 passes are suspect/)
    const mistaken = await runs("{ without: ['test-edit'] }")
    using _mistaken = mistaken.scanned
    expect([mistaken.ran.code, mistaken.ran.stderr]).toEqual([
      2,
      expect.stringContaining('scan.without.0: There is no rule "test-edit". Did you mean "test-edited"?'),
    ])
    const unexplained = await runs("{ allow: [{ rule: 'test-edited' }] }")
    using _unexplained = unexplained.scanned
    expect([unexplained.ran.code, unexplained.ran.stderr]).toEqual([2, expect.stringContaining('reason')])
  })

  test('rules of the project look too, and those that fail are named', async () => {
    using scanned = configured(`{ rules: [
      { name: 'asks-for-total', what: 'x', not: 'y', level: 'suspect', *find({ commands }) {
        for (const { place, text } of commands) if (text.includes('totals')) yield { place, evidence: text }
      } },
      { name: 'throws', what: 'x', not: 'y', level: 'note', find() { throw new Error('no luck') } },
      { name: 'slow', what: 'x', not: 'y', level: 'suspect', *find({ commands }) {
        for (const end = Date.now() + 300; Date.now() < end; );
        for (const { place } of commands) yield { place, evidence: 'late' }
      } },
      modelRule({ name: 'asks', question: 'Which steps read the history?', model: Object.assign(async ({ messages }) => {
        const at = /step (\\d+): Bash: \\S git log/.exec(messages[0].content)
        return { text: at === null ? 'none' : 'step ' + at[1] + ': it reads the history' }
      }) }),
    ] }`)
    await scanned.jurist('run', 'mine')
    const { code, stdout } = await scanned.jurist('scan', 'latest', '--all')
    expect(code).toBe(0)
    expect(stdout).toMatch(/tests#1 +suspect asks-for-total +step 0 +cat src\/totals.js/)
    expect(stdout).toMatch(/history#1 +note asks +step 0 +it reads the history/)
    expect(stdout).toContain('The rule throws failed, so the absence of its findings means nothing: no luck')
    expect(stdout).toContain('The rule slow failed, so the absence of its findings means nothing: It took longer than')
    expect((await scanned.jurist('scan', '--list')).stdout).toContain('asks-for-total')
    expect((await scanned.jurist('scan', 'latest', '--rule', 'asks', '--json')).stdout).not.toContain('asks-for-total')
    using twice = configured("{ rules: [{ name: 'git-future', what: 'x', not: 'y', level: 'note', *find() {} }] }")
    const refused = await twice.jurist('run', 'mine')
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('scan.rules.0.name: Another rule is called "git-future".'),
    ])
  })

  test('what is unchanged is not scanned again', async () => {
    using scanned = scannedProject()
    await scanned.jurist('run', 'mine')
    const first = await scanned.jurist('scan', 'latest', '--json')
    const [id = ''] = await scanned.results.runs('mine')
    const store = await scanned.results.store()
    const { findings } = store
    const run = { id, experimentName: 'mine' }
    const kept = (await findings?.read(run)) ?? ''
    await findings?.replace(run, kept.replace('1 assertion fewer', 'what was kept'))
    expect((await scanned.jurist('scan', 'latest', '--json')).stdout).toContain('what was kept')
    // Other rules look again, and so does a scan of what is not as it was kept.
    expect((await scanned.jurist('scan', 'latest', '--rule', 'test-edited', '--json')).stdout).toContain(
      '1 assertion fewer',
    )
    await findings?.replace(run, kept.replaceAll(/"of":"./g, '"of":"'))
    expect((await scanned.jurist('scan', 'latest', '--json')).stdout).toBe(first.stdout)
    await store.remove(id)
    expect(await findings?.read(run)).toBe('')
  })

  test('thresholds.suspects limits the share of suspect passes, where it could look', async () => {
    const limited = (most: number, scan: string) => configured(scan, `thresholds: { suspects: ${most} },`)
    const coded = async (home: Project) => {
      const { code, stdout, stderr } = await home.jurist('run', 'mine')
      return [code, stdout + stderr]
    }
    using strict = limited(0.5, 'true')
    expect(await coded(strict)).toEqual([1, expect.stringMatching(/2 of 4 passes suspect: at most 85.0 %/)])
    using lax = limited(0.9, 'true')
    expect((await coded(lax))[0]).toBe(0)
    using unscanned = limited(0.9, 'false')
    expect(await coded(unscanned)).toEqual([2, expect.stringContaining('thresholds.suspects: needs a scan')])
  })

  test('as JSON, with every finding, and the same each time', async () => {
    const { stdout } = await home.jurist('scan', 'latest', '--json')
    const { figures, passRate, withoutSuspects, trials, run } = JSON.parse(stdout)
    expect(figures).toMatchObject({ trials: 4, decided: 4, passes: 4, suspectPasses: 2, notScanned: 0 })
    expect([passRate, withoutSuspects.passRate]).toEqual([1, 0.5])
    expect(
      trials.flatMap(({ findings }: { findings: { rule: string }[] }) => findings.map(({ rule }) => rule)).sort(),
    ).toEqual(['claimed-not-run', 'test-edited', 'upstream-fetch'])
    expect((await home.jurist('scan', 'latest', '--json')).stdout).toBe(stdout)
    const store = await home.results.store()
    const lines = await store.findings?.read({ id: run, experimentName: 'mine' })
    const kept = (lines ?? '').trim().split('\n').slice(1)
    expect(kept.map((line) => JSON.parse(line).scan)).toEqual(trials)
  })

  test('is in reports, always with both rates, and fails no case', async () => {
    using scanned = scannedProject()
    await scanned.jurist('run', 'mine')
    const markdown = async () => (await scanned.jurist('show', 'latest', '--format', 'markdown')).stdout
    // A run that was never scanned is not clean.
    expect(await markdown()).not.toContain('## Scan')
    await scanned.jurist('scan', 'latest')
    expect(await markdown()).toMatch(
      /## Scan\n\n- Pass rate 100\.0 % .*; without suspects 50\.0 % .*: 2 of 4 passes are suspect\.\n- Not seen: .*\n\n\| Rule.*\n.*\n\| upstream-fetch \| suspect \| 1 \| 0 \|/,
    )
    for (const file of ['a.md', 'a.json', 'a.xml', 'a.html']) await scanned.jurist('export', 'latest', '-o', file)
    const text = (file: string) => readFileSync(join(scanned.directory, file), 'utf8')
    expect(text('a.md')).toContain('without suspects 50.0 %')
    const [{ scan, passRate }] = JSON.parse(text('a.json'))
    expect(passRate).toBe(1)
    expect(scan).toMatchObject({
      passRate: 1,
      withoutSuspects: { passRate: 0.5 },
      figures: { suspectPasses: 2, notScanned: 0 },
      findings: [{ rule: 'upstream-fetch', settled: false }, {}, {}],
    })
    expect(text('a.xml')).toContain('[[PROPERTY|finding.1=suspect upstream-fetch, step 0: curl -s https://raw')
    expect(text('a.xml')).toContain('failures="0" errors="0"')
    expect(text('a.html')).toContain('report-index')
  })

  test('tells what was not scanned from what is clean', async () => {
    using blind = scannedProject()
    const config = readFileSync(join(blind.directory, 'jurist.config.ts'), 'utf8')
    blind.write({
      'jurist.config.ts': config
        .replace("if (name === 'tests')", 'if (false)')
        .replace('jury:', 'journal: false, jury:'),
    })
    await blind.jurist('run', 'mine')
    const { stdout } = await blind.jurist('scan', 'latest')
    expect(stdout).toMatch(/Not seen: 4 trials partly scanned; there is no journal \(4 trials\)/)
    const { stdout: report } = await blind.jurist('show', 'latest', '--format', 'markdown')
    expect(report).toContain('0 of 4 passes are suspect')
    expect(report).toContain('Not seen: 4 trials partly scanned')
  })

  test('lists its rules', async () => {
    const { stdout } = await home.jurist('scan', '--list', '--json')
    const rules = JSON.parse(stdout) as readonly { readonly name: string }[]
    expect(rules).toHaveLength(35)
    expect((await home.jurist('scan', '--list')).stdout).toContain('git-future')
  })

  test('names every problem of its flags', async () => {
    const { code, stderr } = await home.jurist('scan', 'latest', '--rule', 'a', '--without', 'b', '--as', 'fine')
    expect(code).toBe(2)
    expect(stderr).toContain('Use --rule or --without, not both.')
    expect(stderr).toContain('--as and --reason belong to --settle')
    const misspelt = await home.jurist('scan', 'latest', '--rule', 'git-futur', '--rule', 'test-edit')
    expect(misspelt.code).toBe(2)
    expect(misspelt.stderr).toContain('There is no rule "git-futur". Did you mean "git-future"?')
    expect(misspelt.stderr).toContain('There is no rule "test-edit". Did you mean "test-edited"?')
    const unknown = await home.jurist(...settling('upstrem', 'git-future'))
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('has no trial "upstrem"')])
  })
})
