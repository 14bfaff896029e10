import { expect, test } from 'vitest'
import { compare } from '../../src/compare/index.js'
import { comparisonReport, githubAnnotations, githubSummary, markdownReport } from '../../src/report/index.js'
import { anItem, aResult } from '../../src/testing/index.js'
import { hostileResult, payloads } from './hostile.js'

/** What a reader sees of a line: escapes and references taken back. */
function shown(markdown: string): string {
  return markdown
    .replaceAll('&#8203;', '')
    .replace(/\\([\\`*_[\]|~$#+=:.-])/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

/** That Markdown holds headings, lists, tables and plain paragraphs of ours, and nothing that a text brought along. */
function expectPlain(markdown: string): void {
  expect(markdown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u2028\u2029]/)
  let columns = 0
  for (const line of markdown.split('\n')) {
    expect(line).toMatch(/^(#{1,3} \S|- \S|\| |Run |$)/)
    const [, start = '', text = ''] = /^(#{1,3} |- |)(.*)$/.exec(line) ?? []
    // Of what means something in Markdown, only what is escaped is left.
    const unescaped = text.replace(/\\./g, '').replace(/&(amp|lt|gt|#8203);/g, ' ')
    expect(unescaped).not.toMatch(/[`*_[\]~<>&]|@\w|:\/\/|\bwww\.|\$(?!\d)/)
    if (start !== '') expect(text).not.toMatch(/^([#=+-]|\d+[.)])(\s|$)/)
    const pipes = unescaped.split('|').length - 1
    if (pipes > 0 && columns > 0) expect(pipes).toBe(columns)
    columns = pipes
  }
}

test('hostile texts stay texts in Markdown', async () => {
  const hostile = await hostileResult()
  const items = hostile.items.map((item) => ({ ...item, judged: 'pass', passed: true }) as const)
  const other = aResult({ ...hostile, items, id: 'other', variant: 'quiet' })
  expectPlain(markdownReport([hostile]))
  expectPlain(markdownReport([other, hostile]))
  expectPlain(githubSummary(hostile, { comparison: compare(other, hostile) }))
  expectPlain(comparisonReport(compare(other, hostile), { format: 'markdown' }))
  expect(shown(markdownReport([hostile]))).toContain(payloads[3])
  expect(comparisonReport(compare(other, hostile))).not.toMatch(
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/,
  )
})

const run = (variant: string, passes: readonly boolean[], scores: readonly number[], more = {}) =>
  aResult({
    variant,
    items: passes.map((passed, index) =>
      anItem({
        itemId: `item-${index}`,
        passed,
        judged: passed ? 'pass' : 'fail',
        scores: { clarity: scores[index] ?? 0 },
        costUsd: 0.5,
        usage: { inputTokens: 10, outputTokens: 2 },
      }),
    ),
    ...more,
  })

test('several results are a growth story: variants, findings, regressions first, what a rising mean hides', () => {
  const plain = run('plain', [true, false, false, false], [0.9, 0.1, 0.1, 0.1])
  const planned = run('planned', [false, true, true, true], [0.2, 0.9, 0.9, 0.9], {
    configuration: { iteration: { finding: 'no plan', hypothesis: 'plans help' } },
  })
  const text = markdownReport([plain, planned])
  expect(text.match(/^## /gm)).toHaveLength(2)
  expect(text).toContain('| experiment @ planned | 4 of 4 | 75.0 % | 30.1 to 95.4 % | 0.73 | $0.50 | 48 | 800 ms |')
  expect(text).toContain('Finding: no plan')
  expect(text).toContain('Hypothesis: plans help')
  expect(text.indexOf('### Regressed (1)')).toBeGreaterThan(text.indexOf('Hypothesis'))
  expect(text.indexOf('### Regressed (1)')).toBeLessThan(text.indexOf('### Improved (3)'))
  expect(text).toContain('The pass rate did not fall, but 1 item got worse: item-0.')
  expect(text).toContain('The mean of clarity rose, but it fell on 1 item.')
  expect(text).toContain('25.0 % → 75.0 %')
  expect(text).toContain('Not enough items to say anything.')
})

test('a comparison that is given is shown, not made again', () => {
  const [plain, planned] = [run('plain', [true], [1]), run('planned', [true], [1])]
  const comparison = { ...compare(plain, planned), notes: ['A note of its own.'] }
  expect(markdownReport([plain, planned], { comparisons: [comparison] })).toContain('A note of its own.')
  expect(markdownReport([plain, planned])).not.toContain('A note of its own.')
})

test('a comparison names every condition that differs', () => {
  const plain = run('plain', [true], [1], { conditions: { model: 'a' } })
  const text = comparisonReport(compare(plain, run('other', [true], [1], { conditions: { model: 'b' } })))
  expect(text).toMatch(/Conditions that differ\n.*\n +model +"a" +"b"/)
})

test('a job summary has at most 1 MiB and says what is left out', () => {
  const reasoning = 'é'.repeat(5_000)
  const failure = { name: 'Error', message: reasoning, origin: 'agent', infrastructure: false } as const
  const items = Array.from({ length: 1_500 }, (_, index) =>
    anItem({
      itemId: `item-${index}-${'x'.repeat(300)}`,
      agent: 'error',
      judged: 'not-judged',
      passed: false,
      failure,
    }),
  )
  const text = githubSummary(aResult({ items }))
  expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(1_048_576)
  expect(text).toContain('The summary is longer than GitHub takes')
  expect(text).not.toContain('\ufffd')
})

test('annotations: an error for each failed check with a place, a warning for each flaky item, ten at most', async () => {
  const lines = githubAnnotations(await hostileResult(), { limit: 100 })
  expect(lines.length).toBeGreaterThan(10)
  for (const line of lines) {
    expect(line).toMatch(/^::error file=[^:,\n]*,line=3,title=[^:,\n]*::[^\n\r\u001b]*$/)
    expect(line.slice(2)).not.toMatch(/^::|\n::/)
  }
  expect(githubAnnotations(await hostileResult())).toHaveLength(10)
  const flaky = aResult({ items: [anItem(), anItem({ repetition: 2, passed: false, judged: 'fail' })] })
  expect(githubAnnotations(flaky)).toEqual(['::warning title=Flaky item::item-1 passed 1 of 2 trials.'])
  expect(githubAnnotations(flaky, { limit: 0 })).toEqual([])
})
