import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Project, project } from '../../project.js'

/** Each item needs a skill, which the prompt names or does not. A prompt may break trials, and look for the ratchet, too. */
export const config = `import { readFileSync } from 'node:fs'
import { completed, defineConfig, outputText } from 'jurist'
const prompt = readFileSync(new URL('prompts/system.md', import.meta.url), 'utf8')
const letters = 'abcdefgh'
const items = Array.from({ length: 96 }, (_, n) => ({ id: 'item-' + n, task: 'Task ' + n }))
const agent = async ({ prompt: task, record }) => {
  const n = Number(task.split(' ')[1])
  const [, broken] = /break (\\w+)/.exec(prompt) ?? []
  const can = prompt.includes('do ' + letters[n % 8]) || prompt.includes('only ' + n + ';')
  const breaks = broken === 'all' || (broken === 'failures' && !can) || broken === String(n)
  const [, pause = 0] = /pause (\\d+)/.exec(prompt) ?? []
  if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause))
  if (prompt.includes('peek')) {
    await record({ type: 'tool-call', id: '1', name: 'Bash', input: { command: 'cat ~/.jurist/ratchets/demo/plan.json' } })
    await record({ type: 'tool-result', id: '1', content: 'No such file or directory', failed: true })
  }
  if (breaks) return { status: 'error', failure: { name: 'Error', message: 'no network', infrastructure: true } }
  return completed({ output: can ? 'ok' : 'no' })
}
export default defineConfig({
  experiments: {
    demo: { dataset: items, agent, jury: outputText({ contains: 'ok' }), concurrency: 16, retries: { attempts: 1 }, maxInfrastructureFailures: false },
  },
})
`

export interface Night extends Disposable {
  readonly made: Project
  readonly home: string
  /** The directory of the ratchet. */
  readonly state: string
  readonly git: (...args: readonly string[]) => string
  readonly jurist: Project['jurist']
  /** Starts the command, and leaves standard input open. */
  readonly talk: Project['talk']
  /** Writes a prompt and tries it. */
  readonly tries: (prompt: string) => ReturnType<Project['jurist']>
  readonly log: () => readonly { readonly [field: string]: unknown }[]
  readonly plan: () => {
    readonly parts: { readonly visible: string[]; readonly hidden: string[][]; readonly reserve: string[] }
  }
}

/** A repository with an agent that can do one of eight things, and a home. */
export function night(files: Readonly<Record<string, string>> = {}): Night {
  const made = project({
    ...{ 'jurist.config.mjs': config, 'prompts/system.md': 'do a\n', '.gitignore': 'results\nnode_modules\n' },
    ...files,
  })
  const home = mkdtempSync(join(tmpdir(), 'jurist-home-'))
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=Ana', '-c', 'user.email=ana@example.org', ...args], {
      cwd: made.directory,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim()
  git('init', '--quiet', '--initial-branch=main')
  git('add', '--all')
  git('commit', '--quiet', '-m', 'start')
  const state = join(home, '.jurist', 'ratchets', 'demo')
  const jurist: Project['jurist'] = (...argv) => made.juristWith({ HOME: home }, ...argv)
  return {
    ...{ made, home, state, git, jurist },
    talk: (...argv) => made.talkWith({ HOME: home }, ...argv),
    tries(prompt) {
      writeFileSync(join(made.directory, 'prompts', 'system.md'), prompt)
      return jurist('ratchet', 'try', '--json')
    },
    log: () =>
      readFileSync(join(state, 'log.jsonl'), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    plan: () => JSON.parse(readFileSync(join(state, 'plan.json'), 'utf8')),
    [Symbol.dispose]() {
      made[Symbol.dispose]()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** How most of these tests begin a ratchet: looks that wait for nothing. */
export const begin: readonly string[] = [
  ...['ratchet', 'init', 'demo', '--editable', 'prompts', '--hidden', '48', '--reserve', '24'],
  ...['--looks', '5', '--look-time', '0'],
]
