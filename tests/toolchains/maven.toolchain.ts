import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Judge } from '@jurist/core'
import { buildSucceeds, testsPass } from '@jurist/workspace/commands'
import { coverageAtLeast, coverageImproved } from '@jurist/workspace/coverage'
import { matchesReference } from '@jurist/workspace/files'
import { expect, test } from 'vitest'
import { attempt } from './kit/attempt.js'
import { describeUnless } from './kit/describe-unless.js'
import { missing } from './kit/programs.js'

const project = 'maven'
/** Whatever decides how the tests are run is laid over the work of the agent, not only the tests. */
const settings = ['pom.xml', 'mvnw', '.mvn']
const tests = testsPass.maven('clean', 'test', {
  overlay: { paths: [...settings, 'src/test'] },
  trustWrapper: 'reference',
  minTests: 3,
})
const build = buildSucceeds.maven('clean', 'test-compile', { trustWrapper: 'reference' })
/** The coverage of a run that the agent had no hand in. */
const measuring = buildSucceeds.maven('clean', 'verify', { trustWrapper: 'reference' })
const untouched = matchesReference({
  only: [...settings, 'src/test/'],
  languages: { mvnw: 'text-exact' },
  extra: 'forbid',
})

/** Why Maven cannot fetch what the project needs; finding out also fetches it. */
async function unreachable(): Promise<string | undefined> {
  using healthy = attempt({ project, delivers: 'reference' })
  const { status, metadata } = await healthy.judge(buildSucceeds.maven('verify'))
  const output = String(metadata['output'])
  const refused = /(?:Could not transfer|Could not resolve|Unknown host|Connection (?:refused|timed out)).{0,200}/
  return status === 'pass' ? undefined : refused.exec(output)?.[0].replace(/https?:\S+/g, '…')
}

describeUnless(missing('mvn', 'javac') ?? (await unreachable()), 'Maven with JUnit and JaCoCo', () => {
  test('healthy: builds, passes and covers', async () => {
    using healthy = attempt({ project, delivers: 'reference' })
    expect(await healthy.judge(build)).toMatchObject({ status: 'pass', metadata: { tool: 'maven', wrapper: true } })
    expect(await healthy.judge(tests)).toMatchObject({ status: 'pass', metadata: { report: 'junit', passed: 3 } })
    expect(await healthy.judge(measuring)).toMatchObject({ status: 'pass' })
    expect(await healthy.judge(coverageAtLeast(90, { notBefore: 'agent-start' }))).toMatchObject({ status: 'pass' })
    expect(await healthy.judge(coverageImproved({ baseline: 50 }))).toMatchObject({ status: 'pass' })
    expect(await healthy.judge(coverageImproved({ baseline: 100 }))).toMatchObject({
      status: 'pass',
      metadata: { currentLineCoverage: 100 },
    })
    expect(await healthy.judge(untouched)).toMatchObject({ status: 'pass' })
  })
  test('broken: builds, and the tests that fail are named', async () => {
    using broken = attempt({ project })
    expect(await broken.judge(build)).toMatchObject({ status: 'pass' })
    const judgment = await broken.judge(tests)
    expect(judgment).toMatchObject({ status: 'fail', metadata: { passed: 1, failed: 2 } })
    const names = judgment.checks.filter(({ passed }) => !passed).map(({ name }) => name)
    expect(names).toEqual([
      'command_execution',
      'org.example.PricesTest#refusesNegativePrices',
      'org.example.PricesTest#takesTenPerCentOff',
    ])
    const required = { mustPass: ['org.example.PricesTest#takesTenPerCentOff'] }
    expect(await broken.judge(testsPass.maven('test', required))).toMatchObject({ status: 'fail' })
    const kept = { mustStayPassing: ['org.example.PricesTest#keepsSmallPrices'] }
    expect(await broken.judge(testsPass.maven('test', kept))).toMatchObject({ status: 'pass' })
  })
  test('broken: what does not compile does not build', async () => {
    const source = 'src/main/java/org/example/Prices.java'
    using broken = attempt({ project, change: (root) => writeFileSync(join(root, source), 'class Prices {\n') })
    expect(await broken.judge(build)).toMatchObject({ status: 'fail', metadata: { exitCode: 1 } })
    expect(await broken.judge(tests)).toMatchObject({ status: 'fail' })
  })
})
