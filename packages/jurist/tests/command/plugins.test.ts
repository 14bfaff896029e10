import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { type Project, project } from '../project.js'

/** A package of somebody else, which has `jurist` and nothing else of this repository. */
const plugin = `import { memoryStore } from 'jurist/store'
import { definePlugin, flag, subcommand, text } from 'jurist/plugin'
const greet = subcommand({
  arguments: [['<name>', 'who is greeted']],
  flags: { greeting: flag('--greeting <text>', 'what is said (default: Hello)', text, { default: 'Hello' }) },
  examples: ['greet Ana'],
  async run({ terminal }, [name], { greeting }) {
    terminal.out(\`\${greeting}, \${name}\\n\`)
    return 0
  },
})
const count = subcommand({
  arguments: [], flags: {}, examples: ['count'],
  async run(host) {
    const { store, shown } = await host.results()
    let runs = 0
    for await (const _ of store.list()) runs += 1
    const [experiment] = await host.experiments()
    host.json({ runs, shown, experiment: experiment.name })
    return 0
  },
})
const store = memoryStore()
export default definePlugin({
  commands: {
    greet: { summary: 'greet somebody', load: async () => greet },
    words: { summary: 'words', actions: { count: { summary: 'count runs', load: async () => count, exitCode: () => 3 } } },
    count: { summary: 'count runs', load: async () => count },
    run: { summary: 'never this one', load: async () => greet },
  },
  judges: {
    'says-word': {
      passes: 'the answer has the word',
      options: { word: { description: 'The word.', schema: { type: 'string' } } },
      required: ['word'],
      make: ({ word }) => ({ agentOutput }) => agentOutput.text.includes(word),
    },
  },
  stores: { mem: async (address) => (address.endsWith('/broken') ? Promise.reject(new Error('no such place')) : store) },
})
`

const config = `plugins: [jurist-plugin-words]
experiments:
  answers:
    dataset: [{ id: one, task: Say yes }]
    agent: { command: [echo, "yes it is"] }
    jury: { type: says-word, word: "yes" }
`

function withPlugin(files: Readonly<Record<string, string>> = {}): Project {
  return project({
    'node_modules/jurist-plugin-words/package.json':
      '{ "name": "jurist-plugin-words", "type": "module", "exports": "./index.js" }',
    'node_modules/jurist-plugin-words/index.js': plugin,
    'jurist.config.yaml': config,
    ...files,
  })
}

