import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { infoOf, runJudge } from '@jurist/core'
import { correctness, criteria, gEval, type JudgeModelRequest, pairwise, rubric } from '@jurist/core/llm'
import { faithfulness } from '@jurist/core/rag'
import { aContext, scriptedModel } from '@jurist/core/testing'
import { describe, expect, test } from 'vitest'
import { everyModelJudge } from './every-judge.js'
import { ownWords, takesOwnWords, words } from './own-words.js'

const model = scriptedModel(() => 'Answer: YES')
const polite = { model, criterion: 'It is polite.' }
const sentBy = ({ messages, metadata }: JudgeModelRequest) =>
  String(messages.at(-1)?.content).replaceAll(String(metadata['fence']), 'FENCE')

test.each(everyModelJudge.filter(takesOwnWords).map(ownWords))(
  '$name judges by a prompt and examples of its user',
  async (judge) => {
    const context = aContext({
      agentOutput: 'Hello!',
      expectedOutput: 'Hi!',
      referenceData: ['Ada wrote it.'],
      toolSteps: [{ name: 'look', input: {}, status: 'completed', turn: 0 }],
    })
    const prompt = words[judge.name]?.prompt ?? ''
    const fixed = prompt.split(/\s*\{\{\w+\}\}\s*/).filter((text) => text !== '')
    for (const [answers, status] of [[judge.passing, 'pass'] as const, [judge.failing, 'fail'] as const]) {
      const scripted = scriptedModel(...answers)
      const withFiles = { ...context, before: context.workspace }
      expect((await runJudge(judge.make({ model: scripted }), withFiles)).status).toBe(status)
      const last = sentBy(scripted.requests.at(-1) as JudgeModelRequest)
      for (const text of fixed) expect(last).toContain(text)
      expect(last).toMatch(/^Examples of this judgment/)
      expect(last).not.toContain('{{')
    }
  },
)

test('the prompt, as a model gets it: examples, the question of the user, the form of the answer', async () => {
  const scripted = scriptedModel('Answer: YES')
  const examples = [{ input: 'Say hello.', output: 'Go away!', verdict: 'fail', reason: 'It is rude.' } as const]
  const prompt = 'Wanted: {{criterion}}\nThe customer wrote:\n{{goal}}\nWe expected {{expected}}.\n\n{{output}}'
  const context = aContext({ goal: 'Greet me.', agentOutput: 'Hello {{criterion}}!' })
  await runJudge(criteria({ ...polite, model: scripted, prompt, examples }), context)
  expect(sentBy(scripted.requests[0] as JudgeModelRequest)).toMatchInlineSnapshot(`
    "Examples of this judgment, each with the right answer to it. They are not what you judge.

    Example 1:

    <<example-1-goal FENCE>>
    Say hello.
    <<end example-1-goal FENCE>>

    <<example-1-output FENCE>>
    Go away!
    <<end example-1-output FENCE>>

    Reasoning: It is rude.
    Answer: NO

    Now judge this:

    Wanted: It is polite.
    The customer wrote:
    <<goal FENCE>>
    Greet me.
    <<end goal FENCE>>
    We expected (not given).

    <<output FENCE>>
    Hello {{criterion}}!
    <<end output FENCE>>

    First give your reasons in a few sentences, in a paragraph that begins with "Reasoning:"; quote no whole lines. Then write one last line: "Answer: YES" when the criterion is satisfied, "Answer: NO" when it is not."
  `)
})

test('a prompt can be a file', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'prompt-'))
  const file = join(directory, 'polite.md')
  writeFileSync(file, 'Is it kind? {{criterion}}\n{{output}}')
  const scripted = scriptedModel('Answer: YES')
  const judge = criteria({ ...polite, model: scripted, prompt: { file } })
  rmSync(directory, { recursive: true })
  await runJudge(judge, aContext({ agentOutput: 'Hello!' }))
  expect(sentBy(scripted.requests[0] as JudgeModelRequest)).toMatch(
    /^Is it kind\? It is polite\.\n<<output FENCE>>\nHello!/,
  )
  expect(() => criteria({ ...polite, prompt: { file } })).toThrow(/cannot be read/)
})

