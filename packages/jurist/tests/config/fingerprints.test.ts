import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anthropicModel } from '@jurist/bridges/anthropic'
import { openAiCompatibleModel } from '@jurist/bridges/openai-compatible'
import { allOf, fileExists, type Judge, juryOf, majority, mustDecide, not, outputText } from '@jurist/core'
import { everyTurn } from '@jurist/core/conversation'
import { isPlainObject, type OptionDescription } from '@jurist/core/internal'
import { cached, correctness, wrapModel } from '@jurist/core/llm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeJury } from '../../../experiment/src/run/describe-jury.js'
import { judgesByType } from '../../src/config/catalog.js'
import { describedJudge } from '../../src/config/described-jury.js'
import { collectIssues } from '../../src/config/problems.js'

const catalog = await judgesByType()

let directory = ''
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'jurist-fingerprints-'))
  for (const name of ['one', 'other']) mkdirSync(join(directory, name))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const fingerprintOf = (judge: Judge) => describeJury(juryOf(majority(), judge)).fingerprint

type Options = Readonly<Record<string, unknown>>

async function fingerprint(type: string, options: Options): Promise<string> {
  const { issues, report } = collectIssues()
  const models = { one: { provider: 'openai-compatible', model: 'm', baseUrl: 'http://localhost:1/v1' } }
  const judge = await describedJudge({ type, ...options }, [], { directory, report, juries: {}, models })
  expect(issues).toEqual([])
  return judge === undefined ? 'none' : fingerprintOf(judge)
}

const model = { provider: 'openai-compatible', model: 'm', baseUrl: 'http://localhost:1/v1' }
const file = { type: 'file-exists', path: 'a' }
const otherFile = { type: 'file-exists', path: 'b' }
const example = (verdict: unknown) => [{ output: 'x', verdict }]
const words = [{ name: 'short', description: 'It is short.' }]

/** What each type needs beside what the walk gives it. */
const needed: Readonly<Record<string, Options>> = {
  'output-text': { contains: 'x' },
  'file-content': { contains: 'x' },
  'similar-to': { by: 'levenshtein' },
  within: { ms: 9 },
  'at-end': { judge: file },
  'every-turn': { judge: file },
  'tools-used': { all: ['read'] },
  'build-succeeds': { command: 'make' },
  'tests-pass': { command: 'make' },
  'harbor-verifier': { task: 'one' },
  'swebench-grade': { command: 'make' },
  rubric: { criteria: words },
  recorded: { judge: 'one' },
}

interface Walked {
  /** Beside what the type needs; `undefined` takes that away. */
  readonly beside?: Options
  readonly values?: readonly [unknown, unknown]
  /** Why the option does not count. */
  readonly uncounted?: string
}

/** A prompt of one's own, with every slot that it must have. */
const prompts = (...slots: readonly string[]): Walked => {
  const rest = slots.map((slot) => `{{${slot}}}`).join(' ')
  return { values: [`One: ${rest}`, `Two: ${rest}`] }
}
const limit: Walked = { uncounted: 'it stops a judge, and never changes what it says' }
const atRuntime: Walked = {
  values: ['one', 'other'],
  uncounted: 'a directory can only be looked at when the judge runs',
}
const judgedBy: Walked = { values: [file, otherFile] }
const onlyRule = { beside: { contains: undefined } }

