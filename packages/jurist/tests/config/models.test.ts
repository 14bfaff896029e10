import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ScriptedServer, scriptedServer } from '../../../bridges/testing/index.js'
import { type Project, project } from '../project.js'

const key = 'sk-loopback-0123456789'
const rows = '{"id":"a","task":"Say hello"}\n{"id":"b","task":"Say goodbye"}\n'
const isJudge = ({ body }: ScriptedServer['requests'][number]) => JSON.stringify(body).includes('You judge the work')

let server: ScriptedServer
beforeAll(async () => {
  server = await scriptedServer((request) => ({ text: isJudge(request) ? 'Answer: YES' : 'Hello!' }))
})
afterAll(() => server[Symbol.asyncDispose]())

const configOf = (url: string, more = '') => `
models:
  fast:
    provider: openai-compatible
    baseUrl: ${url}/v1
    model: small-1
    apiKeyEnv: FAST_KEY
    prices: { inputUsdPerMillion: 1, outputUsdPerMillion: 2, asOf: 2026-11-01 }
    options: { temperature: 0 }
  strong:
    provider: anthropic
    baseUrl: ${url}/v1
    model: large-1
    apiKeyEnv: STRONG_KEY
experiments:
  greet:
    dataset: rows.jsonl
    agent: { model: fast, system: You greet people. }
    jury:
      judges:
        polite: { type: criteria, model: fast, criterion: It is polite., prompt: { file: polite.md } }
        right:
          type: correctness
          model: fast
          examples: [{ input: Say hi, output: Go away, verdict: fail, reason: It is rude. }]
  grid:
    dataset: rows.jsonl
    agent: { model: fast }
    matrix: { model: [fast, strong], prompt: { short: "{{task}}", long: "Please: {{task}}" } }
    jury: { type: criteria, model: fast, criterion: It is polite. }
${more}`

const files = (more?: string) => ({
  'jurist.config.yaml': configOf(server.url, more),
  'rows.jsonl': rows,
  'polite.md': 'Is this polite?\n{{criterion}}\n{{output}}',
})

/** The stored records of the runs of an experiment, in the order of their start. */
async function recordsOf({ results }: Project, experiment: string) {
  const store = await results.store()
  const ids = await results.runs(experiment)
  const loaded = await Promise.all(ids.map((id) => store.load(id)))
  return loaded.filter((run) => run !== undefined)
}

function everything(directory: string): string {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return entries.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')).join('\n')
}