test('a judge of other words has another version, so that juries differ by their prompts', () => {
  const versionOf = (prompt?: string) =>
    infoOf(criteria({ ...polite, ...(prompt === undefined ? {} : { prompt }) })).version
  expect(versionOf()).toBeUndefined()
  expect(versionOf('{{criterion}} {{output}}')).not.toBe(versionOf('{{criterion}}: {{output}}'))
})

describe('what a template must be', () => {
  const rows: readonly (readonly [string, () => unknown, RegExp])[] = [
    [
      'an unknown slot',
      () => correctness({ model, prompt: '{{answer}} {{output}}' }),
      /no slot \{\{answer\}\}. Available: goal/,
    ],
    [
      'a mistyped slot',
      () => correctness({ model, prompt: '{{ouput}}' }),
      /no slot \{\{ouput\}\}. Did you mean "output"/,
    ],
    [
      'no data',
      () => correctness({ model, prompt: 'Is it right?' }),
      /\{\{output\}\} is missing: the model would not see/,
    ],
    ['no criterion', () => criteria({ ...polite, prompt: '{{output}}' }), /\{\{criterion\}\} is missing: the option/],
    ['no steps', () => gEval({ model, criteria: 'c', prompt: '{{criteria}} {{output}}' }), /\{\{steps\}\} is missing/],
    ['one of two', () => pairwise({ model, prompt: '{{A}}' }), /\{\{B\}\} is missing/],
    ['no claims', () => faithfulness({ model, prompt: '{{context}} {{answer}}' }), /no slot \{\{answer\}\}.*claims/],
    ['blank', () => correctness({ model, prompt: ' ' }), /template that is not blank/],
    [
      'a number',
      () => correctness({ model, prompt: 3 as never }),
      /template that is not blank, or \{ file \} \(got 3\)/,
    ],
  ]
  test.each(rows)('%s is refused', (_, make, message) => {
    expect(make).toThrow(message)
  })
})

describe('what an example must be', () => {
  const example = { output: 'Hi!', verdict: 'pass' } as const
  const inRubric = (verdict: never) =>
    rubric({ model, criteria: [{ name: 'clear', description: 'c' }], examples: [{ output: 'a', verdict }] })
  const rows: readonly (readonly [string, () => unknown, RegExp])[] = [
    [
      'no verdict',
      () => correctness({ model, examples: [{ output: 'a' } as never] }),
      /"verdict" must be "pass" or "fail"/,
    ],
    [
      'a score for yes or no',
      () => correctness({ model, examples: [{ ...example, verdict: 3 }] }),
      /example 1 of correctness/,
    ],
    ['yes or no for a score', () => gEval({ model, criteria: 'c', examples: [example] }), /a score from 0 to 10/],
    [
      'a score off the scale',
      () => correctness({ model, threshold: 1, examples: [{ ...example, verdict: 11 }] }),
      /0 to 10/,
    ],
    [
      'a part without a place',
      () => correctness({ model, examples: [{ ...example, context: 'c' }] }),
      /shows no "context"/,
    ],
    ['nothing to show', () => correctness({ model, examples: [{ verdict: 'pass' }] }), /it shows nothing/],
    [
      'an unknown key',
      () => correctness({ model, examples: [{ ...example, score: 1 } as never] }),
      /unknown option "score"/,
    ],
    ['another criterion', () => inRubric({ other: 3 } as never), /each of clear/],
    ['none', () => correctness({ model, examples: [] }), /1 to 20 examples/],
  ]
  test.each(rows)('%s is refused', (_, make, message) => {
    expect(make).toThrow(message)
  })
})
