import { execFileSync } from 'node:child_process'
import { truncateSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { type ContextInput, type Judge, judgmentContext, normalize, runJudge } from '@jurist/core'
import { aContext, judgeContract, memoryWorkspace } from '@jurist/core/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { coverageAtLeast, coverageImproved, coveragePreserved, findCoverage } from '../../src/coverage/index.js'
import { temporaryWorkspace } from '../../src/testing/temporary-workspace.js'

const jacocoPath = 'target/site/jacoco/jacoco.xml'
const jacoco = (covered: number, total = 100, more = '') =>
  `<report><counter type="LINE" missed="${total - covered}" covered="${covered}"/>${more}</report>`
const leaving = (report: string, path = jacocoPath) => memoryWorkspace({ [path]: report })
const judging = (judge: Judge, input: ContextInput) => runJudge(judge, aContext(input))
const baselineOf = (baselineCoverage: unknown) => ({ metadata: { baselineCoverage } })
const failed = (checks: readonly { readonly name: string; readonly passed: boolean }[]) =>
  checks.filter(({ passed }) => !passed).map(({ name }) => name)

describe('the contract of judges', () => {
  const [good, bad] = [aContext({ workspace: leaving(jacoco(90)) }), aContext({ workspace: leaving(jacoco(10)) })]
  judgeContract({ describe, test }, 'coverageAtLeast', { judge: coverageAtLeast(80), passing: good, failing: bad })
  const options = { baseline: 50 }
  judgeContract({ describe, test }, 'preserved', { judge: coveragePreserved(options), passing: good, failing: bad })
  judgeContract({ describe, test }, 'improved', { judge: coverageImproved(options), passing: good, failing: bad })
})

describe('coveragePreserved', () => {
  test('passes up to the drop that is allowed', async () => {
    const workspace = leaving(jacoco(77))
    const exactly = await judging(coveragePreserved({ baseline: 80, maxDrop: 3 }), { workspace })
    expect(exactly).toMatchObject({
      status: 'pass',
      score: { type: 'boolean', value: true },
      metadata: { baselineLineCoverage: 80, currentLineCoverage: 77, coverageDrop: 3, maxDrop: 3 },
      checks: [{ name: 'line_coverage_preserved', passed: true, location: { path: jacocoPath } }],
    })
    expect((await judging(coveragePreserved({ baseline: 80, maxDrop: 2.99 }), { workspace })).status).toBe('fail')
  })

  test('fractions of binary numbers do not decide', async () => {
    const workspace = leaving(jacoco(1, 3))
    const judge = coveragePreserved({ baseline: 33.4, maxDrop: 33.4 - 100 / 3 - 1e-12 })
    expect((await judging(judge, { workspace })).status).toBe('pass')
  })

  test.each([
    ['no baseline', undefined],
    ['a percent sign', '80%'],
    ['a word', 'high'],
    ['an empty text', ''],
    ['hexadecimal', '0x10'],
    ['more than 100', 100.1],
    ['less than 0', -1],
    ['not a number', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['a list', [80]],
    ['a boolean', true],
    ['a report without lines', { format: 'lcov', line: { covered: 0, total: 0, percent: null } }],
    ['a report of nothing', { line: null }],
  ])('abstains with %s', async (_what, baselineCoverage) => {
    const context = { workspace: leaving(jacoco(80)), ...baselineOf(baselineCoverage) }
    expect((await judging(coveragePreserved(), context)).status).toBe('abstain')
    expect((await judging(coverageImproved(), context)).status).toBe('abstain')
  })

  test.each([
    [82, 82],
    ['82.0', 82],
    [' 7 ', 7],
    [0, 0],
    [{ format: 'lcov', line: { covered: 1, total: 4, percent: 25 }, branch: null, method: null }, 25],
  ])('reads the baseline %j', async (baselineCoverage, percent) => {
    const context = { workspace: leaving(jacoco(80)), ...baselineOf(baselineCoverage) }
    const { metadata } = await judging(coveragePreserved(), context)
    expect(metadata?.['baselineLineCoverage']).toBe(percent)
  })

  test('prefers the option to the metadata, and that to what the agent began with', async () => {
    const context = { workspace: leaving(jacoco(80)), before: leaving('SF:a\nDA:1,1\nend_of_record', 'lcov.info') }
    const baseline = async (options: Parameters<typeof coveragePreserved>[0], input: ContextInput) =>
      (await judging(coveragePreserved(options), input)).metadata?.['baselineLineCoverage']
    expect(await baseline({}, context)).toBe(100)
    expect(await baseline({}, { ...context, ...baselineOf(70) })).toBe(70)
    expect(await baseline({ baseline: 60 }, { ...context, ...baselineOf(70) })).toBe(60)
    expect(await baseline({}, { ...context, before: memoryWorkspace() })).toBeUndefined()
  })

  test('an option that is no percentage abstains, too', async () => {
    const judge = coveragePreserved({ baseline: 120 })
    expect((await judging(judge, { workspace: leaving(jacoco(80)) })).status).toBe('abstain')
  })

  test('a corrupt report of what the agent began with is an error', async () => {
    const judgment = await judging(coveragePreserved(), { workspace: leaving(jacoco(80)), before: leaving('<report>') })
    expect(judgment).toMatchObject({ status: 'error', failure: { code: 'report-corrupt' } })
  })
})

describe('coverageImproved', () => {
  const improved = async (from: number, to: number, options: { ceiling?: number; floor?: number } = {}) => {
    const judgment = await judging(coverageImproved(options), { workspace: leaving(jacoco(to)), ...baselineOf(from) })
    const score = 'score' in judgment && judgment.score !== undefined ? normalize(judgment.score) : undefined
    return { status: judgment.status, score, failed: failed(judgment.checks ?? []) }
  }

  test('scores the gain as a share of the ceiling', async () => {
    expect(await improved(60, 90)).toEqual({ status: 'pass', score: 0.6, failed: [] })
    expect(await improved(10, 90, { ceiling: 20 })).toEqual({ status: 'pass', score: 1, failed: [] })
    expect(await improved(60, 60)).toEqual({ status: 'fail', score: 0, failed: ['coverage_improved'] })
    expect(await improved(60, 50)).toEqual({ status: 'fail', score: 0, failed: ['coverage_improved'] })
  })

  test('keeping all is the best there is', async () => {
    expect(await improved(100, 100)).toEqual({ status: 'pass', score: 1, failed: [] })
    expect(await improved(100, 99)).toEqual({ status: 'fail', score: 0, failed: ['coverage_improved'] })
  })

  test('the floor decides but never scores', async () => {
    expect(await improved(70, 80, { ceiling: 20, floor: 90 })).toEqual({
      status: 'fail',
      score: 0.5,
      failed: ['minimum_coverage_met'],
    })
    expect(await improved(70, 90, { ceiling: 20, floor: 90 })).toEqual({ status: 'pass', score: 1, failed: [] })
  })

  test('the law: it passes when coverage rose to the floor, and the score stays between 0 and 1', async () => {
    const percent = fc.integer({ min: 0, max: 100 })
    await fc.assert(
      fc.asyncProperty(
        percent,
        percent,
        percent,
        fc.integer({ min: 1, max: 200 }),
        async (from, to, floor, ceiling) => {
          const { status, score } = await improved(from, to, { floor, ceiling })
          const isFull = from === 100 && to === 100
          expect(status).toBe((to > from || isFull) && to >= floor ? 'pass' : 'fail')
          expect(score).toBeCloseTo(isFull ? 1 : Math.min(1, Math.max(0, (to - from) / ceiling)), 9)
        },
      ),
    )
  })
})

describe('coverageAtLeast', () => {
  test('judges lines, branches and methods', async () => {
    const more = '<counter type="BRANCH" missed="3" covered="1"/>'
    const workspace = leaving(jacoco(80, 100, more))
    expect(await judging(coverageAtLeast(80), { workspace })).toMatchObject({
      status: 'pass',
      score: { type: 'numerical', value: 80, min: 0, max: 100 },
      checks: [{ name: 'coverage_at_least', passed: true }],
    })
    expect((await judging(coverageAtLeast(25, { metric: 'branch' }), { workspace })).status).toBe('pass')
    expect((await judging(coverageAtLeast(26, { metric: 'branch' }), { workspace })).status).toBe('fail')
    expect(await judging(coverageAtLeast(1, { metric: 'method' }), { workspace })).toMatchObject({
      status: 'fail',
      reasoning: 'the report has no method counters',
    })
  })
})

describe('reports that are missing, corrupt, empty or stale', () => {
  const judges = [
    coveragePreserved({ baseline: 10 }),
    coverageImproved({ baseline: 10, floor: 5 }),
    coverageAtLeast(10),
  ]
  const stale = { notBefore: 'agent-start' } as const
  const fresh = [
    coveragePreserved({ baseline: 10, ...stale }),
    coverageImproved({ baseline: 10, ...stale }),
    coverageAtLeast(10, stale),
  ]

  test('no report fails every check', async () => {
    const workspace = memoryWorkspace({ 'a.txt': 'a', 'target/site/jacoco/jacoco.xml/': '' })
    for (const judge of judges) {
      const judgment = await judging(judge, { workspace })
      expect(judgment).toMatchObject({ status: 'fail', reasoning: 'no report was found' })
      expect(failed(judgment.checks ?? [])).toHaveLength(judgment.checks?.length ?? 0)
      expect(judgment.checks).not.toHaveLength(0)
    }
  })

  test.each([
    ['<report>', 'report-corrupt'],
    ['<html/>', 'report-unsupported'],
  ])('%s of the agent fails and names the file, of the dataset it is an error', async (content, code) => {
    for (const judge of judges)
      expect(await judging(judge, { workspace: leaving(content) })).toMatchObject({
        status: 'fail',
        checks: [{ name: code, passed: false, message: expect.stringContaining(jacocoPath) }],
      })
    const before = { workspace: leaving(jacoco(80)), before: leaving(content) }
    for (const judge of [coveragePreserved(), coverageImproved()])
      expect(await judging(judge, before)).toMatchObject({ status: 'error', failure: { code } })
  })

  test('nothing to count fails every check', async () => {
    for (const judge of judges) {
      const none = await judging(judge, { workspace: leaving('<report/>') })
      expect(none).toMatchObject({ status: 'fail', reasoning: 'the report has no line counters' })
      const zero = await judging(judge, { workspace: leaving(jacoco(0, 0)) })
      expect(zero).toMatchObject({ status: 'fail', reasoning: 'the report counts 0 lines' })
      expect(failed(zero.checks ?? [])).toHaveLength(zero.checks?.length ?? 0)
    }
  })

  test('a report that is older than the run fails where it must not be', async () => {
    await using workspace = await temporaryWorkspace({ [jacocoPath]: jacoco(80) })
    const startedAt = '2026-01-02T03:04:05.000Z'
    const at = (offsetMs: number) => {
      const seconds = (Date.parse(startedAt) + offsetMs) / 1_000
      utimesSync(join(workspace.root, jacocoPath), seconds, seconds)
    }
    at(-1_000)
    for (const judge of fresh) {
      const judgment = await judging(judge, { workspace, startedAt })
      expect(judgment).toMatchObject({ status: 'fail', reasoning: 'the report is older than the run' })
      expect(judgment.checks?.[0]).toMatchObject({ passed: false, location: { path: jacocoPath } })
    }
    for (const judge of judges) expect((await judging(judge, { workspace, startedAt })).status).toBe('pass')
    at(1_000)
    for (const judge of fresh) expect((await judging(judge, { workspace, startedAt })).status).toBe('pass')
  })

  test('an unknown age abstains', async () => {
    await using workspace = await temporaryWorkspace({ [jacocoPath]: jacoco(80) })
    const inMemory = { workspace: leaving(jacoco(80)), startedAt: '2026-01-02T03:04:05Z' }
    for (const judge of fresh) {
      expect((await judging(judge, { workspace })).status).toBe('abstain')
      expect((await judging(judge, inMemory)).status).toBe('abstain')
    }
  })

  test('one stale module among several fails', async () => {
    const paths = ['one', 'two'].map((module) => `${module}/${jacocoPath}`)
    await using workspace = await temporaryWorkspace(Object.fromEntries(paths.map((path) => [path, jacoco(80)])))
    utimesSync(join(workspace.root, paths[1] ?? ''), 1, 1)
    const judgment = await judging(coverageAtLeast(10, stale), { workspace, startedAt: '2026-01-02T03:04:05Z' })
    expect(judgment).toMatchObject({ status: 'fail', checks: [{ location: { path: paths[1] } }] })
  })
})

describe('finding reports', () => {
  test('the first usual place counts', async () => {
    const files = {
      'lcov.info': '',
      'coverage/lcov.info': '',
      'coverage.xml': '',
      'a/b/target/site/jacoco/jacoco.xml': '',
    }
    expect(await findCoverage(memoryWorkspace(files))).toEqual(['coverage/lcov.info'])
    expect(await findCoverage(memoryWorkspace())).toEqual([])
  })

  test('modules are found and added up, in memory and in a directory', async () => {
    const files = {
      [`b/${jacocoPath}`]: jacoco(10, 300),
      [`a/${jacocoPath}`]: jacoco(90),
      [`docs/${jacocoPath}`]: '<report name="no code"/>',
      'c/d/target/site/jacoco/jacoco.xml': jacoco(0),
      'coverage/lcov.info': 'SF:a\nDA:1,1\nend_of_record\n',
    }
    await using directory = await temporaryWorkspace(files)
    for (const workspace of [directory, memoryWorkspace(files)]) {
      expect(await findCoverage(workspace)).toEqual(['a', 'b', 'docs'].map((module) => `${module}/${jacocoPath}`))
      expect(await judging(coverageAtLeast(25), { workspace })).toMatchObject({ status: 'pass', score: { value: 25 } })
    }
  })

  test('paths and globs are followed, each file once', async () => {
    const lcov = (covered: number) => `SF:a\nDA:1,${covered}\nend_of_record\n`
    const files = {
      'packages/a/lcov.info': lcov(1),
      'packages/[b]/lcov.info': lcov(0),
      'node_modules/c/lcov.info': lcov(1),
      'packages/a/node_modules/c/lcov.info': lcov(1),
    }
    const both = ['packages/[b]/lcov.info', 'packages/a/lcov.info']
    await using directory = await temporaryWorkspace(files)
    for (const workspace of [directory, memoryWorkspace(files)]) {
      expect(await findCoverage(workspace, { report: '**/lcov.info' })).toEqual(both)
      expect(await findCoverage(workspace, { report: ['packages/*/*.info', './packages/a/lcov.info'] })).toEqual(both)
      expect(await findCoverage(workspace, { report: 'packages/[b]/lcov.info' })).toEqual([both[0]])
      expect(await findCoverage(workspace, { report: 'nowhere.info' })).toEqual([])
      const judge = coverageAtLeast(50, { report: '**/lcov.info' })
      expect(await judging(judge, { workspace })).toMatchObject({ status: 'pass', score: { value: 50 } })
    }
  })

  test('globs find what is in dependencies only where they begin there', async () => {
    const paths = ['node_modules/c/out/lcov.info', 'node_modules/d/lcov.info', 'a/node_modules/e/x/lcov.info']
    const files = Object.fromEntries([...paths, '.git/lcov.info'].map((path) => [path, 'SF:a\nend_of_record\n']))
    const [first = '', second = '', third = ''] = paths
    await using directory = await temporaryWorkspace(files)
    for (const workspace of [directory, memoryWorkspace(files)]) {
      const found = (...report: readonly string[]) => findCoverage(workspace, { report })
      expect(await found('**/*.info', '*/**/lcov.*')).toEqual([])
      expect(await found('node_modules/c/**/*.info')).toEqual([first])
      expect(await found('node_modules/c/out/*', 'node_modules/d/*', 'a/node_modules/e/**')).toEqual([
        third,
        first,
        second,
      ])
      expect(await found('node_modules/**', 'node_modules/c/*')).toEqual([first, second])
      expect(await found('.git/*.info')).toEqual(['.git/lcov.info'])
    }
  })

  test('rates alone are not added up', async () => {
    const workspace = memoryWorkspace({ 'a.xml': '<coverage line-rate="1"/>', 'b.xml': '<coverage line-rate="0"/>' })
    expect((await judging(coverageAtLeast(1, { report: '*.xml' }), { workspace })).status).toBe('fail')
    expect(await judging(coverageAtLeast(1, { report: 'a.xml' }), { workspace })).toMatchObject({ status: 'pass' })
  })
})

describe('hostile workspaces', () => {
  test('a link that leaves the workspace is not read', async () => {
    await using outside = await temporaryWorkspace({ 'jacoco.xml': jacoco(100) })
    await using workspace = await temporaryWorkspace({ [jacocoPath]: { link: join(outside.root, 'jacoco.xml') } })
    const judgment = await judging(coverageAtLeast(10), { workspace })
    expect(judgment).toMatchObject({ status: 'fail', checks: [{ name: 'path-escape', passed: false }] })
  })

  test('modules that are links are not counted again', async () => {
    await using workspace = await temporaryWorkspace({ [`a/${jacocoPath}`]: jacoco(50), b: { link: 'a' } })
    expect(await findCoverage(workspace)).toEqual([`a/${jacocoPath}`])
  })

  test('a FIFO is not a report and blocks nothing', async () => {
    await using workspace = await temporaryWorkspace({ 'coverage/': '' })
    execFileSync('mkfifo', [join(workspace.root, 'coverage/lcov.info')])
    expect(await judging(coverageAtLeast(10), { workspace })).toMatchObject({ status: 'fail' })
  })

  test('a file above 200 MiB is too large', async () => {
    await using workspace = await temporaryWorkspace({ 'lcov.info': '' })
    truncateSync(join(workspace.root, 'lcov.info'), 209_715_201)
    const judgment = await judging(coverageAtLeast(10), { workspace })
    expect(judgment).toMatchObject({ status: 'fail', checks: [{ name: 'too-large', passed: false }] })
  })

  test('a signal ends the reading', async () => {
    await using workspace = await temporaryWorkspace({ [jacocoPath]: `${jacoco(10)}${' '.repeat(2_000_000)}` })
    const signal = AbortSignal.abort(new Error('enough'))
    const context = judgmentContext({ workspace, signal })
    await expect(Promise.resolve(coverageAtLeast(10)(context))).rejects.toMatchObject({ code: 'aborted' })
  })

  test('large reports of a directory are read in pieces', async () => {
    const lines = Array.from({ length: 100_000 }, (_, at) => `DA:${at},${at % 4 === 0 ? 0 : 1}`).join('\n')
    await using workspace = await temporaryWorkspace({ 'lcov.info': `SF:ä.js\n${lines}\nend_of_record\n` })
    expect(await judging(coverageAtLeast(75), { workspace })).toMatchObject({ status: 'pass', score: { value: 75 } })
  })
})

describe('options', () => {
  test.each<readonly [string, () => unknown]>([
    ['a drop below 0', () => coveragePreserved({ maxDrop: -1 })],
    ['a ceiling of 0', () => coverageImproved({ ceiling: 0 })],
    ['a floor above 100', () => coverageImproved({ floor: 101 })],
    ['a percentage above 100', () => coverageAtLeast(101)],
    ['a percentage left out', () => coverageAtLeast(undefined as never)],
    ['no percentage', () => coverageAtLeast(Number.NaN)],
    ['a text', () => coverageAtLeast('80' as never)],
    ['an unknown metric', () => coverageAtLeast(80, { metric: 'lines' as never })],
    ['a baseline without use', () => coverageAtLeast(80, { baseline: 1 } as never)],
    ['a baseline in words', () => coveragePreserved({ baseline: '80%' as never })],
    ['an empty list', () => coveragePreserved({ report: [] })],
    ['a path that leaves the workspace', () => coveragePreserved({ report: '../coverage.xml' })],
    ['an absolute path', () => coveragePreserved({ report: ['/coverage.xml'] })],
    ['a blank path', () => coveragePreserved({ report: '' })],
    ['another time', () => coveragePreserved({ notBefore: 'yesterday' as never })],
    ['an unknown option', () => coveragePreserved({ drop: 1 } as never)],
  ])('%s is refused at once', (_what, make) => {
    expect(make).toThrow(expect.objectContaining({ code: 'option-invalid' }))
  })

  test('undefined counts as not given', async () => {
    const judge = coveragePreserved({ baseline: undefined, maxDrop: undefined, report: undefined } as never)
    const context = { workspace: leaving(jacoco(80)), ...baselineOf(84) }
    expect(await judging(judge, context)).toMatchObject({ status: 'pass', metadata: { maxDrop: 5 } })
  })
})