describe('models of a YAML config', () => {
  test('are agents and judges; calls, prices and prompts are recorded, keys are not', async () => {
    using made = project(files())
    const before = server.requests.length
    const { code, stdout, stderr } = await made.juristWith({ FAST_KEY: key }, 'run', 'greet', '-j', '1')
    expect(stderr).not.toContain('STRONG_KEY')
    expect([code, stdout]).toEqual([0, expect.stringContaining('Passed     2 of 2 decided')])
    const asked = server.requests.slice(before)
    expect(asked).toHaveLength(6)
    for (const { headers, body } of asked) {
      expect(headers['authorization']).toBe(`Bearer ${key}`)
      expect(body).toMatchObject({ model: 'small-1', temperature: 0 })
    }
    const [agent] = asked
    expect(agent?.body['messages']).toEqual([
      { role: 'system', content: 'You greet people.' },
      { role: 'user', content: 'Say hello' },
    ])
    const prompts = JSON.stringify(asked.map(({ body }) => body['messages']))
    expect(prompts).toContain('Is this polite?\\nIt is polite.\\n<<output ')
    expect(prompts).toMatch(/Examples of this judgment.*<<example-1-output .*Reasoning: It is rude\.\\nAnswer: NO/)
    const [record] = await recordsOf(made, 'greet')
    const fast = {
      provider: 'openai-compatible',
      model: 'small-1',
      baseUrl: `${server.url}/v1`,
      options: { temperature: 0 },
    }
    expect(record?.conditions).toMatchObject({
      agentModels: { fast },
      judgeModels: { fast },
      modelPrices: { fast: { inputUsdPerMillion: 1, outputUsdPerMillion: 2, asOf: '2026-11-01' } },
    })
    const journal = await made.jurist('show', 'latest', '--item', 'a', '--journal')
    expect(journal.stdout).toContain('small-1')
    expect(everything(made.directory) + (await made.results.everything())).not.toContain(key)
    expect(stdout + stderr).not.toContain(key)
    expect(stdout).toMatch(/Cost +\$0\.\d+ agent +\$0\.\d+ judges/)
  })

  test('need their keys before anything runs, and only those that are used', async () => {
    using made = project(files())
    const before = server.requests.length
    const none = await made.jurist('run', 'greet')
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringContaining('FAST_KEY is not set, and the model "fast" needs it.'),
    ])
    const half = await made.juristWith({ FAST_KEY: key }, 'run', 'grid')
    expect([half.code, half.stderr]).toEqual([
      2,
      expect.stringContaining('STRONG_KEY is not set, and the model "strong" needs it.'),
    ])
    expect(server.requests.length).toBe(before)
    const one = await made.juristWith({ FAST_KEY: key }, 'run', 'grid', '--variant', 'fast_short')
    expect(one.code).toBe(0)
    const withoutJury = await made.jurist('judge', '.', '--judge', '{"type":"criteria","model":"fast","criterion":"x"}')
    expect([withoutJury.code, withoutJury.stderr]).toEqual([2, expect.stringContaining('FAST_KEY is not set')])
  })

  test('a matrix makes variants whose axes are recorded; a cache answers judges once', async () => {
    using made = project(files('cache: answers\n'))
    const env = { FAST_KEY: key, STRONG_KEY: key }
    const first = await made.juristWith(env, 'run', 'grid')
    expect([first.code, first.stderr]).toEqual([
      0,
      expect.stringMatching(/Cache: \d+ of 8 answers of judges were known/),
    ])
    const records = await recordsOf(made, 'grid')
    expect(records.map(({ variant }) => variant)).toEqual(['fast_short', 'fast_long', 'strong_short', 'strong_long'])
    expect(records.map(({ conditions }) => conditions.matrix)).toEqual([
      { model: 'fast', prompt: 'short' },
      { model: 'fast', prompt: 'long' },
      { model: 'strong', prompt: 'short' },
      { model: 'strong', prompt: 'long' },
    ])
    const before = server.requests.length
    const second = await made.juristWith(env, 'run', 'grid', '--variant', 'strong_long')
    expect(second.stderr).toContain('Cache: 2 of 2 answers of judges were known (answers)')
    const asked = server.requests.slice(before)
    expect(asked.map(({ protocol }) => protocol)).toEqual(['messages', 'messages'])
    expect(asked[0]?.headers['x-api-key']).toBe(key)
    const compared = await made.jurist('compare', 'grid@fast_short', 'grid@strong_long')
    expect(compared.stdout + compared.stderr).not.toContain('not measured alike')
    const rejudged = await made.juristWith(env, 'rejudge', 'latest')
    expect([rejudged.code, rejudged.stderr]).toEqual([0, expect.stringContaining('Cache: 2 of 2')])
  })

  const broken: readonly (readonly [string, string, RegExp])[] = [
    ['a mistyped name', 'model: fsat', /unknown model "fsat"\. Did you mean "fast"\?/],
    [
      'a slot that does not exist',
      'model: fast, prompt: "{{answr}}"',
      /no slot \{\{answr\}\}[\s\S]*\{\{output\}\} is missing/,
    ],
    ['an unknown option', 'model: fast, temprature: 0', /juries\.own\.temprature .*is not a known key/],
    [
      'a wrong example',
      'model: fast, examples: [{ output: a, verdict: 3 }]',
      /example 1 of criteria: "verdict" must be/,
    ],
    ['no model', 'strictness: 1', /"model" must be/],
  ]
  test.each(broken)('%s in a judge is refused with its place', async (_, options, message) => {
    const jury = `juries:\n  own: { type: criteria, criterion: x, ${options} }\n`
    using made = project(files(jury))
    const { code, stderr } = await made.jurist('run', 'greet')
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
    expect(stderr).toContain('juries.own')
  })

  const wrong: readonly (readonly [string, string, RegExp])[] = [
    ['a key', 'apiKey: sk-secret', /apiKey \(line \d+, column \d+\): is not a known key\. Did you mean "apiKeyEnv"\?/],
    ['a key for its variable', 'apiKeyEnv: sk-secret', /does not name a variable: write the name/],
    [
      'a price without a day',
      'prices: { inputUsdPerMillion: 1, outputUsdPerMillion: 2 }',
      /prices\.asOf[\s\S]*is missing/,
    ],
    [
      'a day that does not exist',
      'prices: { inputUsdPerMillion: 1, outputUsdPerMillion: 2, asOf: 2026-02-30 }',
      /must be a day/,
    ],
    ['an address with a password', 'baseUrl: "http://me:sk-secret@host/v1"', /without a name and password/],
  ]
  test.each(wrong)('%s in a model is refused, and no key is shown', async (_, line, message) => {
    const model = `  third:\n    provider: openai-compatible\n    model: m\n    ${line}\n`
    using made = project({
      ...files(),
      'jurist.config.yaml': configOf(server.url).replace('experiments:', `${model}experiments:`),
    })
    const { code, stderr } = await made.jurist('run', 'greet')
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
    expect(stderr).not.toContain('sk-secret')
  })

  test('a matrix of unknown models is refused', async () => {
    using made = project({
      ...files(),
      'jurist.config.yaml': configOf(server.url).replace('[fast, strong]', '[fast, storng]'),
    })
    const { code, stderr } = await made.jurist('run', 'greet')
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/matrix\.model\S* .*unknown model "storng"\. Did you mean "strong"\?/),
    ])
  })
})

