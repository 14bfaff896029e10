import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { bubblewrapSandbox, emptyDirectory } from '@jurist/workspace'
import { describe, expect, test } from 'vitest'
import { isForWork } from '../../packages/bridges/testing/agent-script.js'
import { type ScriptedServer, scriptedServer } from '../../packages/bridges/testing/index.js'
import type { ScriptedRequest } from '../../packages/bridges/testing/scripted-turn.js'
import { root } from '../structure/source.js'
import { directoryOf, isInstalled } from './kit/install.js'
import { packages, selected } from './kit/packages.js'
import { program } from './kit/real-agent.js'

const jurist = join(root, 'packages/jurist/dist/command/main.js')
const [claude, codex] = ['@anthropic-ai/claude-code', '@openai/codex']
const description = 'Signs every greeting with the house mark. Use it for greetings.'

/** A server of MCP with one tool. */
const server = `
import { createInterface } from 'node:readline'
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  const answer = {
    initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'shop', version: '1' } },
    'tools/list': { tools: [{ name: 'mark', description: ${JSON.stringify(description)}, inputSchema: { type: 'object', properties: {} } }] },
    'tools/call': { content: [{ type: 'text', text: '~mark~' }] },
  }[method]
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answer ?? {} }))
}
`
const skill = `---\nname: mark\ndescription: ${description}\n---\nEnd with ~mark~.\n`
const evals = JSON.stringify({
  evals: [1, 2].map((id) => ({ id, prompt: `Greet ${id}.`, assertions: ['The output contains "~mark~"'] })),
})
const queries = JSON.stringify([
  { query: 'Greet the guild.', should_trigger: true },
  { query: 'Add two numbers.', should_trigger: false },
])

const files = {
  'mark/SKILL.md': skill,
  'mark/evals/evals.json': evals,
  'mark/evals/trigger-evals.json': queries,
  'AGENTS.md': `${description}\n`,
  'evals/evals.json': evals,
  'shop.mjs': server,
  'shop.json': JSON.stringify({ mcpServers: { shop: { command: process.execPath, args: ['./shop.mjs'] } } }),
  'broken.json': JSON.stringify({
    mcpServers: { shop: { command: process.execPath, args: ['-e', 'process.exit(1)'] } },
  }),
  'guild/.claude-plugin/plugin.json': '{"name":"guild"}',
  'guild/skills/mark/SKILL.md': skill,
  'guild/evals/evals.json': evals,
}

/** A model that uses what it is offered, once, and then answers with the mark. */
function obedient(): Promise<ScriptedServer> {
  return scriptedServer((request) => {
    const text = JSON.stringify(request.body)
    if (!isForWork(request) && !request.tools.includes('Skill')) return { text: 'A title' }
    if (text.includes('Add two numbers') || !text.includes(description)) return { text: 'Hello.' }
    return /"(?:tool_result|function_call_output|custom_tool_call_output)"/.test(text)
      ? { text: 'Hello. ~mark~' }
      : using(request, text)
  })
}

function using({ tools }: ScriptedRequest, text: string) {
  const offered = tools.find((name) => name.startsWith('mcp__shop'))
  if (offered !== undefined)
    return {
      tools: [offered === 'mcp__shop' ? { name: 'mark', namespace: offered, input: {} } : { name: offered, input: {} }],
    }
  const name = text.includes('guild:mark') ? 'guild:mark' : 'mark'
  const isSkill = text.includes(tools.includes('Skill') ? `- ${name}` : 'mark/SKILL.md')
  if (!isSkill) return { text: 'Hello. ~mark~' }
  if (tools.includes('Skill')) return { tools: [{ name: 'Skill', input: { skill: name } }] }
  const command = 'cat "$HOME/.agents/skills/mark/SKILL.md"'
  const shell = ['exec_command', 'shell_command', 'shell'].find((one) => tools.includes(one))
  if (shell !== undefined) return { tools: [{ name: shell, input: { cmd: command, command } }] }
  return {
    tools: [{ name: 'exec', custom: true, input: `await tools.exec_command(${JSON.stringify({ cmd: command })})` }],
  }
}

const hasLists = await bubblewrapSandbox({ network: { allow: [] } })
  .probe()
  .then(() => true)
  .catch(() => false)

