import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { cascade, inOneCopy, type Judge, jury, runJudge } from '@jurist/core'
import { buildSucceeds, commandSucceeds } from '@jurist/workspace/commands'
import { coverageAtLeast, coverageImproved, coveragePreserved } from '@jurist/workspace/coverage'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import { describe, expect, test } from 'vitest'

const jacoco = (percent: number) =>
  `<report><counter type="LINE" missed="${100 - percent}" covered="${percent}"/></report>`
const summary = (percent: number) =>
  JSON.stringify({
    total: Object.fromEntries(
      ['lines', 'statements', 'functions', 'branches'].map((name) => [
        name,
        { total: 100, covered: percent, skipped: 0, pct: percent },
      ]),
    ),
  })
const jacocoPath = 'target/site/jacoco/jacoco.xml'
const summaryPath = 'coverage/coverage-summary.json'

/** A project whose measuring really counts 20 of 100 lines. */
const project = {
  'measure.sh': `mkdir -p coverage && printf '%s' '${summary(20)}' > ${summaryPath}\n`,
  'package.json': '{"scripts":{"coverage":"sh measure.sh"}}',
}
const measure = buildSucceeds.npm('coverage')
const forgeries: readonly (readonly [string, { readonly [path: string]: string }])[] = [
  ['at the place of the real one', { [summaryPath]: summary(95) }],
  ['at a place that is looked at first', { [jacocoPath]: jacoco(95) }],
  ['in a module', { [`core/${jacocoPath}`]: jacoco(95) }],
  [
    'everywhere',
    { [summaryPath]: summary(95), [jacocoPath]: jacoco(95), 'coverage/lcov.info': 'SF:a\nDA:1,1\nend_of_record\n' },
  ],
]
const judgesOf = (after: Judge) => ({
  least: coverageAtLeast(80, { after }),
  improved: coverageImproved({ baseline: 50, after }),
  preserved: coveragePreserved({ baseline: 50, after }),
})

describe('a report that the agent forged', () => {
  test.each(forgeries)('%s is not read after a judge that measures', async (_, forged) => {
    await using workspace = await temporaryWorkspace({ ...project, ...forged })
    const { individual } = await jury({ judges: judgesOf(measure) }).vote({ workspace })
    expect(Object.values(individual).map(({ status }) => status)).toEqual(['fail', 'fail', 'fail'])
    expect(individual.least).toMatchObject({ metadata: { currentCoverage: 20 } })
    const [path = ''] = Object.keys(forged)
    expect(existsSync(join(workspace.root, path))).toBe(true)
  })

  test.each(forgeries)('%s does not pass beside one, and the message says what to do', async (_, forged) => {
    await using workspace = await temporaryWorkspace({ ...project, ...forged })
    const coverage = coverageAtLeast(80)
    const beside = [
      jury({ judges: { measure, coverage } }),
      jury({ judges: { coverage, measure }, concurrency: 1 }),
      jury({ judges: { coverage, other: jury({ judges: { measure } }) } }),
      jury({ judges: { all: inOneCopy(measure, coverage) } }),
      cascade([
        { name: 'measure', jury: jury({ judges: { measure } }), policy: 'reject-on-any-fail' },
        { name: 'coverage', jury: jury({ judges: { coverage } }), policy: 'final' },
      ]),
    ]
    for (const rules of beside) {
      const verdict = await rules.vote({ workspace })
      expect(verdict.aggregated.status).not.toBe('pass')
      expect(JSON.stringify(verdict)).toMatch(/after: buildSucceeds.npm/)
    }
  })

  test('is believed alone, and where it was asked for', async () => {
    await using workspace = await temporaryWorkspace({ ...project, [summaryPath]: summary(95) })
    expect(await runJudge(coverageAtLeast(80), { workspace })).toMatchObject({ status: 'pass' })
    const judges = { measure, coverage: coverageAtLeast(80, { after: 'agent' }) }
    expect((await jury({ judges }).vote({ workspace })).aggregated.status).toBe('pass')
  })
})

describe('coverage after a judge that measures', () => {
  test('is what it wrote, beside any other judge', async () => {
    await using workspace = await temporaryWorkspace({
      ...project,
      'measure.sh': project['measure.sh'].replaceAll('20', '90'),
    })
    const verdict = await jury({ judges: { ...judgesOf(measure), again: measure } }).vote({ workspace })
    expect(verdict.aggregated.status).toBe('pass')
    expect(existsSync(join(workspace.root, 'coverage'))).toBe(false)
  })

  test('is the report at the place that is named', async () => {
    await using workspace = await temporaryWorkspace({ 'a/lcov.info': 'SF:a\nDA:1,1\nend_of_record\n' })
    const after = commandSucceeds('mkdir -p b && printf "SF:b\\nDA:1,0\\nend_of_record\\n" > b/lcov.info')
    const judge = coverageAtLeast(80, { after, report: '*/lcov.info' })
    expect(await runJudge(judge, { workspace })).toMatchObject({ status: 'fail', metadata: { currentCoverage: 0 } })
    expect(existsSync(join(workspace.root, 'a/lcov.info'))).toBe(true)
  })

  test.each([
    ['fail', commandSucceeds('exit 3'), /not measured: exit code 3/],
    ['fail', commandSucceeds('true'), /no report was found/],
    ['error', commandSucceeds(['no-such-program']), /not measured: no-such-program could not be started/],
  ] as const)('is %s where nothing was measured', async (status, after, reason) => {
    await using workspace = await temporaryWorkspace({ [summaryPath]: summary(95) })
    const judgment = await runJudge(coverageAtLeast(80, { after }), { workspace })
    expect(judgment).toMatchObject({ status, reasoning: expect.stringMatching(reason) })
  })

  test('wants a judge', () => {
    expect(() => coverageAtLeast(80, { after: 'npm' as 'agent' })).toThrow(/"after" must be/)
  })
})
