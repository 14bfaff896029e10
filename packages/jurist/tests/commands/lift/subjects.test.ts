import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileStore } from '@jurist/experiment/store'
import { viewer } from '@jurist/viewer'
import { expect, test } from 'vitest'
import { project } from '../../project.js'
import { onPostgres } from '../../project-results.js'
import { description, evalsOf, greeting, skill, twelve } from './study.js'

/** An agent in this process, which reads whatever a study can give it, and records what it calls. */
const agent = `
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
let calls = 0
export async function agent({ prompt, workspace, env, record }) {
  const read = (...path) => existsSync(join(...path)) ? readFileSync(join(...path), 'utf8') : ''
  const skills = join(env.HOME, '.agents/skills')
  const told = [
    ...(existsSync(skills) ? readdirSync(skills) : []).map((name) => read(skills, name, 'SKILL.md')),
    read(workspace.root, 'AGENTS.md'),
    read(env.HOME, 'plugins/guild/skills/mark/SKILL.md'),
    ...Object.keys(JSON.parse(read(env.HOME, '.cursor/mcp.json') || '{"mcpServers":{}}').mcpServers).map((name) => 'mcp__' + name + '__mark ~mark~'),
  ].join('\\n')
  if (env.OPENAI_BASE_URL) await fetch(env.OPENAI_BASE_URL, { method: 'POST', body: JSON.stringify({ system: told }) })
  record({ type: 'model-call', model: 'scripted' })
  calls += 1
  const fires = prompt.includes('sometimes') ? calls % 2 === 0 : /greet/i.test(prompt)
  if (fires && told.includes('~mark~')) {
    record({ type: 'tool-call', id: 'c' + calls, name: 'Skill', input: { skill: 'mark' } })
    record({ type: 'tool-result', id: 'c' + calls, failed: prompt.includes('refused'), content: '' })
  }
  if (prompt.includes('breaks')) throw new TypeError('fetch failed')
  const [, mark = ''] = /(~\\w+~)/.exec(told) ?? []
  writeFileSync(join(workspace.root, 'made.txt'), mark)
  return 'Hello. ' + mark
}
`
const config = 'agents:\n  open: { module: ./agent.mjs, export: agent }\n'
const open = (files: Readonly<Record<string, string>>) =>
  project({ 'agent.mjs': agent, 'jurist.config.yaml': config, ...skill, ...evalsOf(...twelve), ...files })
const evals = JSON.stringify({ evals: twelve })
const queriesOf = (queries: unknown) => ({ 'mark/evals/trigger-evals.json': JSON.stringify(queries) })
const quick = ['--agent', 'open', '--repeat', '1', '--json'] as const

const guild = {
  'guild/.claude-plugin/plugin.json': '{ "name": "guild" }',
  'guild/skills/mark/SKILL.md': skill['mark/SKILL.md'],
  'guild/evals/evals.json': evals,
}

test.each([
  [
    'instructions',
    { 'AGENTS.md': `${description} End with ~mark~.\n`, 'evals/evals.json': evals },
    ['--file', 'AGENTS.md'],
  ],
  [
    'servers of MCP',
    { 'shop.json': '{ "mcpServers": { "shop": { "command": "./shop" } } }', 'evals/evals.json': evals },
    ['--mcp', 'shop.json', '--into', '.cursor/mcp.json'],
  ],
  ['a plugin', guild, ['--plugin', 'guild', '--into', 'plugins']],
])('%s: loaded in one arm and not in the other', async (_, files, words) => {
  using made = open(files)
  const { code, stdout } = await made.jurist('lift', ...words, ...quick)
  const { conclusion, loading, without, with: arm } = JSON.parse(stdout)
  expect([code, conclusion, without.passed, arm.passed]).toEqual([0, 'helps', 0, 12])
  expect(loading).toEqual({ proof: 'request', requests: { without: 1, with: 1 }, program: null })
})

test('instructions are in no workspace that is judged or kept, and an item keeps its own', async () => {
  const [own] = [{ prompt: 'Greet.', files: ['evals/files/AGENTS.md'], assertions: ['`AGENTS.md` contains "My own."'] }]
  using made = open({
    'AGENTS.md': `${description} End with ~mark~.\n`,
    'evals/evals.json': JSON.stringify({
      evals: [
        { id: 1, ...own },
        { id: 2, prompt: 'Greet.', assertions: ['does not create `AGENTS.md`'] },
      ],
    }),
    'evals/files/AGENTS.md': 'My own.\n',
  })
  const { code, stdout } = await made.jurist('lift', '--file', 'AGENTS.md', '--count-obedience', ...quick)
  const { without, with: arm, items } = JSON.parse(stdout)
  expect([code, without.passed, arm.passed, items.length]).toEqual([0, 2, 2, 2])
})

