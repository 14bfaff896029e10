import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileStore } from '@jurist/experiment/store'
import { emptyDirectory } from '@jurist/workspace'
import { expect, test } from 'vitest'
import { isForWork } from '../../packages/bridges/testing/agent-script.js'
import { type ScriptedServer, scriptedServer } from '../../packages/bridges/testing/index.js'
import { root } from '../structure/source.js'
import { codexConfigFor } from './kit/codex-config.js'
import { isInstalled } from './kit/install.js'
import { selected } from './kit/packages.js'
import { program } from './kit/real-agent.js'

const jurist = join(root, 'packages/jurist/dist/command/main.js')

/** A coding agent: how it is started in a directory, against a model of ours. */
interface HookedAgent {
  readonly name: string
  readonly client: string
  readonly start: (server: ScriptedServer, home: string) => { readonly argv: readonly string[]; readonly env: object }
}

const claude = '@anthropic-ai/claude-code'
const codex = '@openai/codex'
const agents: readonly HookedAgent[] = [
  {
    name: claude,
    client: 'claude',
    start: ({ url }) => ({
      argv: [program(claude, 'claude'), '-p', 'Write a README.', '--permission-mode', 'acceptEdits'],
      env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-dummy-of-the-test', CLAUDE_CODE_MAX_RETRIES: '1' },
    }),
  },
  {
    name: codex,
    client: 'codex',
    start: (server, home) => {
      mkdirSync(join(home, '.codex'), { recursive: true })
      const config = Object.entries(codexConfigFor(server)).flatMap(([key, value]) => ['-c', `${key}=${toml(value)}`])
      // There is no user here who could review the hook.
      const flags = [
        '--skip-git-repo-check',
        '--trust',
        '--dangerously-bypass-hook-trust',
        '--dangerously-bypass-approvals-and-sandbox',
      ]
      return {
        argv: [program(codex, 'codex'), 'exec', ...config, ...flags, '-m', 'scripted', 'Write a README.'],
        env: { CODEX_API_KEY: 'dummy-key-of-the-test', CODEX_HOME: join(home, '.codex') },
      }
    },
  },
]

function toml(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{ ${Object.entries(value)
    .map(([key, entry]) => `${key} = ${toml(entry)}`)
    .join(', ')} }`
}

/** A model that is done too early: it writes a title only when it was sent back, and an empty file instead if `never`. */
function hasty(directory: string, seen: string[], never: boolean) {
  return scriptedServer((request) => {
    if (!isForWork(request)) return { text: 'A title' }
    const text = JSON.stringify(request.body)
    const sentBack = text.split('does not pass yet').length - 1
    seen.push(String(sentBack))
    if (sentBack === 0 || never || existsSync(join(directory, 'README.md'))) return { text: `I am done ${sentBack}.` }
    const command = `printf '# Hello\\n' > ${directory}/README.md`
    const shell = ['Bash', 'exec_command', 'shell_command', 'shell'].find((name) => request.tools.includes(name))
    if (request.tools.includes('Write'))
      return { tools: [{ name: 'Write', input: { file_path: `${directory}/README.md`, content: '# Hello\n' } }] }
    if (shell !== undefined) return { tools: [{ name: shell, input: { cmd: command, command } }] }
    return {
      tools: [{ name: 'exec', custom: true, input: `await tools.exec_command(${JSON.stringify({ cmd: command })})` }],
    }
  })
}

/** Lets an agent work in a project with the hook, as `jurist hook install` makes it. */
async function worked({ client, start }: HookedAgent, never: boolean) {
  const project = await emptyDirectory()
  const home = await emptyDirectory()
  const env = { PATH: process.env.PATH ?? '', HOME: home.root }
  execFileSync('git', ['init', '--quiet'], { cwd: project.root })
  const began = performance.now()
  execFileSync(process.execPath, [jurist, 'hook', 'install', client, '--max', '2'], { cwd: project.root, env })
  const installedMs = performance.now() - began
  const seen: string[] = []
  await using server = await hasty(project.root, seen, never)
  const { argv, env: own } = start(server, home.root)
  const [file = '', ...args] = argv
  const child = spawn(file, args, { cwd: project.root, env: { ...env, ...own, IS_SANDBOX: '1' } as NodeJS.ProcessEnv })
  child.stdin.end()
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (printed += text))
  const code = await new Promise((resolve) => child.on('close', resolve))
  const totalMs = performance.now() - began
  console.info(`${client}: installed in ${Math.round(installedMs)} ms, finished after ${Math.round(totalMs)} ms`)
  const store = fileStore(join(project.root, 'results'))
  const runs = []
  for await (const { id } of store.list({ kind: 'hook' })) runs.push(await store.load(id))
  const items = runs.flatMap((run) => run?.items ?? [])
  const readme = join(project.root, 'README.md')
  const text = existsSync(readme) ? readFileSync(readme, 'utf8') : undefined
  await project[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
  return { code, printed, seen, items, runs, text }
}

for (const agent of agents) {
  const isThere = selected().includes(agent.name) && isInstalled(agent.name)
  test.skipIf(!isThere)(`${agent.name} is sent back until the jury passes`, async () => {
    const { code, printed, items, runs, text, seen } = await worked(agent, false)
    expect(text, `${printed}\n${seen}`).toBe('# Hello\n')
    expect([code, runs.length]).toEqual([0, 1])
    expect(items.map(({ passed }) => passed)).toEqual([false, true])
  })

  test.skipIf(!isThere)(`${agent.name} may stop after --max blocks`, async () => {
    const { code, items, printed } = await worked(agent, true)
    expect(
      items.map(({ passed }) => passed),
      printed,
    ).toEqual([false, false, false])
    expect(items.map(({ metadata }) => metadata['decision'])).toEqual(['block', 'block', 'allow'])
    expect(code).toBe(0)
  })
}
