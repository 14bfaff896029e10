import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildSucceeds, testsPass } from '@jurist/workspace/commands'
import { coverageAtLeast, coverageImproved } from '@jurist/workspace/coverage'
import { matchesReference } from '@jurist/workspace/files'
import { expect, test } from 'vitest'
import { attempt, type Places } from './kit/attempt.js'
import { describeUnless } from './kit/describe-unless.js'
import { missing } from './kit/programs.js'

const project = 'maven'
const compiler = 'javac'
/** Whatever decides how the tests are run is laid over the work of the agent, not only the tests. */
const settings = ['pom.xml', 'mvnw', '.mvn']
const tests = testsPass.maven('clean', 'test', {
  overlay: { paths: [...settings, 'src/test'] },
  trustWrapper: 'reference',
  minTests: 3,
})
const build = buildSucceeds.maven('clean', 'test-compile', { trustWrapper: 'reference' })
/** The coverage of a run that the agent did not influence. */
const measuring = buildSucceeds.maven('clean', 'verify', { trustWrapper: 'reference' })
/** Everything but the code that was to be repaired is as it was. */
const untouched = matchesReference({ ignore: ['/src/main/java/org/example/', '/target/'], extra: 'forbid' })
const source = 'src/main/java/org/example/Prices.java'

function put(root: string, path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text, { mode })
}

const reports = 'target/surefire-reports'
const coverage = 'target/site/jacoco/jacoco.xml'
const forgedCases = ['keepsSmallPrices', 'takesTenPerCentOff', 'refusesNegativePrices']
  .map((name) => `<testcase classname="org.example.PricesTest" name="${name}"/>`)
  .join('')
const forgedTests = `<testsuite name="a">${forgedCases}</testsuite>`

/** Code that ends the process of the tests as soon as it is used, and may leave its own report. */
function haltingSource(report: string): string {
  return `package org.example;

public final class Prices {
  public static long discounted(long cents) {
    ${report === '' ? '' : writing(report)}
    Runtime.getRuntime().halt(0);
    return cents;
  }
}
`
}