test('an arm that was not loaded is an error for every kind of subject', async () => {
  using made = open({
    'AGENTS.md': description,
    'evals/evals.json': evals,
    ...guild,
    'shop.json': '{ "mcpServers": { "shop": { "url": "http://localhost:1" } } }',
  })
  for (const words of [
    ['--file', 'AGENTS.md', '--into', 'CLAUDE.md'],
    ['--mcp', 'shop.json', '--into', 'elsewhere.json'],
    ['--plugin', 'guild', '--into', 'elsewhere'],
    ['mark', '--into', 'elsewhere'],
  ]) {
    const { code, stdout } = await made.jurist('lift', ...words, ...quick)
    expect([code, JSON.parse(stdout).error.code, words]).toEqual([3, 'arm-not-loaded', words])
  }
  expect(readdirSync(made.directory)).not.toContain('results')
})

test('two versions are compared: directories, and a commit with what is here now', async () => {
  using made = open({ 'old/SKILL.md': `---\nname: mark\ndescription: An older description.\n---\nEnd with ~old~.\n` })
  const ran = async (...words: readonly string[]) => {
    const { code, stdout } = await made.jurist('lift', 'mark', '--against', ...words, ...quick)
    return { code, ...JSON.parse(stdout) }
  }
  const directories = await ran('old')
  expect([directories.code, directories.conclusion, directories.loading.requests]).toEqual([
    0,
    'helps',
    { before: 1, after: 1 },
  ])
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd: made.directory })
  git('init', '--quiet')
  git('add', '-A')
  git('commit', '--quiet', '-m', 'one')
  expect((await ran('HEAD')).error.message).toContain('nothing differs')
  made.write({ 'mark/SKILL.md': skill['mark/SKILL.md'].replace('~mark~', '~worse~') })
  const commit = await ran('HEAD')
  expect([commit.code, commit.conclusion, commit.without.passed, commit.with.passed]).toEqual([1, 'hurts', 12, 0])
  expect((await ran('nowhere')).error.message).toContain('neither a path nor a commit')
})

const queries = [
  { query: 'Greet the guild.', should_trigger: true },
  { query: 'Say hello to the guild.', should_trigger: true },
  { query: 'Greet them, which is refused.', should_trigger: true },
  { query: 'Convert a file.', should_trigger: false },
  { query: 'Do not greet.', should_trigger: false },
  { query: 'It breaks.', should_trigger: false },
]

test('should-fire and fired, by queries and by trials, with what was missed and what fired wrongly', async () => {
  using made = open(queriesOf(queries))
  const { code, stdout } = await made.jurist('lift', 'mark', '--agent', 'open', '--triggers', '--repeat', '2')
  expect(code).toBe(0)
  expect(stdout).toMatch(/should +1 +2 +0 +33\.3 % .* 2\/6/)
  expect(stdout).toMatch(/should not +1 +1 +0 +50\.0 % .* 2\/4/)
  expect(stdout).toContain('Missed: "Say hello to the guild." (0 of 2)')
  expect(stdout).toContain('Missed: "Greet them, which is refused." (0 of 2)')
  expect(stdout).toContain('Fired wrongly: "Do not greet." (2 of 2)')
  expect(stdout).toContain('Left out, since nothing shows what was called: 2 trials.')
  expect(stdout).not.toContain('points')
})

test('a query that fires in half of its trials is a tie', async () => {
  using made = open(queriesOf([{ query: 'It sometimes fires.', should_trigger: true }]))
  const { stdout } = await made.jurist('lift', 'mark', '--triggers', ...quick, '--repeat', '4', '-j', '1')
  const { should } = JSON.parse(stdout).triggers
  expect(should).toMatchObject({ fired: 0, not: 0, ties: 1, trials: { fired: 2, of: 4 } })
})

test('gates of firing look at bounds, and tasks and queries are both asked', async () => {
  using made = open(queriesOf([1, 2, 3, 4, 5, 6, 7, 8].map((n) => ({ query: `Greet ${n}.`, should_trigger: true }))))
  const ran = async (...words: readonly string[]) => (await made.jurist('lift', 'mark', ...quick, ...words)).code
  expect(await ran('--min-sensitivity', '0.6')).toBe(0)
  expect(await ran('--triggers', '--min-sensitivity', '0.9')).toBe(1)
  // There is no query on which it should not fire, so nothing bounds the rate.
  expect(await ran('--triggers', '--max-false', '0.9')).toBe(1)
  expect(await ran('--no-triggers', '--max-false', '0.9')).toBe(2)
  expect((await made.results.runs('lift-mark-triggers')).length).toBe(3)
})

