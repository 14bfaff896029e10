import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ProjectResults, projectResults } from './project-results.js'
import { type Ran, runResident } from './resident-commands.js'

/** The built command. */
const commandFile = fileURLToPath(new URL('../dist/command/main.js', import.meta.url))
/** Ends a command when these tests have ended, however they did: a worker would wait for the database. */
const endWithParent = `${new URL('../../../tests/structure/end-with-parent.mjs', import.meta.url)}?parent=${process.pid}`

/** A temporary project. */
export interface Project extends Disposable {
  readonly directory: string
  readonly write: (files: Readonly<Record<string, string>>) => void
  /** Runs the command; the process that runs it has loaded it already. */
  readonly jurist: (...argv: readonly string[]) => Promise<Ran>
  readonly juristWith: (env: Readonly<Record<string, string>>, ...argv: readonly string[]) => Promise<Ran>
  /** With a text on standard input. */
  readonly juristReading: (
    stdin: string,
    env: Readonly<Record<string, string>>,
    ...argv: readonly string[]
  ) => Promise<Ran>
  /** Starts the command in a separate process, without waiting for it. */
  readonly start: (...argv: readonly string[]) => Started
  /** Like `start`, and leaves standard input open. */
  readonly talk: (...argv: readonly string[]) => Started
  readonly talkWith: (env: Readonly<Record<string, string>>, ...argv: readonly string[]) => Started
  readonly startWith: (env: Readonly<Record<string, string>>, ...argv: readonly string[]) => Started
  readonly results: ProjectResults
}

/** A command that is running. */
interface Started {
  readonly child: ChildProcess
  readonly ended: Promise<Ran>
  /** Waits until stderr has said a text, so many times. */
  readonly said: (text: string, times?: number) => Promise<void>
}

const withEnvironment = (env: Readonly<Record<string, string>>): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '',
  LANG: 'C.UTF-8',
  ...env,
})

/** Makes a project of files in its own directory. */
export function project(files: Readonly<Record<string, string>> = {}): Project {
  const directory = mkdtempSync(join(tmpdir(), 'jurist-command-'))
  const write = (more: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(more)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true })
      writeFileSync(join(directory, path), text)
    }
  }
  const children: ChildProcess[] = []
  const disposed = new AbortController()
  const results = projectResults(directory)
  const run = async (env: Readonly<Record<string, string>>, argv: readonly string[], stdin = '') => {
    const all = withEnvironment({ ...(await results.variables(argv)), ...env })
    return runResident({ argv, cwd: directory, env: all, stdin }, disposed.signal)
  }
  const start = (env: Readonly<Record<string, string>>, argv: readonly string[], stdin: string | null = '') => {
    const all = withEnvironment({ ...results.variablesNow(argv), ...env })
    const words = ['--import', endWithParent, commandFile, ...argv]
    const child = spawn(process.execPath, words, { cwd: directory, env: all, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] })
    children.push(child)
    return started(child, stdin)
  }
  write(files)
  return {
    directory,
    write,
    jurist: (...argv) => run({}, argv),
    juristWith: (env, ...argv) => run(env, argv),
    juristReading: (stdin, env, ...argv) => run(env, argv, stdin),
    start: (...argv) => start({}, argv),
    talk: (...argv) => start({}, argv, null),
    talkWith: (env, ...argv) => start(env, argv, null),
    startWith: (env, ...argv) => start(env, argv),
    results,
    [Symbol.dispose]() {
      // A test that failed may have left one.
      disposed.abort()
      for (const child of children) child.kill('SIGKILL')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function started(child: ChildProcess, stdin: string | null): Started {
  let [stdout, stderr] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (text) => (stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text) => (stderr += text))
  // A command that does not read its input may have ended.
  child.stdin?.on('error', () => undefined)
  if (stdin !== null) child.stdin?.end(stdin)
  const ended = new Promise<Ran>((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })))
  return {
    child,
    ended,
    said: (text, times = 1) =>
      new Promise((resolve, reject) => {
        const look = () => (stderr.split(text).length > times ? resolve() : undefined)
        child.stderr?.on('data', look)
        void ended.then(() => reject(new Error(`It ended without saying "${text}" ${times} times:\n${stderr}`)))
        look()
      }),
  }
}

/** A config of one experiment over items in memory; `agent`, `jury` and `rest` are source text. */
export function configOf(parts: { readonly agent?: string; readonly jury?: string; readonly rest?: string }): string {
  const {
    agent = "() => ({ status: 'completed', output: { type: 'text', text: 'yes' } })",
    jury: judges = "{ judges: { yes: outputText({ contains: 'yes' }) } }",
    rest = '',
  } = parts
  return `import { abstain, cascade, defineConfig, fail, fileExists, jury, outputText, pass } from 'jurist'
const agent = ${agent}
export default defineConfig({
  experiments: {
    demo: {
      dataset: ${items},
      agent,
      jury: ${judges.startsWith('{') ? `jury(${judges})` : judges},
      ${rest}
    },
  },
})
`
}

/** An experiment of two items as YAML, which is loaded faster than code; `rest` is more of it. */
export function yamlConfigOf(parts: { readonly dataset?: string; readonly rest?: string } = {}): string {
  const { dataset = items, rest = '' } = parts
  return `experiments:
  demo:
    dataset: ${dataset}
    agent: { command: ["true"] }
    jury: { type: output-text, contains: "yes" }
    ${rest}
`
}

const items = JSON.stringify([
  { id: 'one', task: 'Say yes.', tags: ['easy'], taskType: 'bugfix' },
  { id: 'two', task: 'Say yes.', tags: ['easy', 'hard'], bucket: 'simple' },
])
