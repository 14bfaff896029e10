import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { project } from '../../../jurist/tests/project.js'
import { movedAssertion } from '../../src/promptfoo/assertions.js'
import { movedProvider } from '../../src/promptfoo/providers.js'

const contains = (text: string, ignoreCase = false) => ({
  type: 'output-text',
  contains: text,
  ...(ignoreCase ? { ignoreCase } : {}),
})

const containing = (value: string) => ({ type: 'contains', value })

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
    [
      { type: 'assert-set', threshold: 0.25, assert: ['a', 'b', 'c', 'd'].map(containing) },
      { type: 'any-of', judges: ['a', 'b', 'c', 'd'].map((text) => contains(text)) },
    ],
    [
      { type: 'assert-set', threshold: 0.9, assert: [containing('a'), { ...containing('b'), weight: 0 }] },
      { type: 'any-of', judges: [contains('a')] },
    ],
    [
      { type: 'not-is-json', metric: 'prose' },
      { type: 'not', judge: { type: 'output-json' } },
    ],
  ])('%j', (assertion, judge) => {
    expect(movedAssertion(assertion, { city: 'Rome' })).toEqual({ judge })
  })

  test.each([
    [{}, undefined, 0.75, 'text-embedding-3-large', 'https://api.openai.com/v1'],
    [{ threshold: 0.9, provider: 'ollama:embeddings:nomic' }, undefined, 0.9, 'nomic', 'http://localhost:11434/v1'],
    [{}, { text: 'openai:m', embedding: 'mistral:embedding:e' }, 0.75, 'e', 'https://api.mistral.ai/v1'],
    [{}, 'openai:gpt-4o', 0.75, 'text-embedding-3-large', 'https://api.openai.com/v1'],
  ])('similar with %j and graders %j compares vectors', (fields, graders, threshold, model, baseUrl) => {
    const moved = movedAssertion({ type: 'similar', value: ['in {{city}}'], ...fields }, { city: 'Rome' }, graders)
    expect(moved).toEqual({
      judge: { type: 'similar-to', by: 'embedding', threshold, embed: expect.objectContaining({ model, baseUrl }) },
      expected: ['in Rome'],
    })
  })

  test.each([
    [{ type: 'javascript', value: 'output.length > 1' }, /javascript has no counterpart/],
    [{ type: 'not-levenshtein', value: 'a' }, /not-levenshtein has no counterpart/],
    [{ type: 'not-equals', value: { a: 1 } }, /not the opposite of equals/],
    [{ type: 'not-is-json', value: { type: 'object' } }, /not the opposite of is-json/],
    [{ type: 'not-cost', threshold: 1 }, /not the opposite of cost/],
    [{ type: 'contains', value: '' }, /needs a string/],
    [{ type: 'regex', value: '(' }, /invalid pattern/],
    [{ type: 'contains-any', value: '"a, b", c' }, /quotes in a string/],
    [{ type: 'llm-rubric', value: 'x', rubricPrompt: 'y' }, /llm-rubric with "rubricPrompt"/],
    [{ type: 'similar', value: 'x', provider: 'cohere:embedding:e' }, /similar with the provider "cohere/],
    [{ type: 'contains', value: 'x', weight: 'heavy' }, /weight of contains/],
    [{ type: 'constructor' }, /constructor has no counterpart/],
    [{ type: 'llm-rubric', value: 'x', threshold: 0.7 }, /threshold/],
    [{ type: 'llm-rubric', value: 'x', provider: 'openai:gpt-4o' }, /provider/],
    [{ type: 'contains', value: 'x', transform: 'output.trim()' }, /transform/],
    [{ type: 'contains', value: '{{ city | upper }}' }, /Nunjucks/],
    [{ type: 'is-json', value: 'file://schema.json' }, /file:\/\/schema\.json/],
    [{ type: 'contains', value: ['a'] }, /needs a string/],
    [{ type: 'contains-all' }, /needs a list/],
    [{ type: 'latency' }, /threshold/],
    [{ type: 'assert-set', assert: [] }, /needs assertions/],
    [{ type: 'assert-set', threshold: 0.5, assert: ['a', 'b', 'c'].map(containing) }, /neither all nor one/],
    [{ type: 'assert-set', assert: [{ type: 'python', value: 'x' }] }, /assert-set: python has no counterpart/],
    ['contains', /not an assertion/],
  ])('%j has no counterpart, and says why', (assertion, problem) => {
    expect(movedAssertion(assertion, {})).toEqual({ problem: expect.stringMatching(problem) })
  })
})