test.each([
  ['a list', queries.slice(0, 4)],
  ['an object with queries', { skill_name: 'mark', queries: queries.slice(0, 4) }],
  ['an object with evals', { evals: queries.slice(0, 4).map(({ query, ...rest }) => ({ prompt: query, ...rest })) }],
  [
    'two lists of texts',
    {
      _comment: 'x',
      should_trigger: queries.slice(0, 3).map(({ query }) => query),
      should_not_trigger: [{ id: 'T04', query: queries[3]?.query, expect: 'nothing' }],
    },
  ],
])('trigger queries are read in every public form: %s', async (_, given) => {
  using made = open(queriesOf(given))
  const { stdout } = await made.jurist('lift', 'mark', '--triggers', ...quick)
  const { should, shouldNot } = JSON.parse(stdout).triggers
  expect([should.queries.length, shouldNot.queries.length, should.fired]).toEqual([3, 1, 1])
})

test('evals that say what should fire are trigger queries as well', async () => {
  using made = open(
    evalsOf(
      greeting(1, { should_trigger: true }),
      greeting(2, { skills_expected_to_activate: ['other'] }),
      greeting(3, { category: 'non-trigger' }),
      greeting(4, { prompt: '/mark the guests, greet them' }),
      greeting(5),
    ),
  )
  const { stdout } = await made.jurist('lift', 'mark', '--triggers', ...quick)
  const { should, shouldNot } = JSON.parse(stdout).triggers
  const ids = (side: { readonly queries: readonly { readonly id: string }[] }) => side.queries.map(({ id }) => id)
  expect([ids(should), ids(shouldNot)]).toEqual([
    ['eval-1', 'eval-4'],
    ['eval-2', 'eval-3'],
  ])
})

test('a query that is labelled both ways is refused', async () => {
  using made = open(queriesOf([queries[0], { ...queries[0], should_trigger: false }]))
  const { code, stderr } = await made.jurist('lift', 'mark', '--agent', 'open')
  expect([code, stderr]).toEqual([2, expect.stringContaining('"Greet the guild." is labelled both ways')])
})

test("a dataset of one's own, with its judges", async () => {
  const items = Array.from({ length: 3 }, (_, index) => ({
    ...{ id: `own-${index}`, task: 'Greet.', judges: [{ type: 'output-text', contains: '~mark~' }] },
  }))
  const lines = (list: readonly object[]) => list.map((item) => JSON.stringify(item)).join('\n')
  using made = open({ 'tasks.jsonl': lines(items), 'bare.jsonl': lines([...items, { id: 'bare', task: 'Greet.' }]) })
  const { code, stdout } = await made.jurist('lift', 'mark', '--dataset', 'tasks.jsonl', ...quick)
  const { without, with: arm, test: kind } = JSON.parse(stdout)
  expect([code, without.passed, arm.passed, kind]).toEqual([0, 0, 3, 'within-items'])
  const bare = await made.jurist('lift', 'mark', '--dataset', 'bare.jsonl', ...quick)
  expect([bare.code, bare.stdout]).toEqual([2, expect.stringContaining('Items without judges: bare')])
  const one = await made.jurist('lift', 'mark', '--dataset', 'bare.jsonl', '--item', 'own-1', ...quick)
  expect([one.code, JSON.parse(one.stdout).items.length]).toEqual([0, 1])
})

test('assertions that tell nothing are counted', async () => {
  using made = open(
    evalsOf(
      greeting(1, {
        assertions: ['The output contains "~mark~"', 'The output contains "Hello"', 'The output contains "Bye"'],
      }),
    ),
  )
  const { stdout } = await made.jurist('lift', 'mark', '--agent', 'open', '--repeat', '1')
  expect(stdout).toContain('Assertions that tell nothing: 1 passes in every trial of both arms, 1 in none.')
  expect(JSON.parse((await made.jurist('lift', 'mark', ...quick)).stdout).same.always).toHaveLength(1)
})

test('trials in which it was used are counted apart, as selected', async () => {
  using made = open(evalsOf(greeting(1), greeting(2, { prompt: 'Say hello.' }), greeting(3, { prompt: 'Say hello.' })))
  const { selected } = JSON.parse((await made.jurist('lift', 'mark', ...quick)).stdout)
  expect(selected).toEqual({ used: { passed: 1, decided: 1 }, unused: { passed: 2, decided: 2 } })
})