/** Options that the schema alone gives no two values for, by their name or by `type.name`. */
const walked: Readonly<Record<string, Walked>> = {
  model: {
    values: [model, { ...model, model: 'n' }],
    uncounted: 'the models of a config are conditions of a run, and of a certificate, by themselves',
  },
  name: { values: ['a', 'b'] },
  timeoutMs: limit,
  cpuMs: limit,
  'output-text.budgetMs': { ...limit, beside: { contains: undefined, matches: 'x' } },
  'file-content.budgetMs': { ...limit, beside: { contains: undefined, matches: 'x' } },
  prompt: prompts('output'),
  'g-eval.prompt': prompts('criteria', 'steps', 'output'),
  'pairwise.prompt': prompts('A', 'B'),
  'rubric.prompt': prompts('criteria', 'output'),
  'semantic-diff.prompt': prompts('changes', 'criterion'),
  'answer-relevance.prompt': prompts('question', 'claims'),
  'context-precision.prompt': prompts('expected', 'sources'),
  'context-recall.prompt': prompts('context', 'claims'),
  'contextual-relevance.prompt': prompts('question', 'context'),
  'faithfulness.prompt': prompts('context', 'claims'),
  'hallucination.prompt': prompts('context', 'answer'),
  'tool-criteria.prompt': prompts('calls'),
  'criteria.prompt': prompts('criterion', 'output'),
  'g-eval.examples': { values: [example(1), example(2)] },
  'rubric.examples': { values: [example({ short: 1 }), example({ short: 2 })] },
  'contextual-relevance.examples': {
    values: [[{ context: 'x', verdict: 'pass' }], [{ context: 'x', verdict: 'fail' }]],
  },
  examples: { values: [example('pass'), example('fail')] },
  options: { values: [{ temperature: 0.2 }, { temperature: 0.4 }] },
  scale: {
    values: [
      { min: 0, max: 4 },
      { min: 0, max: 5 },
    ],
  },
  judge: judgedBy,
  after: { values: [file, otherFile] },
  env: { values: [{ A: '1' }, { A: '2' }] },
  equals: onlyRule,
  matches: onlyRule,
  ignoreCase: { beside: { contains: undefined, matches: 'x' } },
  'command-succeeds.matches': {},
  'recorded.judge': {},
  'superset-of.reference': atRuntime,
  'matches-reference.reference': atRuntime,
  'matches-expected.normalize': { values: [['case'], ['unicode']] },
  'matches-expected.tolerance': { beside: { by: 'number' }, values: [1, 2] },
  'matches-expected.which': { beside: { by: 'number' } },
  'matches-expected.decimal': { beside: { by: 'number' } },
  'matches-expected.choices': {
    beside: { by: 'choice' },
    values: [
      ['a', 'b'],
      ['a', 'c'],
    ],
  },
  'matches-expected.threshold': { beside: { by: 'list' } },
  'output-json.schema': { values: [{ type: 'object' }, { type: 'array' }] },
  'similar-to.by': { values: ['rouge-l', 'token-f1'] },
  'similar-to.normalize': { values: [['case'], ['unicode']] },
  'similar-to.embed': { beside: { by: 'embedding' }, values: [model, { ...model, model: 'n' }] },
  'criteria.strictness': { values: [1, 3] },
  'rubric.criteria': { values: [words, [{ name: 'long', description: 'It is long.' }]] },
  'faithfulness.mode': { values: ['claims', 'single'] },
  'state-equals.expected': { values: [{ a: 1 }, { a: 2 }] },
  'tool-calls.expected': { values: [[{ name: 'a' }], [{ name: 'b' }]] },
  'tool-calls.extra': { values: ['allowed', 'forbidden'] },
  'tools-used.atMost': { values: [{ a: 1 }, { a: 2 }] },
  'tool-order.after': {},
  'build-succeeds.tool': { beside: { command: undefined }, values: ['npm', 'pnpm'] },
  'build-succeeds.arguments': { beside: { command: undefined, tool: 'npm' }, values: [['a'], ['b']] },
  'tests-pass.tool': { beside: { command: undefined }, values: ['npm', 'pnpm'] },
  'tests-pass.arguments': { beside: { command: undefined, tool: 'npm' }, values: [['a'], ['b']] },
  'tests-pass.overlay': { values: [{ paths: ['a'] }, { paths: ['b'] }] },
  'tests-pass.isolate': { beside: { overlay: { paths: ['a'] } }, values: ['child', undefined] },
  'matches-reference.languages': { values: [{ '*.a': 'text' }, { '*.a': 'json' }] },
  'swebench-grade.log': { beside: { command: undefined } },
  'swebench-grade.report': { beside: { command: undefined } },
  'swebench-grade.overlay': { values: [{ paths: ['a'] }, { paths: ['b'] }] },
  'swebench-grade.isolate': { beside: { overlay: { paths: ['a'] } }, values: ['child', undefined] },
  'harbor-verifier.task': atRuntime,
  'harbor-verifier.workdir': { values: ['/app', '/srv'] },
  'recorded.categories': { values: [['a'], ['b']] },
  'recorded.range': {
    values: [
      { min: 0, max: 1 },
      { min: 0, max: 2 },
    ],
  },
  'human-queue.file': { uncounted: 'people decide, whichever file has their queue' },
  'human-queue.results': { uncounted: 'people decide, wherever their labels are' },
}

