import { fail, jury } from '@jurist/core'
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

/** The Markdown without blocks of code and the elements that fold: what is left is prose. Every fence is closed. */
function proseOf(markdown: string): readonly string[] {
  const prose: string[] = []
  let fence = ''
  let open = 0
  for (const line of markdown.split('\n')) {
    if (fence !== '') {
      if (line === fence) fence = ''
    } else if (/^`{3,}text$/.test(line)) fence = line.slice(0, -'text'.length)
    else if (line === '<details>' || line === '</details>') {
      open += line === '<details>' ? 1 : -1
      expect([0, 1]).toContain(open)
    } else if (line !== '<summary>' && line !== '</summary>') prose.push(open === 1 && line !== '' ? `- ${line}` : line)
  }
  expect([fence, open]).toEqual(['', 0])
  return prose
}

/** That Markdown holds headings, lists, tables and plain paragraphs of ours, and nothing that a text brought along. */
function expectPlain(markdown: string): void {
  expect(markdown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u2028\u2029]/)
  let columns = 0
  for (const line of proseOf(markdown)) {
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

const outputs = [
  ...payloads,
  '</details>\n</summary>\n\n<script>alert(1)</script>\n# heading',
  '```\n</details>\n````\n| a |\n`````text\nmore',
  'x'.repeat(3_000_000),
  '\u001b[31mnot ok 1 - sum\u001b[39m\n'.repeat(100_000),
]

test('the output of a command stays in its block of code, whatever it holds', async () => {
  const items = await Promise.all(
    outputs.map(async (output, index) => {
      const metadata = { command: output.slice(0, 200), status: 'exited', exitCode: 1, output }
      const said = fail(`exit code ${index}`, { metadata })
      const verdict = await jury({ judges: { tests: () => said } }).vote({})
      return anItem({ itemId: `item-${index}`, judged: 'fail', passed: false, verdict })
    }),
  )
  const result = aResult({ items })
  for (const text of [markdownReport([result]), githubSummary(result)]) {
    expectPlain(text)
    expect(text.match(/^<details>$/gm)).toHaveLength(outputs.length)
    expect(text.length).toBeLessThan(200_000)
  }
  expect(markdownReport([result])).toContain('not ok 1 - sum\nnot ok 1 - sum\n')
})

test('alike reasons are one row, and the first of them is folded out below', async () => {
  const verdict = (count: number) => {
    const metadata = { command: 'npm test', status: 'exited', exitCode: 1, elapsedMs: 20, output: `not ok ${count}` }
    return jury({ judges: { tests: () => fail(`${count} of 9 failed`, { metadata }) } }).vote({})
  }
  const items = await Promise.all(
    [1, 2, 3, 4, 5].map(async (count) =>
      anItem({ itemId: `i${count}`, judged: 'fail', passed: false, verdict: await verdict(count) }),
    ),
  )
  const text = githubSummary(aResult({ items }))
  expect(text).toContain('| 5 trials: i1#1, i2#1, i3#1 and others | fail | tests: 1 of 9 failed |')
  expect(text.match(/^<details>$/gm)).toHaveLength(1)
  expect(text).toContain('tests: \\$ npm test   exit code 1, 20 ms\n\n```text\nnot ok 1\n```')
})

test('the first line of a summary says whether it went well, how many passed and how that differs', () => {
  const first = (text: string) => text.split('\n')[0]
  const good = run('plain', [true, true, true, true], [1, 1, 1, 1])
  const bad = run('plain', [true, false, true, true], [1, 0, 1, 1])
  expect(first(githubSummary(good))).toBe('## ✅ experiment @ plain: 4 of 4 passed, 100.0 %')
  expect(first(githubSummary(bad))).toBe('## ❌ experiment @ plain: 3 of 4 passed, 75.0 %')
  expect(first(githubSummary(bad, { comparison: compare(good, bad) }))).toBe(
    '## ✅ experiment @ plain: 3 of 4 passed, 75.0 % (-25.0 points against the baseline)',
  )
  const many = (passed: boolean) => run('plain', Array<boolean>(40).fill(passed), Array<number>(40).fill(1))
  expect(first(githubSummary(many(false), { comparison: compare(many(true), many(false)) }))).toMatch(
    /^## ❌ .*-100\.0 points/,
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
  const comparison = { ...compare(plain, planned), notes: ['Its own note.'] }
  expect(markdownReport([plain, planned], { comparisons: [comparison] })).toContain('Its own note.')
  expect(markdownReport([plain, planned])).not.toContain('Its own note.')
})

test('a comparison names every condition that differs', () => {
  const plain = run('plain', [true], [1], { conditions: { model: 'a' } })
  const text = comparisonReport(compare(plain, run('other', [true], [1], { conditions: { model: 'b' } })))
  expect(text).toMatch(/Conditions that differ\n.*\n +model +"a" +"b"/)
})

test('a job summary has at most 1 MiB and says what is left out', async () => {
  const reasoning = 'é'.repeat(5_000)
  const letters = (index: number) => [...String(index)].map((digit) => 'abcdefghij'[Number(digit)]).join('')
  const items = Array.from({ length: 1_500 }, (_, index) =>
    anItem({
      itemId: `item-${index}-${'x'.repeat(300)}`,
      agent: 'error',
      judged: 'not-judged',
      passed: false,
      failure: { name: 'Error', message: `${letters(index)} ${reasoning}`, origin: 'agent', infrastructure: false },
    }),
  )
  const outputs = await Promise.all(
    items.slice(0, 90).map(async (item, index) => {
      const metadata = { command: 'make', exitCode: 1, output: `${'é'.repeat(400)}\n`.repeat(60) }
      const verdict = await jury({ judges: { tests: () => fail(letters(index), { metadata }) } }).vote({})
      return { ...item, agent: 'completed', judged: 'fail', failure: null, verdict } as const
    }),
  )
  for (const all of [items, outputs]) {
    const text = githubSummary(aResult({ items: all }))
    expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(1_048_576)
    expect(text).toContain('The summary is longer than GitHub takes')
    expect(text).not.toContain('\ufffd')
    proseOf(text)
  }
})

test('annotations: an error for each failed check with a place, a warning for each flaky item, ten at most', async () => {
  const [judge = '', ...lines] = githubAnnotations(await hostileResult(), { limit: 100 })
  expect(judge).toMatch(/^::error title=A judge never judged::breaks never judged[^\n\r\u001b]*$/)
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