test('a study that has its tasks goes on with its trigger queries', async () => {
  using made = open(queriesOf(queries))
  await made.jurist('lift', 'mark', ...quick, '--no-triggers')
  const { code, stdout } = await made.jurist('lift', 'mark', ...quick, '--resume')
  const { triggers, conclusion } = JSON.parse(stdout)
  expect([code, conclusion, triggers.should.trials.of]).toEqual([0, 'helps', 3])
  expect((await made.results.runs('lift-mark')).length).toBe(2)
  const again = await made.jurist('lift', 'mark', ...quick, '--resume')
  expect([again.code, again.stdout]).toEqual([2, expect.stringContaining('There is no unfinished study')])
})

test.each([
  ['no subject', [], 'Name one subject'],
  ['two subjects', ['mark', '--file', 'AGENTS.md'], 'Name one subject'],
  ['an empty file', ['--file', 'empty.md'], 'empty.md is empty'],
  ['no servers', ['--mcp', 'none.json'], 'has no "mcpServers"'],
  ['a server without a program', ['--mcp', 'bare.json'], 'neither "command" nor "url"'],
  ['servers without a place', ['--mcp', 'shop.json'], '--into'],
  ['a plugin without a manifest', ['--plugin', 'mark'], 'has no .claude-plugin/plugin.json'],
  ['a plugin for Codex', ['--plugin', 'guild', '--agent', 'codex'], 'Codex has no plugins'],
  ['instructions that should fire', ['--file', 'agent.mjs', '--triggers'], 'no trigger queries'],
  ['a place for an agent that has its own', ['mark', '--agent', 'claude', '--into', 'x'], 'has its own places'],
  ['no evals', ['--file', 'sub/AGENTS.md'], 'There is no evals/evals.json beside'],
])('%s: refused, with what to do', async (_, words, message) => {
  using made = open({
    ...{ 'empty.md': '\n', 'none.json': '{}', 'bare.json': '{ "mcpServers": { "a": {} } }', ...guild },
    ...{ 'shop.json': '{ "mcpServers": { "shop": { "command": "x" } } }', 'sub/AGENTS.md': 'x' },
    'evals/evals.json': evals,
  })
  const agentWords = words.includes('--agent') ? [] : ['--agent', 'open']
  const { code, stderr } = await made.jurist('lift', ...words, ...agentWords)
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  expect(readFileSync(join(made.directory, 'agent.mjs'), 'utf8')).toBe(agent)
})

test.skipIf(onPostgres)('the page of the session says the same sentences', async () => {
  using made = open({})
  const { stdout } = await made.jurist('lift', 'mark', '--agent', 'open', '--repeat', '1')
  const [, session = ''] = /show (\S+)/.exec(stdout) ?? []
  const page = viewer(fileStore(join(made.directory, 'results')))
  const response = await page(new Request(`http://localhost/api/sessions/lift-mark/${session}`))
  const { lift } = (await response.json()) as { readonly lift: readonly string[] }
  expect(lift[0]).toMatch(/^Helps\. /)
  expect(lift.map((line) => `  ${line}\n`).join('')).toBe(/ {2}Helps[\s\S]*?\n(?=\n)/.exec(stdout)?.[0])
})

/** The shapes of assertions and of evals in public repositories, in words of our own. */
const shapes: readonly (readonly [shape: string, given: object, assertions: number, unused?: string])[] = [
  ['sentences', { assertions: ['Says hello.'] }, 1],
  ['expectations', { expectations: ['Says hello.', 'Is short.'] }, 2],
  ['expect, and fail that is not read', { expect: ['Says hello.'], fail: ['Is rude.'] }, 1, 'fail'],
  ['objects with id and text', { assertions: [{ id: 'a1', text: 'Says hello.' }] }, 1],
  ['objects with a type', { assertions: [{ id: 'a', text: 'Says hello.', type: 'semantic' }] }, 1],
  ['a check in words', { assertions: [{ text: 'Greeting', check: 'Says hello.' }] }, 1],
  ['a name and a check in words', { assertions: [{ name: 'greeting', check: 'Says hello.' }] }, 1],
  ['a name and a description', { assertions: [{ name: 'greeting', description: 'Says hello.' }] }, 1],
  ['a name alone', { assertions: [{ name: 'Says hello.' }] }, 1],
  ['no assertions', { expected_output: 'Hello.' }, 1],
  ['an input, and rules that are not read', { prompt: null, input: 'Greet.', rubric: ['Is kind.'] }, 1, 'rubric'],
  ['a query', { prompt: undefined, query: 'Greet.' }, 1],
  ['a name, a category and notes', { name: 'first', category: 'core', notes: 'x', description: 'y' }, 1],
  ['an area', { area: 'greetings' }, 1, 'area'],
  ['a text id with blanks', { id: 'first one / again' }, 1],
  ['no id', { id: undefined }, 1],
  ['no files', { files: [] }, 1],
  ['a directory of files', { files: ['evals/fixtures/case-1'] }, 1],
  ['a directory with a slash', { files: ['evals/fixtures/case-1/'] }, 1],
  ['a file by its path in evals', { files: ['fixtures/case-1/guest.txt'] }, 1],
  ['a file with a purpose', { files: [{ path: 'evals/fixtures/case-1/guest.txt', purpose: 'a guest' }] }, 1],
  ['other scripts', { prompt: '挨拶して', assertions: ['「こんにちは」と言う', 'هو لطيف'] }, 2],
  ['must_have, which is not read', { must_have: ['hello'], must_not_have: ['bye'] }, 1, 'must_have, must_not_have'],
  ['skills that should be used', { skills_expected_to_activate: ['mark'], critical: true }, 1, 'critical'],
]

