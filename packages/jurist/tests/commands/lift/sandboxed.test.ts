import { chmodSync, existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { delimiter, dirname, join } from 'node:path'
import { bubblewrapSandbox } from '@jurist/workspace'
import { describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'
import { evalsOf, greeting, skill } from './study.js'

/** A program that speaks as Claude Code does, and uses a skill that it was offered before it does anything else. */
const claude = `#!${process.execPath}
const version = '1.0.0'
const { existsSync, readdirSync, readFileSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')
const { request } = require('node:http')
const say = (message) => console.log(JSON.stringify(message))
const skills = join(process.env.CLAUDE_CONFIG_DIR, 'skills')
const names = existsSync(skills) ? readdirSync(skills) : []
writeFileSync(join(process.env.CLAUDE_CONFIG_DIR, 'session'), 'x')
const system = names.map((name) => readFileSync(join(skills, name, 'SKILL.md'), 'utf8')).join()
const answered = (chunks) => new Promise((resolve) => {
  const sent = request(process.env.ANTHROPIC_BASE_URL, { method: 'POST', headers: { 'user-agent': 'claude-cli/' + version + ' (external)' } }, (answer) => answer.resume().on('end', () => resolve(answer.statusCode)))
  sent.on('error', () => resolve(0)).end(JSON.stringify({ system, prompt: chunks }))
})
const turn = (id, content) => say({ type: 'assistant', message: { id, model: 'm', content, usage: { input_tokens: 5, output_tokens: 1 } } })
async function main() {
  const prompt = readFileSync(0, 'utf8')
  say({ type: 'system', subtype: 'init', skills: names, mcp_servers: [], tools: [] })
  if ((await answered(prompt)) !== 200) return say({ type: 'result', subtype: 'success', is_error: true, result: 'API Error' })
  if (names.length > 0 && /greet/i.test(prompt)) {
    turn('one', [{ type: 'tool_use', id: 't', name: 'Skill', input: { skill: names[0] } }])
    say({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't', content: 'End with ~mark~.' }] } })
    await new Promise((resolve) => setTimeout(resolve, /slow/.test(prompt) ? 30_000 : 0))
  }
  await answered('again: ' + prompt)
  const result = 'Hello.' + (names.length > 0 ? ' ~mark~' : '') + (/ask/.test(prompt) ? ' Which guest do you mean?' : '')
  turn('two', [{ type: 'text', text: result }])
  say({ type: 'result', subtype: 'success', is_error: false, result, num_turns: 2, total_cost_usd: 0.5, usage: { input_tokens: 9, output_tokens: 1 } })
}
main()
`

const queries = [
  { query: 'Greet the guild, slow.', should_trigger: true },
  { query: 'Add two numbers.', should_trigger: false },
]

/** The model of the program, which notes what it was asked. */
async function withModel<Value>(use: (url: string, asked: readonly string[]) => Promise<Value>): Promise<Value> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk
    })
    request.on('end', () => {
      asked.push(JSON.parse(body).prompt)
      response.end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  try {
    return await use(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, asked)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

function made(
  config: (directory: string) => string,
  evals: readonly object[],
  more: Readonly<Record<string, string>> = {},
) {
  const all = project({ 'bin/claude': claude, ...skill, ...evalsOf(...evals), ...more })
  chmodSync(join(all.directory, 'bin/claude'), 0o755)
  all.write({ 'jurist.config.yaml': config(all.directory) })
  return all
}

const lifted = (all: Project, url: string, ...words: readonly string[]) =>
  all.juristWith(
    {
      PATH: [join(all.directory, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter),
      ANTHROPIC_BASE_URL: url,
    },
    'lift',
    ...words,
  )

const study = 'lift:\n  mark: { skill: mark, agent: claude, repetitions: 1, model: m }\n'

test('a study of the config runs by its name, and flags take precedence', async () => {
  using all = made(() => study, [greeting(1), greeting(2)])
  await withModel(async (url) => {
    const { code, stdout, stderr } = await lifted(all, url, 'mark', '--json', '--repeat', '2')
    expect([code, stderr]).toEqual([0, expect.stringContaining('8 trials')])
    const { without, with: withIt } = JSON.parse(stdout)
    expect([without.passed, withIt.passed, withIt.decided, withIt.used]).toEqual([0, 4, 4, { trials: 4, of: 4 }])
  })
})

test('a study of the config that has no subject, or an unknown key, is refused', async () => {
  using all = made(() => 'lift:\n  mark: { agent: claude, repeat: 2 }\n', [greeting(1)])
  const { code, stderr } = await all.jurist('lift', 'mark')
  expect([code, stderr]).toEqual([2, expect.stringMatching(/lift\.mark[\s\S]+repeat/)])
})

test('a trigger query ends when the skill is used', async () => {
  using all = made(() => study, [greeting(1)], { 'mark/evals/trigger-evals.json': JSON.stringify(queries) })
  await withModel(async (url, asked) => {
    const { code, stdout } = await lifted(all, url, 'mark', '--triggers', '--json')
    const { should, shouldNot, leftOut } = JSON.parse(stdout).triggers
    expect([code, should.fired, shouldNot.not, leftOut]).toEqual([0, 1, 1, 0])
    expect(asked).toEqual(expect.arrayContaining(['Greet the guild, slow.', 'again: Add two numbers.']))
    expect(asked).not.toContain('again: Greet the guild, slow.')
  })
})

test('a budget that does not suffice ends a study after its first trials, and is refused before the next one', async () => {
  using all = made(
    () => study,
    [1, 2, 3, 4, 5, 6].map((id) => greeting(id)),
  )
  await withModel(async (url) => {
    const { code, stderr } = await lifted(all, url, 'mark', '--budget', '2', '-j', '1')
    expect([code, stderr]).toEqual([3, expect.stringContaining('About $6.00 for 12 trials, by the first 2.')])
    expect(stderr).toContain('$2.00 does not suffice for this study: about $6.00.')
    all.write({ 'bin/claude': claude.replace('1.0.0', '1.0.1') })
    const changed = await lifted(all, url, 'mark', '--budget', '10', '--resume')
    expect([changed.code, changed.stderr]).toEqual([
      2,
      expect.stringContaining('The agent (claude-cli/1.0.0, now claude-cli/1.0.1) has changed'),
    ])
    all.write({ 'bin/claude': claude })
    const resumed = await lifted(all, url, 'mark', '--budget', '10', '--resume', '--json')
    expect([resumed.code, JSON.parse(resumed.stdout).with.decided]).toEqual([0, 6])
    const again = await lifted(all, url, 'mark', '--budget', '2')
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('12 trials, about $6.00, about ')])
    expect(again.stderr).toContain('does not suffice')
  })
})

test('trials that end with a question are counted', async () => {
  using all = made(() => study, [greeting(1, { prompt: 'Greet a guest: ask me.' }), greeting(2)])
  await withModel(async (url) => {
    const { stdout } = await lifted(all, url, 'mark')
    expect(stdout).toContain('Ended with a question: 1 of 2 trials without, 1 of 2 with.')
  })
})

const hasBubblewrap = await bubblewrapSandbox({ network: { allow: [] } })
  .probe()
  .then(
    () => true,
    () => false,
  )

describe.skipIf(!hasBubblewrap)('in bubblewrap', () => {
  const sandboxed = (network: string) => (directory: string) =>
    `${study.replace(' }', `, sandbox: { bubblewrap: { readable: [${directory}/bin, ${dirname(dirname(process.execPath))}], network: ${network} } } }`)}`

  test('both arms see their homes and nothing else of the machine, and reach the hosts of the list', async () => {
    using all = made(sandboxed('{ allow: [] }'), [greeting(1), greeting(2)])
    await withModel(async (url) => {
      const port = new URL(url).port
      const { code, stdout, stderr } = await lifted(all, url, 'mark', '--json', '--allow-host', `localhost:${port}`)
      expect([code, stderr]).toEqual([0, expect.stringContaining('with: offered as "mark"')])
      const { loading, without, with: withIt, session } = JSON.parse(stdout)
      expect([loading.proof, without.passed, withIt.passed, withIt.used.trials]).toEqual(['request', 0, 2, 2])
      expect(session).not.toBeNull()
      const [run] = await all.results.runs('lift-mark')
      const store = await all.results.store()
      expect((await store.overview(run ?? ''))?.conditions).toMatchObject({
        isolation: 'namespace',
        network: [`localhost:${port}`],
      })
    })
  })

  test('a sandbox without a network is found before anything runs', async () => {
    using all = made(sandboxed('none'), [greeting(1)])
    await withModel(async (url, asked) => {
      const { code, stdout } = await lifted(all, url, 'mark', '--json')
      expect([code, JSON.parse(stdout).error.code]).toEqual([3, 'arm-not-loaded'])
      expect(asked).toEqual([])
      expect(existsSync(join(all.directory, 'results'))).toBe(false)
    })
  })
})
