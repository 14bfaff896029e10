import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { movedAssertion } from '../src/import/promptfoo-assertions.js'
import { movedProvider } from '../src/import/promptfoo-providers.js'
import { project } from './project.js'

const contains = (text: string, ignoreCase = false) => ({
  type: 'output-text',
  contains: text,
  ...(ignoreCase ? { ignoreCase } : {}),
})

describe('an assertion of promptfoo', () => {
  test.each([
    [
      { type: 'equals', value: 'Paris' },
      { type: 'output-text', equals: 'Paris' },
    ],
    [
      { type: 'equals', value: 4 },
      { type: 'output-text', equals: '4' },
    ],
    [
      { type: 'equals', value: { a: [1] } },
      { type: 'output-json', schema: { const: { a: [1] } } },
    ],
    [
      { type: 'equals', value: '{{city}}' },
      { type: 'output-text', equals: 'Rome' },
    ],
    [{ type: 'contains', value: 'a {{ city }} b' }, contains('a Rome b')],
    [{ type: 'icontains', value: 'PARIS' }, contains('PARIS', true)],
    [
      { type: 'not-icontains', value: 'x' },
      { type: 'not', judge: contains('x', true) },
    ],
    [
      { type: 'contains-all', value: ['a', 'b'] },
      { type: 'all-of', judges: [contains('a'), contains('b')] },
    ],
    [
      { type: 'icontains-any', value: 'a, b' },
      { type: 'any-of', judges: [contains('a', true), contains('b', true)] },
    ],
    [
      { type: 'starts-with', value: '1.5 (x)' },
      { type: 'output-text', matches: '^1\\.5 \\(x\\)' },
    ],
    [
      { type: 'regex', value: '^\\d+$' },
      { type: 'output-text', matches: '^\\d+$' },
    ],
    [{ type: 'is-json' }, { type: 'output-json' }],
    [
      { type: 'is-json', value: { type: 'object' } },
      { type: 'output-json', schema: { type: 'object' } },
    ],
    [
      { type: 'cost', threshold: 0.01 },
      { type: 'within', costUsd: 0.01 },
    ],
    [
      { type: 'latency', threshold: 500 },
      { type: 'within', ms: 500 },
    ],
    [
      { type: 'llm-rubric', value: 'Polite?' },
      { type: 'criteria', criterion: 'Polite?', model: 'grader' },
    ],
    [
      {
        type: 'assert-set',
        assert: [
          { type: 'contains', value: 'a' },
          { type: 'not-contains', value: 'b' },
        ],
      },
      { type: 'all-of', judges: [contains('a'), { type: 'not', judge: contains('b') }] },
    ],
  ])('%j', (assertion, judge) => {
    expect(movedAssertion(assertion, { city: 'Rome' })).toEqual({ judge })
  })

  test.each([
    [{ type: 'javascript', value: 'output.length > 1' }, /javascript has no counterpart/],
    [{ type: 'levenshtein', value: 'a' }, /levenshtein has no counterpart/],
    [{ type: 'constructor' }, /constructor has no counterpart/],
    [{ type: 'llm-rubric', value: 'x', threshold: 0.7 }, /threshold/],
    [{ type: 'llm-rubric', value: 'x', provider: 'openai:gpt-4o' }, /provider/],
    [{ type: 'contains', value: 'x', transform: 'output.trim()' }, /transform/],
    [{ type: 'contains', value: '{{ city | upper }}' }, /Nunjucks/],
    [{ type: 'is-json', value: 'file://schema.json' }, /file:\/\/schema\.json/],
    [{ type: 'contains', value: ['a'] }, /needs a string/],
    [{ type: 'contains-all' }, /needs a list/],
    [{ type: 'latency' }, /threshold/],
    [{ type: 'assert-set', threshold: 0.5, assert: [] }, /assert-set with "threshold"/],
    [{ type: 'assert-set', assert: [{ type: 'python', value: 'x' }] }, /assert-set: python has no counterpart/],
    ['contains', /not an assertion/],
  ])('%j has no counterpart, and says why', (assertion, problem) => {
    expect(movedAssertion(assertion, {})).toEqual({ problem: expect.stringMatching(problem) })
  })
})