const calls = (fields: object) => ({ type: 'tool-calls', ...fields, mustDecide: 'error' })
const used = (fields: object) => ({ type: 'tools-used', ...fields, mustDecide: 'error' })
const not = (judge: object) => ({ type: 'not', judge })
const shells = ['exec_command', 'local_shell', 'shell']
const noTool = calls({ expected: [], extra: shells })

describe('an assertion of promptfoo about the trajectory', () => {
  test.each([
    ['tool-used', 'search', used({ all: ['search'] })],
    ['tool-used', '{{tool}}', used({ all: ['search'] })],
    ['tool-used', ['search', 'reply'], used({ all: ['search', 'reply'] })],
    ['tool-used', ['search', '*'], used({ all: ['search'] })],
    ['tool-used', '*', not(noTool)],
    ['tool-used', { name: 'search', type: 'tool' }, used({ all: ['search'] })],
    ['tool-used', { name: 'search', max: 2 }, used({ all: ['search'], atMost: { search: 2 } })],
    ['tool-used', { pattern: 'search', min: 0, max: 2 }, used({ atMost: { search: 2 } })],
    ['tool-used', { name: 'search', min: 0, max: 0 }, used({ none: ['search'] })],
    [
      'tool-used',
      { name: 'search', min: 2 },
      calls({ expected: [{ name: 'search', times: 2 }], extra: 'allowed', only: ['search'] }),
    ],
    [
      'tool-used',
      { name: 'search', min: 2, max: 3 },
      calls({ expected: [{ name: 'search', times: [2, 3] }], only: ['search'] }),
    ],
    ['step-count', { type: 'tool', name: 'search', max: 1 }, used({ atMost: { search: 1 } })],
    ['step-count', { type: ['tool'], max: 0 }, noTool],
    ['step-count', { type: 'tool', min: 1 }, not(noTool)],
    [
      'tool-sequence',
      ['search', { name: 'reply' }],
      calls({ expected: [{ name: 'search' }, { name: 'reply' }], order: 'in-order', extra: 'allowed' }),
    ],
    [
      'tool-sequence',
      { mode: 'exact', steps: ['search', 'search'] },
      calls({ expected: [{ name: 'search' }, { name: 'search' }], order: 'in-order', extra: shells }),
    ],
    [
      'tool-args-match',
      { name: 'find', args: { id: '{{tool}}', of: [{ n: 1 }] }, ignore: 'at', defaults: { page: 1 } },
      calls({
        extra: 'allowed',
        expected: [{ name: 'find', input: { id: 'search', of: [{ n: 1 }] } }],
        inputs: 'contains',
      }),
    ],
    [
      'tool-args-match',
      { name: 'find', arguments: { id: 1, at: 2 }, ignore: ['at'] },
      calls({ extra: 'allowed', expected: [{ name: 'find', input: { id: 1 } }], inputs: 'contains' }),
    ],
    [
      'tool-args-match',
      { name: 'find', mode: 'exact', args: { contains: 'x' } },
      calls({ extra: 'allowed', expected: [{ name: 'find', input: { equals: { contains: 'x' } } }] }),
    ],
  ])('%s %j', (type, value, judge) => {
    expect(movedAssertion({ type: `trajectory:${type}`, value }, { tool: 'search' })).toEqual({ judge })
    if (type !== 'tool-used')
      expect(movedAssertion({ type: `not-trajectory:${type}`, value }, { tool: 'search' })).toEqual({
        judge: not(judge),
      })
  })

  test.each([
    ['search', used({ none: ['search'] })],
    [['search', 'reply'], used({ none: ['search', 'reply'] })],
    [['search', '*'], noTool],
    [{ name: 'search', max: 2 }, not(used({ all: ['search'], atMost: { search: 2 } }))],
  ])('not-tool-used %j forbids each of the tools', (value, judge) => {
    expect(movedAssertion({ type: 'not-trajectory:tool-used', value }, {})).toEqual({ judge })
  })

  test.each([
    ['tool-used', 'search*', /with the pattern "search\*" has no counterpart/],
    ['tool-used', { pattern: '?', min: 2 }, /with the pattern/],
    ['tool-used', 'Shell', /promptfoo counts its calls as commands/],
    ['tool-used', [], /needs 1 to 1000 tools/],
    ['tool-used', [{ name: 'a' }], /needs names of tools/],
    ['tool-used', undefined, /needs the name of a tool/],
    ['tool-used', { min: 1 }, /needs the name of a tool/],
    ['tool-used', { name: 'a', type: 'span' }, /steps of the type "span"/],
    ['tool-used', { name: 'a', times: 2 }, /with "times"/],
    ['tool-used', { name: 'a', max: 0 }, /never holds: "max" is 0, below "min", which is 1/],
    ['tool-used', { name: 'a', min: 0 }, /always holds/],
    ['tool-used', { name: 'a', min: '2' }, /whole numbers .* \(got "2"\)/],
    ['tool-used', { name: '*', max: 3 }, /number of calls of any tool/],
    ['step-count', { type: 'command', max: 3 }, /other types than "tool"/],
    ['step-count', { pattern: 'reasoning*', min: 1 }, /other types than "tool"/],
    ['step-count', { type: ['tool', 'command'], max: 3 }, /other types than "tool"/],
    ['step-count', { type: 'tool', max: 3 }, /number of calls of any tool/],
    ['step-count', 3, /needs an object/],
    ['tool-sequence', { steps: ['a'], mode: 'strict' }, /"in_order" or "exact"/],
    ['tool-sequence', ['a', '*'], /step of any tool/],
    ['tool-sequence', 'a', /needs a list of steps/],
    ['tool-args-match', { name: 'a' }, /needs an object of arguments/],
    ['tool-args-match', { args: {} }, /needs the name of a tool/],
    ['tool-args-match', { name: '*', args: {} }, /with any tool/],
    ['tool-args-match', { name: 'a', args: {}, mode: 'loose' }, /"partial" or "exact"/],
    ['tool-args-match', { name: 'a', args: {}, mode: 'exact', ignore: 'x' }, /"defaults" or "ignore"/],
    ['tool-args-match', { name: 'a', args: {}, ignore: '*_id' }, /pattern in "ignore"/],
    ['tool-args-match', { name: 'a', args: {}, ignore: [1] }, /names of arguments/],
    ['tool-args-match', { name: 'a', args: { p: 1 }, defaults: { p: 1 } }, /in "args" and in "defaults"/],
    ['tool-args-match', { name: 'a', args: { q: [{ matches: 'x' }] } }, /would be a rule/],
    ['goal-success', 'done', /The nearest judge is tool-criteria/],
    ['tool-set', ['a'], /has no counterpart/],
  ])('%s %j has no counterpart, and says why', (type, value, problem) => {
    for (const name of [`trajectory:${type}`, `not-trajectory:${type}`])
      expect(movedAssertion({ type: name, value }, {})).toEqual({
        problem: expect.stringMatching(new RegExp(`^${name} .*${problem.source}`)),
      })
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

const rowsIn = (made: { readonly directory: string }) =>
  readFileSync(join(made.directory, 'evals/rows.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

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
    expect(stdout).toContain('- tests[2] (row test-4, disabled): assert[0]: javascript has no counterpart.')
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

  test.each([
    ['tests/*/t.yaml', ['tests/a/t.yaml', 'tests/b/t.yaml', 'tests/link/t.yaml']],
    ['tests/node_modules/*.yaml', ['tests/node_modules/t.yaml']],
    ['file://tests/**/t.yaml', ['tests/a/t.yaml', 'tests/b/c/t.yaml', 'tests/b/t.yaml']],
    ['tests/{b,a}/t.yaml', ['tests/a/t.yaml', 'tests/b/t.yaml']],
    ['./tests/{1..12}.yaml', ['tests/11.yaml', 'tests/3.yaml']],
    ['tests/[!0-9]/t.yaml', ['tests/a/t.yaml', 'tests/b/t.yaml']],
    ['tests/@(a|c)/t.y?ml', ['tests/a/t.yaml']],
    ['tests/w[1].yaml', ['tests/w[1].yaml']],
    ['tests/.*/t.yaml', ['tests/.hidden/t.yaml']],
    ['{"tests/b/**/*.yaml","tests/3*"}', ['tests/b/c/t.yaml', 'tests/b/t.yaml', 'tests/3.yaml']],
  ])('reads the tests of %s in order', async (glob, places) => {
    const tests = glob.startsWith('{"') ? glob.replace(/^\{(.*)\}$/, '[$1]') : `'${glob}'`
    const names = ['a/t', 'b/t', 'b/c/t', '.hidden/t', 'node_modules/t', '3', '11', 'w[1]']
    using made = project({
      'pf.yaml': `prompts: ['{{x}}']\nproviders: [echo]\ntests: ${tests}\n`,
      ...Object.fromEntries(
        names.map((name) => [`tests/${name}.yaml`, '- vars: { x: 1 }\n  assert: [{ type: is-json }]\n']),
      ),
    })
    symlinkSync('b', join(made.directory, 'tests/link'))
    const { stderr } = await made.jurist('import', 'promptfoo', 'pf.yaml')
    expect(stderr).toBe('')
    expect(rowsIn(made).map(({ metadata }) => metadata.source.place)).toEqual(places.map((place) => `${place}[0]`))
  })

  test('takes globs of prompts and variables', async () => {
    using made = project({
      'pf.yaml': `
prompts: file://prompts/**/*.txt
providers: [echo]
tests: [{ vars: { x: 'file://data/{one,two}/*.txt' }, assert: [{ type: is-json }] }]
`,
      ...{ 'prompts/b/1.txt': 'B {{x}}', 'prompts/a.txt': 'A {{x}}', 'data/two/x.txt': '2', 'data/one/x.txt': '1' },
    })
    expect((await made.jurist('import', 'promptfoo', 'pf.yaml')).code).toBe(0)
    expect(rowsIn(made).map(({ task }) => task)).toEqual(['A 1', 'A 2'])
  })

  test('no glob leads out of the directory, through names or links, and each is small', async () => {
    using made = project({
      'suite/pf.yaml': `
prompts: ['{{x}}']
providers: [echo]
tests: ['../out/*.yaml', 'tests/{a,../../out}/*.yaml', 'out/*.yaml', '*/u.yaml', 'l*.yaml', 'many/*', 'deep/**/t.yaml', '!*.yaml']
`,
      'out/u.yaml': '[]',
      [`suite/deep/${'d/'.repeat(33)}t.yaml`]: '[]',
      ...Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`suite/many/${index}.json`, '[]'])),
    })
    symlinkSync('../out', join(made.directory, 'suite/out'))
    symlinkSync('../out/u.yaml', join(made.directory, 'suite/link.yaml'))
    const { code, stderr } = await made.jurist('-C', 'suite', 'import', 'promptfoo', 'pf.yaml')
    expect(code).toBe(2)
    for (const part of [
      'tests[0]: ../out/*.yaml leads out of',
      'tests[1]: tests/{a,../../out}/*.yaml leads out of',
      'tests[2]: out/*.yaml leads out of',
      'tests[3]: */u.yaml names no file',
      'tests[4]: link.yaml leads out of',
      'tests[5]: many/* names 1001 files, and at most 1000 are read',
      'tests[6]: deep/**/t.yaml means more than 100000 files and directories, or more than 32 levels',
      'tests[7]: !*.yaml names no file',
    ])
      expect(stderr).toContain(part)
  })

  test('judges trajectories as the suite does, and not at all where the calls are not known', async () => {
    const sequence = '{ type: "trajectory:tool-sequence", value: [search, open, reply], weight: 2 }'
    using made = project({
      'pf.yaml': `
prompts: ['{{calls}}']
providers: [file://agent.py]
defaultTest:
  assert: [{ type: contains, value: done }]
tests:
  - { vars: { calls: 'search open search reply' }, assert: [${sequence}] }
  - { vars: { calls: 'open search reply' }, assert: [${sequence}] }
  - { vars: { calls: 'open search reply' }, threshold: 0.4, assert: [${sequence}] }
  - { vars: { calls: 'search shell reply' }, assert: [{ type: "trajectory:tool-sequence", value: { mode: exact, steps: [search, reply] } }] }
  - { vars: { calls: 'search' }, assert: [{ type: "not-trajectory:tool-used", value: [search, reply] }] }
  - { vars: { calls: 'open open open' }, assert: [{ type: "trajectory:tool-used", value: { name: open, min: 2, max: 2 } }] }
  - { vars: { calls: 'open open' }, assert: [{ type: "trajectory:tool-args-match", value: { name: open, args: { at: 1 } } }] }
  - { vars: { calls: 'open open' }, assert: [{ type: "trajectory:tool-args-match", value: { name: open, mode: exact, args: { at: 1 } } }] }
  - { vars: { calls: 'shell' }, assert: [{ type: "trajectory:step-count", value: { type: tool, max: 0 } }] }
  - { vars: { calls: '-' }, assert: [{ type: "not-trajectory:tool-used", value: search }] }
  - tests.csv
`,
      'tests.csv':
        'calls,__expected1,__expected2\nsearch,trajectory:tool-used: search,not-trajectory:tool-used: open\n',
    })
    const { stdout } = await made.jurist('import', 'promptfoo', 'pf.yaml')
    expect(stdout).toContain('11 tests, 0 of them disabled')
    expect(stdout).toContain('- the agent: let it report its calls of tools')
    made.write({
      'evals/agent.py.agent.mjs': `
export default async ({ prompt, record }) => {
  if (prompt !== '-')
    for (const [at, name] of prompt.split(' ').entries()) record({ type: 'tool-call', id: String(at), name, input: { at, of: 'x' } })
  return 'done'
}
`,
    })
    await made.jurist('-C', 'evals', 'run', '--quiet')
    const rows = await made.jurist('-C', 'evals', 'export', 'latest', '--format', 'jsonl', '--table', 'items')
    const judged = rows.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).judged)
    expect(judged).toEqual(['pass', 'fail', 'fail', 'pass', 'fail', 'fail', 'pass', 'fail', 'pass', 'error', 'pass'])
  })

  test('names everything that it cannot read, and writes nothing', async () => {
    using made = project({
      'pf.yaml': `
prompts: ['{% if a %}x{% endif %}', file://missing.txt, '[{"role": "user"}]']
providers: [echo]
scenarios: []
tests: [none-*.yaml, tests.csv, 7, ../out.yaml, deep.yaml, bomb.yaml]
defaultTest: 3
`,
    })
    made.write({
      'deep.yaml': `${'['.repeat(3000)}${']'.repeat(3000)}`,
      'bomb.yaml': `a: &a [x]\nb: &b [${'*a,'.repeat(50)}]\nc: &c [${'*b,'.repeat(50)}]\nd: [${'*c,'.repeat(50)}]\n`,
    })
    const { code, stderr } = await made.jurist('import', 'promptfoo', 'pf.yaml')
    expect(code).toBe(2)
    for (const part of [
      'pf.yaml cannot be imported. Nothing was written.',
      'scenarios: cannot be read',
      'defaultTest: must be a test or a file (got 3)',
      'prompts[1]: missing.txt is not a file of the suite',
      'tests[0]: none-*.yaml names no file',
      'tests[1]: tests.csv is not a file of the suite',
      'tests[2]: must be a test or a file (got 7)',
      'tests[3]: ../out.yaml leads out of',
      'tests[5]: bomb.yaml: Excessive alias count',
    ])
      expect(stderr).toContain(part)
    expect(stderr).toMatch(/tests\[4\]: deep\.yaml: .*nested (?:too deeply|deeper)/)
    expect(() => readFileSync(join(made.directory, 'evals/rows.jsonl'))).toThrow('ENOENT')
  })

  test('reads CSV files as promptfoo does', async () => {
    using made = project({
      'pf.yaml': 'prompts: ["{{q}}"]\nproviders: [echo]\ntests: file://tests.csv\n',
      'tests.csv': [
        'q,__expected1,__expected2,__threshold,__metric,__metadata:kind,__suffix',
        '"a, b",icontains: A,not-contains-any: x,,,hard,',
        'c,c,,0.5,exact,,',
        'd,"fn: output.length",,,,,!',
        'e,,,,,,',
        'f,latency(200),word: f,,,,',
      ].join('\n'),
    })
    const { code, stdout } = await made.jurist('import', 'promptfoo', 'pf.yaml', '--json')
    expect(code).toBe(0)
    const rows = rowsIn(made)
    expect(rows.map(({ judges, status }) => [judges, status])).toEqual([
      [
        {
          'output-text': contains('A', true),
          not: { type: 'not', judge: { type: 'any-of', judges: [contains('x')] } },
        },
        undefined,
      ],
      [
        {
          judges: { exact: { judge: { type: 'output-text', equals: 'c' }, weight: 1 } },
          vote: { type: 'weighted-average', threshold: 0.5 },
        },
        undefined,
      ],
      [undefined, 'disabled'],
      [undefined, 'disabled'],
      [{ within: { type: 'within', ms: 200 }, 'output-text': { type: 'output-text', equals: 'word: f' } }, undefined],
    ])
    expect(rows[0].metadata).toEqual({ kind: 'hard', source: { format: 'promptfoo', place: 'tests.csv[0]' } })
    expect(JSON.parse(stdout).notes).toEqual([
      'tests.csv[2] (row test-3, disabled): assert[0]: javascript has no counterpart; "__suffix" has no counterpart.',
      'tests.csv[3] (row test-4, disabled): without assertions nothing would judge it.',
    ])
    expect((await made.jurist('-C', 'evals', 'validate')).code).toBe(0)
  })

  test('says what works only when somebody adds to it, and takes the first of several prompts for the task', async () => {
    using made = project({
      'pf.yaml': `
prompts: ['What is {{x}}?', 'Tell me {{x}}.']
providers: ['exec:./bot.sh', 'openai:gpt-4o']
tests: [{ vars: { x: 1 }, assert: [{ type: cost, threshold: 0.01 }] }]
`,
    })
    const { stdout } = await made.jurist('import', 'promptfoo', 'pf.yaml', '--json')
    expect(JSON.parse(stdout).notes).toEqual([
      './bot.sh in jurist.config.yaml: write its absolute path, since agents start in their workspace.',
      'models in jurist.config.yaml: give each its "prices", without which "cost" fails.',
    ])
    expect(rowsIn(made)).toEqual([expect.objectContaining({ task: 'What is 1?' })])
  })

  test('names everything that it leaves out', async () => {
    using made = project({
      'pf.yaml': `
env: { A: b }
prompts: ['{{% if a %}}x', chat.json, { raw: '{{q}}', label: short, config: {} }]
providers:
  - { id: 'openai:gpt-4o', config: { tools: [], temperature: 0 }, transform: output.text }
defaultTest: file://defaults.yaml
evaluateOptions: { delay: 10 }
tests:
  - file://make.py
  - { vars: { q: file://cat.png }, assert: [{ type: contains, value: a }] }
  - { vars: { q: '{{name}} {{gone}}' }, assert: [{ type: similar, value: a }, { type: similar, value: b }] }
  - { vars: [], threshold: high }
  - { vars: { q: ['{{name}}', "\\e[31m{{name}}"], all: [{ a: 1 }, { a: 2 }] } }
`,
      'defaults.yaml': 'vars: { name: Ada }\nassert: [{ type: contains, value: "{{q}}", weight: 2 }]\n',
    })
    const { code, stdout } = await made.jurist('import', 'promptfoo', 'pf.yaml')
    expect(code).toBe(0)
    const notes = stdout.split('\n').filter((line) => line.startsWith('- '))
    expect(notes).toEqual([
      '- env is not taken over.',
      '- evaluateOptions.delay is not taken over.',
      '- tests[0]: make.py is not a YAML, JSON or CSV file: its tests are left out. Write them as YAML, JSON or CSV, then import again.',
      '- prompts[0]: uses more of Nunjucks than {{variables}}. Write the prompt in jurist.config.yaml.',
      '- prompts[1]: chat.json is not a text file. Write the prompt in jurist.config.yaml.',
      '- prompts[2].config is not taken over.',
      '- tests[1] (row test-1, disabled): vars.q: file://cat.png is not a text file.',
      '- tests[2] (row test-2, disabled): vars.q names gone, which is missing; several assertions of the type similar have no counterpart.',
      '- tests[3] (row test-3, disabled): defaultTest.assert[0]: needs a string (got ""); "vars" must be an object (got an array); "threshold" must be a number (got "high").',
      '- providers[0]: transform, config.tools: not taken over.',
    ])
    const rows = rowsIn(made)
    expect(rows.map(({ task }) => task)).toEqual(['file://cat.png', 'Ada ', 'test-3', 'Ada', '\u001b[31mAda'])
    expect(rows[4].input).toEqual({ name: 'Ada', q: '\u001b[31mAda', all: [{ a: 1 }, { a: 2 }] })
    expect((await made.jurist('-C', 'evals', 'validate')).code).toBe(0)
  })

  test.each([
    [['import', 'deepeval', 'pf.yaml'], /Unknown format "deepeval"/],
    [['import', 'promptfoo', 'none.yaml'], /none\.yaml is not a file/],
    [['import', 'promptfoo', 'pf.yaml', '--out', 'there'], /there exists already/],
    [['import', 'promptfoo', 'pf.js'], /pf\.js cannot be imported[\s\S]*Write the suite as YAML/],
    [['import', 'promptfoo', 'broken.yaml'], /broken\.yaml/],
  ])('%j is refused', async (argv, message) => {
    using made = project({ 'pf.yaml': suite, 'pf.js': '', 'broken.yaml': 'a: [', 'there/file': '' })
    const { code, stderr } = await made.jurist(...argv)
    expect(code).toBe(2)
    expect(stderr).toMatch(message)
  })
})