/** Two values that a schema allows. */
function valuesIn(schema: unknown): readonly [unknown, unknown] {
  const { type, enum: words, anyOf, minimum = 0, maximum } = isPlainObject(schema) ? (schema as Options) : {}
  if (Array.isArray(words)) return [words[0], words[1]]
  if (Array.isArray(anyOf)) return valuesIn(anyOf[0])
  if (type === 'boolean') return [true, false]
  if (type === 'array') return [['a'], ['b']]
  if (type === 'integer' || type === 'number')
    return maximum === 1 ? [0.4, 0.6] : [Number(minimum) + 1, Number(minimum) + 2]
  return ['a', 'b']
}

/** The least that the required options of a type take. */
function leastOf(type: string, required: readonly string[], options: Readonly<Record<string, OptionDescription>>) {
  const given = required.map((name) => [name, name === 'model' ? model : valuesIn(options[name]?.schema)[0]])
  return { ...Object.fromEntries(given), ...needed[type] }
}

const rows = [...catalog].flatMap(([type, { options, required }]) =>
  Object.keys(options).map((name) => [`${type}.${name}`, type, name, leastOf(type, required, options)] as const),
)

describe('the fingerprint of a jury', () => {
  test.each(rows)('counts %s, or has a reason not to', async (place, type, name, least) => {
    const walk = { ...walked[name], ...walked[place] }
    const { beside, values = valuesIn(catalog.get(type)?.options[name]?.schema) } = walked[place] ?? walk
    const given = { ...least, ...beside }
    const [one, other] = await Promise.all(values.map((value) => fingerprint(type, { ...given, [name]: value })))
    if (walk.uncounted === undefined) expect(one).not.toBe(other)
    else expect(one).toBe(other)
  })

  const asked = openAiCompatibleModel({ model: 'm', baseUrl: 'http://localhost:1/v1' })
  const elsewhere = () => openAiCompatibleModel({ model: 'm', baseUrl: 'http://localhost:2/v1' })
  const same = [
    ['a judge without options', () => correctness({ model: asked })],
    ['a limit', () => correctness({ model: asked, options: { timeoutMs: 9 } })],
    ['another address of the same model', () => correctness({ model: elsewhere() })],
  ] as const
  test.each(same)('is the same for %s', (_, make) => {
    expect(fingerprintOf(make())).toBe(fingerprintOf(correctness({ model: asked })))
  })

  const different: readonly (readonly [string, Judge, Judge])[] = [
    ['a member of a combination', not(fileExists('a')), not(fileExists('b'))],
    ['the order of a combination', allOf(fileExists('a'), fileExists('b')), allOf(fileExists('b'), fileExists('a'))],
    [
      'what a judge may not leave open',
      mustDecide(outputText({ equals: 'a' })),
      mustDecide(outputText({ equals: 'b' })),
    ],
    ['the judge of each turn', everyTurn(outputText({ equals: 'a' })), everyTurn(outputText({ equals: 'b' }))],
    ['a regular expression', outputText({ matches: /a/ }), outputText({ matches: /a/i })],
    [
      'the model that a program makes',
      correctness({ model: asked }),
      correctness({ model: openAiCompatibleModel({ model: 'n', baseUrl: 'http://localhost:1/v1' }) }),
    ],
    [
      'a setting of such a model',
      correctness({ model: anthropicModel({ model: 'm', maxTokens: 10 }) }),
      correctness({ model: wrapModel(anthropicModel({ model: 'm', maxTokens: 20 }), cached()) }),
    ],
  ]
  test.each(different)('changes with %s', (_, one, other) => {
    expect(fingerprintOf(one)).not.toBe(fingerprintOf(other))
  })
})