/** The skill, in a sandbox that shows the program of the agent and reaches only its model. */
const configOf = (agent: string, name: string) =>
  JSON.stringify({
    lift: {
      boxed: {
        skill: 'mark',
        agent,
        sandbox: { bubblewrap: { readable: [directoryOf(name)], network: { allow: [] } } },
      },
    },
  })

async function lifted(agent: string, model: ScriptedServer, ...words: readonly string[]) {
  await using project = await emptyDirectory()
  writeFileSync(join(project.root, 'jurist.config.json'), configOf(agent, agent === 'claude' ? claude : codex))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project.root, path)), { recursive: true })
    writeFileSync(join(project.root, path), text)
  }
  const env = {
    ...{ PATH: [dirname(program(claude, 'x')), dirname(program(codex, 'x')), process.env.PATH].join(delimiter) },
    // Codex starts no sandbox from a home in a temporary directory.
    XDG_CACHE_HOME: join(homedir(), '.cache'),
    ...{ HOME: project.root, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'sk-dummy-of-the-test' },
    ...{ OPENAI_BASE_URL: `${model.url}/v1`, CODEX_API_KEY: 'dummy-key-of-the-test' },
  }
  // The tools that Codex offers depend on the model.
  const argv = [jurist, 'lift', ...words, '--agent', agent, '--model', 'scripted', '--repeat', '1', '--json']
  return await new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, argv, { cwd: project.root, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })
}

const subjects: readonly (readonly [name: string, ...words: readonly string[]])[] = [
  ['a skill', 'mark'],
  ['instructions', '--file', 'AGENTS.md'],
  ['a server of MCP', '--mcp', 'shop.json'],
  ['a plugin', '--plugin', 'guild'],
]

for (const [agent, packageName] of [
  ['claude', claude],
  ['codex', codex],
] as const) {
  const isThere = selected().includes(packageName) && isInstalled(packageName)
  test.skipIf(!isThere)(`${packageName} is installed`, () => {})
  if (!isThere) continue
  describe(`jurist lift --agent ${agent}`, () => {
    for (const [title, ...words] of subjects) {
      if (agent === 'codex' && title === 'a plugin') continue
      test(`${title} is loaded in one arm and not in the other, and using it is read from the journal`, async () => {
        await using model = await obedient()
        const { code, stdout, stderr } = await lifted(agent, model, ...words)
        const { loading, without, with: withIt, triggers } = JSON.parse(stdout)
        expect(code, stderr).toBe(0)
        expect(loading.proof).toBe('request')
        expect(loading.program).toMatch(new RegExp(`^${agent}[-_]\\w+/${packages[packageName]}$`))
        expect([without.passed, withIt.passed, without.decided, withIt.decided], stderr).toEqual([0, 2, 2, 2])
        const [, name] = /with: offered as "([^"]+)"/.exec(stderr) ?? []
        if (title === 'instructions') expect(name).toBe(agent === 'claude' ? 'CLAUDE.md' : 'AGENTS.md')
        const used = title === 'instructions' ? { trials: 0, of: 0 } : { trials: 2, of: 2 }
        expect(withIt.used).toEqual(used)
        if (title !== 'a skill') return
        expect(triggers).toMatchObject({ should: { fired: 1, not: 0 }, shouldNot: { fired: 0, not: 1 }, leftOut: 0 })
      })
    }

    test.skipIf(!hasLists)('a skill is loaded and used in a sandbox that reaches only the model', async () => {
      await using model = await obedient()
      const { port } = new URL(model.url)
      const { code, stdout, stderr } = await lifted(agent, model, 'boxed', '--allow-host', `localhost:${port}`)
      expect(code, stderr).toBe(0)
      const { loading, without, with: withIt, triggers } = JSON.parse(stdout)
      expect(loading.proof).toBe('request')
      expect([without.passed, withIt.passed, withIt.used], stderr).toEqual([0, 2, { trials: 2, of: 2 }])
      expect(triggers).toMatchObject({ should: { fired: 1, not: 0 }, shouldNot: { fired: 0, not: 1 }, leftOut: 0 })
    })

    test('a server that does not start is an error, and nothing is asked', async () => {
      await using model = await obedient()
      const { code, stdout } = await lifted(agent, model, '--mcp', 'broken.json')
      expect([code, JSON.parse(stdout).error.code]).toEqual([3, 'arm-not-loaded'])
      expect(model.requests).toHaveLength(0)
    })
  })
}
