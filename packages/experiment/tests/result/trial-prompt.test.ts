import { consensus, fail, jury } from '@jurist/core'
import { trialPrompt } from '@jurist/experiment/internal/results'
import { anItem } from '@jurist/experiment/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const run = { id: '20260101T000000000Z-aaaaaa', experimentName: 'shop', variant: null }

async function itemWith(text: string) {
  const checks = [{ name: 'sums', passed: false, message: text, location: { path: 'src/a.js', line: 7 } }]
  const metadata = { command: 'npm test', exitCode: 1, output: `ok 1\nnot ok 2 - sums\n${text}` }
  const verdict = await jury({
    judges: { unit: () => fail(text, { checks, metadata }) },
    vote: consensus(),
  }).vote({ agentOutput: text })
  const detail = {
    kind: 'agent',
    invocation: { status: 'completed', output: { type: 'text', text } },
  } as const
  return anItem({ itemId: 'orders', task: text, verdict, passed: false, judged: 'fail', detail })
}

test('a prompt has the task, the verdict, the evidence, the output and the changes', async () => {
  const changes = [
    { path: 'src/a.js', lines: ['@@ -1 +1 @@', '-a', '+b'] },
    { path: 'logo.png', lines: null },
  ]
  const text = trialPrompt(await itemWith('It is wrong.'), { run, changes })
  expect(text.match(/^#{1,2} .*$/gm)).toEqual([
    '# Trial orders#1: fail',
    '## Task',
    '## Verdict',
    '## Evidence of unit',
    '## Output of the agent',
    '## Changes of the agent',
  ])
  for (const part of [
    'The judge unit decided.',
    'sums: It is wrong. (src/a.js:7)',
    '$ npm test   exit code 1',
    'not ok 2 - sums',
    '```diff\n--- a/src/a.js\n+++ b/src/a.js\n@@ -1 +1 @@\n-a\n+b\nlogo.png changed; it is binary or too large to show.\n```',
  ])
    expect(text).toContain(part)
  expect(trialPrompt(await itemWith('x'), { run, changes: 'The workspace was not kept.' })).toContain(
    '## Changes of the agent\n\nThe workspace was not kept.',
  )
})

test('no text closes its fence, and no control sequence is left', async () => {
  const part = fc.constantFrom('`', '```', '````\n', '\n', '## Task', '\u001b[31m', '~~~', 'text')
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 12 }), async (parts) => {
      const hostile = `${parts.join('')} end`
      const text = trialPrompt(await itemWith(hostile), { run, changes: [{ path: hostile, lines: [hostile] }] })
      expect(text).not.toContain('\u001b')
      expect(headingsOutside(text)).toEqual([
        '# Trial orders#1: fail',
        '## Task',
        '## Verdict',
        '## Evidence of unit',
        '## Output of the agent',
        '## Changes of the agent',
      ])
    }),
  )
})

test('a prompt stays small, whatever the trial holds', async () => {
  const long = 'a long line of text\n'.repeat(20_000)
  const changes = Array.from({ length: 300 }, (_, index) => ({ path: `src/${index}.js`, lines: [long] }))
  const text = trialPrompt(await itemWith(long), { run, changes })
  expect(text.length).toBeLessThan(70_000)
  expect(text).toContain('characters left out')
  expect(text).toContain('and 250 files more')
})

/** The headings that a reader of Markdown sees: those outside of fences. */
function headingsOutside(text: string): readonly string[] {
  const headings: string[] = []
  let fence: string | undefined
  for (const line of text.split('\n')) {
    const mark = /^`{3,}/.exec(line)?.[0]
    if (fence === undefined && mark !== undefined) fence = mark
    else if (fence !== undefined && mark !== undefined && mark.length >= fence.length && line === mark)
      fence = undefined
    else if (fence === undefined && line.startsWith('#')) headings.push(line)
  }
  expect(fence).toBeUndefined()
  return headings
}