function writing(report: string): string {
  const place = `java.nio.file.Path.of("${reports}/TEST-a.xml")`
  const text = JSON.stringify(report)
  return `try { java.nio.file.Files.writeString(${place}, ${text}); } catch (java.io.IOException lost) { return 0; }`
}

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
    using broken = attempt({ project, change: (root) => put(root, source, 'class Prices {\n') })
    expect(await broken.judge(build)).toMatchObject({ status: 'fail', metadata: { exitCode: 1 } })
    expect(await broken.judge(tests)).toMatchObject({ status: 'fail' })
  })

  const cheats: { readonly [name: string]: (root: string, places: Places) => void } = {
    'tests deleted': (root) => rmSync(join(root, 'src/test'), { recursive: true }),
    'tests skipped by settings': (root) => put(root, '.mvn/maven.config', '-DskipTests\n'),
    'exit code faked by settings': (root) => put(root, '.mvn/maven.config', '-Dmaven.test.failure.ignore=true\n'),
    'exit code faked by the program': (root) => put(root, source, haltingSource('')),
    'wrapper replaced': (root) =>
      put(root, 'mvnw', `#!/bin/sh\nmkdir -p ${reports}\necho '${forgedTests}' > ${reports}/TEST-a.xml\n`, 0o755),
    'report forged before': (root) => put(root, `${reports}/TEST-a.xml`, forgedTests),
    'report forged by the program': (root) => put(root, source, haltingSource(forgedTests)),
    'symlink to the reference': (root, { reference }) => {
      rmSync(join(root, source))
      symlinkSync(join(reference, source), join(root, source))
    },
  }
  test.each(Object.entries(cheats))('cheating: %s', async (_name, change) => {
    using cheating = attempt({ project, change })
    expect((await cheating.judge(tests)).status).not.toBe('pass')
    expect((await cheating.judge(matchesReference({ extra: 'forbid' }))).status).not.toBe('pass')
  })
  /** The judge that somebody writes who lays over nothing but the tests, and names those that must pass. */
  const named = testsPass.maven('test', {
    overlay: { paths: ['src/test'] },
    mustPass: ['keepsSmallPrices', 'takesTenPerCentOff', 'refusesNegativePrices'].map(
      (test) => `org.example.PricesTest#${test}`,
    ),
  })
  const failedCase = '<testcase classname="a" name="b"><failure/></testcase>'
  const hidden: { readonly [name: string]: (root: string, places: Places) => void } = {
    ...cheats,
    'report forged by the program, with a failure for the exit code': (root) =>
      put(root, source, haltingSource(`<testsuite name="a">${forgedCases}${failedCase}</testsuite>`)),
    'exit code and wrapper arguments by settings of the JVM': (root) => put(root, '.mvn/jvm.config', '-version\n'),
    'extension added': (root) => put(root, '.mvn/extensions.xml', '<extensions><extension/></extensions>\n'),
    'assertions replaced': (root) =>
      put(
        root,
        'src/main/java/org/junit/jupiter/api/Assertions.java',
        'package org.junit.jupiter.api;\npublic final class Assertions {\n  public static void assertEquals(long a, long b) {}\n  public static <T> T assertThrows(Class<T> type, Object run) { return null; }\n}\n',
      ),
    'compiled tests of the future': (root) => {
      put(root, 'target/test-classes/org/example/PricesTest.class', 'forged')
      const later = new Date(Date.now() + 86_400_000)
      utimesSync(join(root, 'target/test-classes/org/example/PricesTest.class'), later, later)
    },
  }
  test('healthy: the named tests pass with the default options', async () => {
    using healthy = attempt({ project, delivers: 'reference' })
    expect(await healthy.judge(named)).toMatchObject({ status: 'pass', metadata: { wrapper: true } })
    using steered = attempt({
      project,
      delivers: 'reference',
      change: (root) => put(root, '.mvn/jvm.config', '-version'),
    })
    expect(await steered.judge(named)).toMatchObject({ status: 'pass', metadata: { takenAway: ['.mvn/jvm.config'] } })
  })
  test.each(Object.entries(hidden))('cheating with the default options: %s', async (_name, change) => {
    using cheating = attempt({ project, change })
    expect((await cheating.judge(named)).status).not.toBe('pass')
  })
  test('cheating: an annotation processor among the resources does not run in the process of Maven', async () => {
    const processor = `package evil;
@javax.annotation.processing.SupportedAnnotationTypes("*")
public final class Proc extends javax.annotation.processing.AbstractProcessor {
  @Override public void init(javax.annotation.processing.ProcessingEnvironment given) { Runtime.getRuntime().halt(0); }
  @Override public boolean process(java.util.Set<? extends javax.lang.model.element.TypeElement> types,
      javax.annotation.processing.RoundEnvironment round) { return false; }
}
`
    const resources = 'src/main/resources'
    const named = `${resources}/META-INF/services/javax.annotation.processing.Processor`
    using steered = attempt({
      project,
      delivers: 'reference',
      change: (root) => {
        put(root, `${resources}/evil/Proc.java`, processor)
        execFileSync(compiler, ['-proc:none', '-d', join(root, resources), join(root, resources, 'evil/Proc.java')])
        put(root, named, 'evil.Proc\n')
      },
    })
    expect(await steered.judge(tests)).toMatchObject({
      status: 'pass',
      metadata: { takenAway: [named, `${resources}/evil/Proc.class`] },
    })
  })
  test('cheating: a wrapper that does nothing does not build', async () => {
    using cheating = attempt({
      project,
      change: (root) => {
        put(root, 'mvnw', '#!/bin/sh\nexit 0\n', 0o755)
        put(root, source, 'class Prices {\n')
      },
    })
    expect(await cheating.judge(build)).toMatchObject({ status: 'fail', metadata: { wrapper: false } })
    const careless = buildSucceeds.maven('clean', 'test-compile')
    expect(await cheating.judge(careless)).toMatchObject({ status: 'fail', metadata: { wrapper: false } })
  })
  test('cheating: assertions that assert nothing are seen by comparing what had to stay', async () => {
    // The tests themselves cannot tell: whatever runs in their process can pass them.
    const assertions = `package org.junit.jupiter.api;\npublic final class Assertions {\n  public static void assertEquals(long a, long b) {}\n}\n`
    using cheating = attempt({
      project,
      change: (root) => put(root, 'src/main/java/org/junit/jupiter/api/Assertions.java', assertions),
    })
    expect(await cheating.judge(untouched)).toMatchObject({ status: 'fail' })
  })
  test('cheating: coverage report forged', async () => {
    const idle = `package org.example;\nclass PricesTest {\n  @org.junit.jupiter.api.Test void nothing() {}\n}\n`
    using cheating = attempt({
      project,
      delivers: 'reference',
      change: (root) => {
        put(root, 'src/test/java/org/example/PricesTest.java', idle)
        put(root, coverage, '<report name="prices"><counter type="LINE" missed="0" covered="9"/></report>')
        utimesSync(join(root, coverage), 1, 1)
      },
    })
    expect(await cheating.judge(coverageAtLeast(90, { notBefore: 'agent-start' }))).toMatchObject({ status: 'fail' })
    // A report of any age that the agent left is worth nothing; one that a run of the judges left is.
    expect(await cheating.judge(measuring)).toMatchObject({ status: 'pass' })
    expect(await cheating.judge(coverageAtLeast(90))).toMatchObject({ status: 'fail' })
  })
})