test('models of a program are the same', async () => {
  const program = `import { defineConfig, defineModels } from 'jurist'
import { criteria, modelAgent } from 'jurist/llm'
const models = defineModels({
  fast: { provider: 'openai-compatible', baseUrl: '${server.url}/v1', model: 'small-1', apiKeyEnv: 'FAST_KEY' },
  other: { provider: 'openai-compatible', baseUrl: '${server.url}/v1', model: 'small-2', apiKeyEnv: 'OTHER_KEY' },
})
export default defineConfig({
  models,
  experiments: {
    greet: {
      dataset: 'rows.jsonl',
      agent: modelAgent(models, { system: 'You greet people.' }),
      matrix: { model: ['fast', 'other'] },
      jury: criteria({ model: models.fast, criterion: 'It is polite.' }),
    },
  },
})
`
  using made = project({ 'jurist.config.ts': program, 'rows.jsonl': rows })
  const missing = await made.juristWith({ FAST_KEY: key }, 'run')
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('the model "other" needs it')])
  const { code, stderr } = await made.juristWith({ FAST_KEY: key }, 'run', '--variant', 'fast', '--cache')
  expect([code, stderr]).toEqual([0, expect.stringMatching(/Cache: \d of 2 answers/)])
})

describe('the guides', () => {
  const guide = (name: string) => readFileSync(new URL(`../../../../docs/guide/${name}.md`, import.meta.url), 'utf8')
  const fence = (text: string, language: string, holding: string) => {
    const fences = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    return fences.find(([, found, body]) => found === language && body?.includes(holding))?.[2] ?? ''
  }
  const env = { OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key }

  test('their YAML runs as it is written, with the judge in other words', async () => {
    const judge = fence(guide('models'), 'yaml', 'prompt: |').replace(/^(?=.)/gm, '        ')
    const yaml = fence(guide('models'), 'yaml', 'matrix:')
      .replace('https://api.openai.com', server.url)
      .replace('provider: anthropic\n', `provider: anthropic\n    baseUrl: ${server.url}/v1\n`)
      .replace(/^ {8}polite: .*\n/m, judge)
    using made = project({ 'jurist.config.yaml': yaml, 'questions.jsonl': rows })
    const { code, stdout } = await made.juristWith(env, 'run')
    expect([code, stdout]).toEqual([0, expect.stringMatching(/fast_plain[\s\S]*fast_short[\s\S]*strong_short/)])
  })

  test('their program runs', async () => {
    const program = fence(guide('models'), 'ts', 'defineModels').replaceAll('http://localhost:11434', server.url)
    using made = project({ 'jurist.config.ts': program, 'questions.jsonl': rows })
    const { code, stdout } = await made.jurist('run')
    expect([code, stdout]).toEqual([0, expect.stringMatching(/local[\s\S]*small/)])
  })
})

test('a key that only judges of items need is missing before anything runs, and only where such an item is selected', async () => {
  const judged = `${JSON.stringify({ id: 'c', task: 'Say hi', judges: [{ type: 'criteria', model: 'strong', criterion: 'Kind.' }] })}\n`
  using made = project({ ...files(), 'rows.jsonl': `${rows}${judged}` })
  const before = server.requests.length
  const { code, stderr } = await made.juristWith({ FAST_KEY: key }, 'run', 'greet')
  expect([code, stderr]).toEqual([2, expect.stringMatching(/STRONG_KEY[\s\S]*"strong"/)])
  expect(server.requests.length).toBe(before)
  const others = await made.juristWith({ FAST_KEY: key }, 'run', 'greet', '--item', 'a')
  expect(others.stdout).toContain('1 of 1 decided')
})