describe('a package that a config names', () => {
  test('adds commands, with help and messages as for those of jurist', async () => {
    using made = withPlugin()
    expect(await made.jurist('greet', 'Ana', '--greeting', 'Hi')).toMatchObject({ code: 0, stdout: 'Hi, Ana\n' })
    expect((await made.jurist('--help')).stdout).toMatch(/greet \[options\] <name>|greet .*greet somebody/)
    expect((await made.jurist('greet', '--help')).stdout).toContain('jurist greet Ana')
    expect((await made.jurist('help', 'greet')).stdout).toContain('--greeting <text>')
    const wrong = await made.jurist('greet', 'Ana', '--greting', 'Hi', '--json')
    expect([wrong.code, JSON.parse(wrong.stdout).error.code]).toEqual([2, 'usage-invalid'])
    expect((await made.jurist('gret')).stderr).toContain('Did you mean "greet"?')
    expect(await made.jurist('words', 'count')).toMatchObject({ code: 0, stdout: expect.stringContaining('"runs": 0') })
    expect(await made.jurist('words', 'count', '--no')).toMatchObject({ code: 3 })
    expect((await made.jurist('words')).stderr).toContain('Name an action: count.')
    expect((await made.jurist('words', '--help')).stdout).toMatch(/Commands:\n +count +count runs/)
    using elsewhere = project()
    expect(await elsewhere.jurist('-C', made.directory, 'greet', 'Bo')).toMatchObject({ stdout: 'Hello, Bo\n' })
    expect((await elsewhere.jurist('greet', 'Bo')).stderr).toContain('Unknown command "greet".')
  })

  test('adds judges that YAML describes, and replaces no command', async () => {
    using made = withPlugin()
    const { code, stdout } = await made.jurist('run', '--json')
    expect([code, JSON.parse(stdout).results[0].passRate]).toEqual([0, 1])
    expect(JSON.parse((await made.jurist('count')).stdout)).toMatchObject({ runs: 1, experiment: 'answers' })
    expect((await made.jurist('validate', '--schema', '-')).stdout).toContain('"says-word"')
    made.write({ 'jurist.config.yaml': config.replace('word: "yes"', '') })
    expect((await made.jurist('validate')).stdout).toContain('needs "word": The word.')
    made.write({ 'jurist.config.yaml': config.replace('says-word', 'say-word') })
    expect((await made.jurist('validate')).stdout).toContain('Did you mean "says-word"?')
  })

  test('has no judge for items of a dataset that is not trusted', async () => {
    const rows = '{"id":"one","task":"Say yes","judges":[{"type":"says-word","word":"yes"}]}\n'
    const items = config.replace('[{ id: one, task: Say yes }]', 'rows.jsonl').replace(/ {4}jury: .*\n/, '')
    using made = withPlugin({ 'rows.jsonl': rows, 'jurist.config.yaml': items })
    const refused = await made.jurist('run')
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('is a judge of a plug-in.')
    made.write({ 'jurist.config.yaml': `${items}    trustItems: true\n` })
    expect((await made.jurist('run')).code).toBe(0)
  })

  test('opens stores by their addresses', async () => {
    using made = withPlugin()
    const at = (place: string) => ['count', '--results', place] as const
    expect(JSON.parse((await made.jurist(...at('mem://user:secret@host/runs'))).stdout)).toEqual({
      ...{ runs: 0, shown: 'mem://user@host/runs', experiment: 'answers' },
    })
    expect((await made.jurist(...at('meme://host'))).stderr).toContain('No store opens meme://. Did you mean "mem"?')
    expect((await made.jurist(...at('mem://host/broken'))).stderr).toContain('no such place')
  })

  test.each([
    ['plugins: [jurist-plugin-wrds]', 'Install it: npm install jurist-plugin-wrds'],
    ['plugins: [./gone.js]', 'Give the path of a module, relative to the config.'],
    ['plugins: [./words.js]', './words.js: must export a plug-in by default (got 3).'],
    ['plugins: [./part.js]', '"judge" is not a part of a plug-in. Parts: commands, judges, stores.'],
    ['plugins: [./form.js]', '"hello" of "commands" must be { summary, load } or { summary, actions }.'],
    ['plugins: [./name.js]', '"Hello" of "stores" must be in small letters.'],
    ['plugins: [jurist-plugin-words, ./greet.js]', '"greet" of "commands" is in two plug-ins.'],
    ['plugins: jurist-plugin-words', 'must be an array of packages and paths'],
    ['plugins: [1]', 'must export a plug-in by default (got 1)'],
  ])('%s is refused: %s', async (given, message) => {
    using made = withPlugin({
      'words.js': 'export default 3',
      'part.js': 'export default { judge: {} }',
      'form.js': 'export default { commands: { hello: () => 0 } }',
      'name.js': 'export default { stores: { Hello: () => 0 } }',
      'greet.js': "export default { commands: { greet: { summary: 'greet', load: () => 0 } } }",
      'jurist.config.yaml': config.replace(/plugins: .*/, given),
    })
    const { code, stdout } = await made.jurist('validate', '--json')
    expect([code, JSON.stringify(JSON.parse(stdout)).replaceAll('\\"', '"')]).toEqual([
      1,
      expect.stringContaining(message),
    ])
  })

  test('that breaks is said where its command is called, and does not keep the others from running', async () => {
    using made = withPlugin({ 'node_modules/jurist-plugin-words/index.js': 'throw new Error("no engine")' })
    expect((await made.jurist('greet', 'Ana')).stderr).toContain('jurist-plugin-words could not be loaded: no engine')
    expect((await made.jurist('--help')).code).toBe(0)
    expect((await made.jurist('list')).code).toBe(2)
  })
})

test('the example adds its command and its judge, by a path and as an object', async () => {
  using made = project()
  cpSync(fileURLToPath(new URL('../../../../examples/extend', import.meta.url)), made.directory, { recursive: true })
  const typed = readFileSync(join(made.directory, 'jurist.config.ts'), 'utf8')
  made.write({
    'jurist.config.ts': typed
      .replace('defineConfig({', 'defineConfig({ plugins: [plugin],')
      .replace(/^/, "import plugin from './plugin.js'\n"),
  })
  expect((await made.jurist('slowest', '--help')).stdout).toContain('--first <n>')
  made.write({
    'evals.yaml': config
      .replace('jurist-plugin-words', './plugin.ts')
      .replace('{ command: [echo, "yes it is"] }', '{ command: [touch, README.md] }')
      .replace('{ type: says-word, word: "yes" }', '{ type: no-todo, path: README.md }'),
  })
  expect((await made.jurist('-c', 'evals.yaml', 'run')).code).toBe(0)
  const { stdout } = await made.jurist('-c', 'evals.yaml', 'slowest', '-n', '1', '--json')
  expect(JSON.parse(stdout)).toEqual([{ itemId: 'one', durationMs: expect.any(Number) }])
})
