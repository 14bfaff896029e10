import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Project } from '../../project.js'
import { onPostgres } from '../../project-results.js'
import { scannedProject } from './scanned-project.js'

const settling = (trial: string, rule: string) =>
  ['scan', 'latest', '--settle', trial, '--rule', rule, '--as', 'fine', '--reason', 'x'] as const

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

  test.skipIf(onPostgres)('changes no verdict, and show prints what it found', async () => {
    const before = await home.jurist('show', 'latest', '--json')
    const kept = () => {
      const all = join(home.directory, 'results')
      const files = readdirSync(all, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
      const own = files.filter(({ name }) => name !== 'findings.jsonl')
      return own.map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), 'utf8')])
    }
    const bytes = kept()
    await home.jurist('scan', 'latest')
    expect(kept()).toEqual(bytes)
    expect((await home.jurist('show', 'latest', '--json')).stdout).toBe(before.stdout)
    const { stdout } = await home.jurist('show', 'latest', 'upstream')
    expect(stdout).toMatch(/Findings of the scan\n +upstream#1 +suspect upstream-fetch/)
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

  test.skipIf(onPostgres)('a settled finding stays, and its pass counts again', async () => {
    expect((await home.jurist(...settling('upstream#1', 'git-future'))).code).toBe(0)
    const settled = ['--settle', 'upstream', '--rule', 'upstream-fetch', '--reason', 'the task links it']
    expect((await home.jurist('scan', 'latest', ...settled, '--as', 'fine')).code).toBe(0)
    const { stdout } = await home.jurist('scan', 'latest', '--all')
    expect(stdout).toMatch(/without suspects +75.0 %.*1 of 4 passes is suspect, 1 settled/)
    expect(stdout).toMatch(/upstream-fetch.*settled as fine/)
    await home.jurist('scan', 'latest', ...settled, '--as', 'suspect')
    expect((await home.jurist('scan', 'latest')).stdout).toMatch(/2 of 4 passes are suspect/)
  })

  test.skipIf(onPostgres)('list --suspect finds the runs with suspects that are not settled', async () => {
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

  test.skipIf(onPostgres)('scan in a config scans each run, and allows with a reason', async () => {
    const runs = async (scan: string) => {
      const scanned = scannedProject()
      const config = readFileSync(join(scanned.directory, 'jurist.config.ts'), 'utf8')
      scanned.write({ 'jurist.config.ts': config.replace('experiments:', `scan: ${scan}, experiments:`) })
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

  test.skipIf(onPostgres)('as JSON, with every finding, and the same each time', async () => {
    const { stdout } = await home.jurist('scan', 'latest', '--json')
    const { figures, passRate, withoutSuspects, trials, run } = JSON.parse(stdout)
    expect(figures).toMatchObject({ trials: 4, decided: 4, passes: 4, suspectPasses: 2, notScanned: 0 })
    expect([passRate, withoutSuspects.passRate]).toEqual([1, 0.5])
    expect(
      trials.flatMap(({ findings }: { findings: { rule: string }[] }) => findings.map(({ rule }) => rule)).sort(),
    ).toEqual(['claimed-not-run', 'test-edited', 'upstream-fetch'])
    expect((await home.jurist('scan', 'latest', '--json')).stdout).toBe(stdout)
    const kept = readFileSync(join(home.directory, 'results/mine', run, 'findings.jsonl'), 'utf8')
      .trim()
      .split('\n')
    const [head, ...found] = kept.map((line) => JSON.parse(line))
    expect(head).toMatchObject({ unseen: [], unread: 0, errors: {} })
    expect(found.map(({ rule }) => rule)).toEqual(['upstream-fetch', 'claimed-not-run', 'test-edited'])
  })

  test.skipIf(onPostgres)('is in reports, always with both rates, and fails no case', async () => {
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

  test.skipIf(onPostgres)('tells what was not scanned from what is clean', async () => {
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

  test.skipIf(onPostgres)('names every problem of its flags', async () => {
    const { code, stderr } = await home.jurist('scan', 'latest', '--rule', 'git-futur', '--as', 'fine')
    expect(code).toBe(2)
    expect(stderr).toContain('There is no rule "git-futur". Did you mean "git-future"?')
    expect(stderr).toContain('--as and --reason belong to --settle')
    const unknown = await home.jurist(...settling('upstrem', 'git-future'))
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('has no trial "upstrem"')])
  })

  test.runIf(onPostgres)('a database keeps no findings, and the commands that need them say so', async () => {
    const listed = await home.jurist('list', '--suspect')
    expect([listed.code, listed.stderr]).toEqual([2, expect.stringContaining('A database keeps no findings.')])
    const settled = await home.jurist(...settling('upstream', 'upstream-fetch'))
    expect([settled.code, settled.stderr]).toEqual([2, expect.stringContaining('keeps no settlements')])
  })
})