describe('a provider of promptfoo', () => {
  test.each([
    [
      'openai:gpt-4o',
      {
        provider: 'openai-compatible',
        model: 'gpt-4o',
        baseUrl: 'https://api.openai.com/v1',
        apiKeyEnv: 'OPENAI_API_KEY',
      },
    ],
    [
      {
        id: 'openai:chat:m:v1',
        config: { apiBaseUrl: 'http://x/v1', apiKeyEnvar: 'KEY', temperature: 0, max_tokens: 9 },
      },
      {
        provider: 'openai-compatible',
        model: 'm:v1',
        baseUrl: 'http://x/v1',
        apiKeyEnv: 'KEY',
        options: { temperature: 0, maxTokens: 9 },
      },
    ],
    ['anthropic:messages:claude-x', { provider: 'anthropic', model: 'claude-x', apiKeyEnv: 'ANTHROPIC_API_KEY' }],
    ['ollama:chat:llama3', { provider: 'openai-compatible', model: 'llama3', baseUrl: 'http://localhost:11434/v1' }],
  ])('%j', (given, model) => {
    expect(movedProvider(given)).toEqual(expect.objectContaining({ model }))
  })

  test.each(['openai:embedding:e', 'openai:assistant:a', 'http', 'file://x.py', 'python:x.py', 'openai'])(
    '%s has no counterpart',
    (id) => expect(movedProvider(id)).toEqual(expect.objectContaining({ problem: expect.stringContaining(id) })),
  )
})

const suite = `
description: Capitals
prompts: ['What is the capital of {{country}}?']
providers: [file://agent.py]
defaultTest:
  assert: [{ type: not-contains, value: sorry }]
tests:
  - vars: { country: [France, Italy] }
    assert: [{ type: icontains, value: '{{country}}' }]
  - more/*.yaml
  - vars: { country: Peru }
    assert: [{ type: javascript, value: 'true' }]
`
const more = `
- description: Spain
  vars: { country: file://spain.txt }
  threshold: 0.5
  assert: [{ type: contains, value: Madrid, weight: 3 }, { type: is-json, weight: 0 }]
`