test('evals of every public shape are read', async () => {
  const evals = shapes.map(([, given], index) => ({
    ...{ id: index + 1, prompt: 'Greet.', expected_output: 'Hello.' },
    ...given,
  }))
  using made = open({
    'mark/evals/evals.json': JSON.stringify({ skill_name: 'mark', version: '1', notes: 'x', evals }),
    'mark/evals/fixtures/case-1/guest.txt': 'Ada\n',
  })
  const { code, stdout, stderr } = await made.jurist('lift', 'mark', '--explain-assertions', '--json')
  const unused = shapes.flatMap(([, , , fields]) => fields?.split(', ') ?? []).sort()
  expect([code, stderr]).toEqual([0, `Fields of the evals that are not used: ${unused.join(', ')}.\n`])
  const found: readonly { readonly eval: string }[] = JSON.parse(stdout).assertions
  for (const [index, [shape, given, assertions]] of shapes.entries()) {
    const id = 'id' in given && given.id !== undefined ? 'first-one-again' : `eval-${index + 1}`
    expect([shape, found.filter((one) => one.eval === id).length]).toEqual([shape, assertions])
  }
})

test('a directory of an eval is in the workspace, and the evals never are', async () => {
  using made = open({
    ...evalsOf(
      greeting(1, { files: ['evals/fixtures/case-1'], assertions: ['`fixtures/case-1/guest.txt` contains "Ada"'] }),
    ),
    'mark/evals/fixtures/case-1/guest.txt': 'Ada\n',
  })
  const { stdout } = await made.jurist('lift', 'mark', ...quick)
  expect(JSON.parse(stdout).without.passed).toBe(1)
  for (const path of ['evals', 'evals/evals.json', '.']) {
    made.write(evalsOf(greeting(1, { files: [path] })))
    const { code, stderr } = await made.jurist('lift', 'mark', '--agent', 'open')
    expect([path, code, stderr]).toEqual([
      path,
      2,
      expect.stringContaining(path === '.' ? 'leaves' : 'holds the answers'),
    ])
  }
})

test('a study is written as a project, which is valid and runs both variants', async () => {
  using made = open({
    ...evalsOf(greeting(1, { files: ['evals/files/guest.txt'] }), greeting(2)),
    'mark/evals/files/guest.txt': 'Ada\n',
  })
  const { code, stdout } = await made.jurist('lift', 'mark', '--agent', 'claude', '--write', 'study')
  expect([code, stdout]).toEqual([0, expect.stringContaining('2 items written to study.')])
  // A scripted agent in the place of Claude Code.
  made.write({
    'study/agent.mjs': `
      import { existsSync } from 'node:fs'
      export const agent = ({ workspace }) => (existsSync(workspace.root + '/.claude/skills/mark/SKILL.md') ? '~mark~' : 'Hello.')
    `,
  })
  const within = ['--config', 'study/jurist.config.yaml'] as const
  expect((await made.jurist('validate', ...within)).code).toBe(0)
  const run = await made.jurist('run', 'mark', ...within, '--json')
  const { results } = JSON.parse(run.stdout)
  expect(results.map(({ variant }: { readonly variant: string }) => variant)).toEqual(['without', 'with'])
  const shown = await made.jurist('compare', 'without', 'with', ...within, '--json')
  expect(JSON.parse(shown.stdout).passRate.delta).toBe(1)
  expect((await made.jurist('lift', 'mark', '--agent', 'claude', '--write', 'study')).code).toBe(2)
  expect((await made.jurist('lift', 'mark', '--agent', 'open', '--write', 'other')).code).toBe(2)
})