describe('jurist import promptfoo', () => {
  test('writes a config, a row for each test and what is left to do', async () => {
    using made = project({ 'pf.yaml': suite, 'more/one.yaml': more, 'spain.txt': 'Spain' })
    const { code, stdout, stderr } = await made.jurist('import', 'promptfoo', 'pf.yaml', '--out', 'out')
    expect([code, stderr]).toEqual([0, ''])
    const read = (path: string) => readFileSync(join(made.directory, 'out', path), 'utf8')
    expect(parse(read('jurist.config.yaml'))).toEqual({
      experiments: {
        Capitals: {
          dataset: 'rows.jsonl',
          prompt: 'What is the capital of {{input.country}}?',
          agent: { module: './agent.py.agent.mjs' },
        },
      },
    })
    const rows = read('rows.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const polite = { type: 'not', judge: contains('sorry') }
    expect(rows.map(({ id, task, status }) => [id, task, status])).toEqual([
      ['test-1', 'What is the capital of France?', undefined],
      ['test-2', 'What is the capital of Italy?', undefined],
      ['test-3', 'What is the capital of Spain?', undefined],
      ['test-4', 'What is the capital of Peru?', 'disabled'],
    ])
    expect(rows[1]).toMatchObject({
      input: { country: 'Italy' },
      judges: { not: polite, 'output-text': contains('Italy', true) },
    })
    expect(rows[2].judges).toEqual({
      judges: { not: { judge: polite, weight: 1 }, 'output-text': { judge: contains('Madrid'), weight: 3 } },
      vote: { type: 'weighted-average', threshold: 0.5 },
    })
    expect(stdout).toContain('4 tests, 1 of them disabled')
    expect(stdout).toContain('- tests[2] (row test-4, disabled): assert[1]: javascript has no counterpart.')
    expect(stdout).toContain('- agent.py.agent.mjs: the provider file://agent.py has no counterpart.')
  })

  test('judges as the suite does once its agent is written', async () => {
    using made = project({ 'pf.yaml': suite, 'more/one.yaml': more, 'spain.txt': 'Spain' })
    await made.jurist('import', 'promptfoo', 'pf.yaml', '--out', 'out')
    made.write({
      'out/agent.py.agent.mjs': `
export default async ({ prompt }) => (prompt.includes('Spain') ? 'sorry, Madrid' : 'FRANCE: Paris')
`,
    })
    const ran = await made.jurist('-C', 'out', 'run', '--quiet')
    expect(ran.stdout).toContain('2 of 3 decided')
    const { stdout } = await made.jurist('-C', 'out', 'export', 'latest', '--format', 'jsonl', '--table', 'items')
    const judged = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    // France: named, and polite. Italy: not named. Spain: 3 of the weight of 4 holds, which meets 0.5.
    expect(Object.fromEntries(judged.map(({ item_id, judged }) => [item_id, judged]))).toEqual({
      'test-1': 'pass',
      'test-2': 'fail',
      'test-3': 'pass',
    })
  })

  test('reads prompts from files, makes variants of several, and takes the grader of the suite', async () => {
    using made = project({
      'prompts.txt': 'First {{x}}\n---\nSecond {{ x }}\n',
      'pf.yaml': `
prompts: [file://prompts.txt]
providers: [echo, 'openai:gpt-4o']
evaluateOptions: { repeat: 2, maxConcurrency: 3 }
defaultTest: { options: { provider: 'anthropic:messages:claude-x' } }
tests: [{ vars: { x: 1 }, assert: [{ type: llm-rubric, value: Fine? }] }]
`,
    })
    const { code, stdout } = await made.jurist('import', 'promptfoo', 'pf.yaml', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ tests: 1, disabled: 0, notes: [] })
    const config = parse(readFileSync(join(made.directory, 'evals/jurist.config.yaml'), 'utf8'))
    expect(config.models.grader).toMatchObject({ provider: 'anthropic', model: 'claude-x' })
    expect(config.experiments.suite).toMatchObject({
      repetitions: 2,
      concurrency: 3,
      variants: {
        'echo-prompt-1': { agent: { command: ['cat'] }, prompt: 'First {{input.x}}' },
        'openai-gpt-4o-prompt-2': { agent: { model: 'openai-gpt-4o' }, prompt: 'Second {{input.x}}' },
      },
    })
  })

  test('names everything that it cannot read, and writes nothing', async () => {
    using made = project({
      'pf.yaml': `
prompts: ['{% if a %}x{% endif %}', file://missing.txt, '[{"role": "user"}]']
providers: [echo]
scenarios: []
tests: [none-*.yaml, tests.csv, 7]
`,
    })
    const { code, stderr } = await made.jurist('import', 'promptfoo', 'pf.yaml')
    expect(code).toBe(2)
    for (const part of ['scenarios', 'prompts[0]', 'prompts[1]', 'prompts[2]', 'tests[0]', 'tests[1]', 'tests[2]'])
      expect(stderr).toContain(part)
    expect(() => readFileSync(join(made.directory, 'evals/rows.jsonl'))).toThrow('ENOENT')
  })

  test.each([
    [['import', 'deepeval', 'pf.yaml'], /Unknown format "deepeval"/],
    [['import', 'promptfoo', 'none.yaml'], /none\.yaml is not a file/],
    [['import', 'promptfoo', 'pf.yaml', '--out', 'there'], /there exists already/],
    [['import', 'promptfoo', 'pf.js'], /Write the suite as YAML/],
    [['import', 'promptfoo', 'broken.yaml'], /broken\.yaml/],
  ])('%j is refused', async (argv, message) => {
    using made = project({ 'pf.yaml': suite, 'pf.js': '', 'broken.yaml': 'a: [', 'there/file': '' })
    const { code, stderr } = await made.jurist(...argv)
    expect(code).toBe(2)
    expect(stderr).toMatch(message)
  })
})
