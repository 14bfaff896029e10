import type { Agent, AgentTask, Invocation, Workspace } from 'jurist'
import { textOutput } from 'jurist'
import type { Mutant } from './mutants.js'
import { described, textsOf } from './mutants.js'
import { search } from './search.js'
import type { Source } from './syntax.js'

/** Options of `repair`. */
export interface RepairOptions {
  /** Runs the visible tests in the workspace; its last argument is the test, or the directory of the tests. */
  readonly command: readonly string[]
  /** The files and directories that may be changed. Default `['src']`. */
  readonly sources?: readonly string[]
  /** How many mutants may be tried. Default 2,000. */
  readonly mostMutants?: number
  /** Decides the order of equally promising mutants. Default 1. */
  readonly seed?: number
  /** Milliseconds that a run of the visible tests may take: a program that never ends takes all of them. Default 20,000. */
  readonly timeoutMs?: number
}

const script = /\.[cm]?[jt]s$/

/**
 * An agent without a model: search-based program repair. It sees which statements the failing tests execute, changes
 * the program near the most suspicious of them in the ways in which people go wrong, and keeps the first change that
 * makes the visible tests pass. It knows the tests, and nothing of the task; so what it finds may suit these tests alone.
 *
 * The idea is that of W. Weimer and others, "Automatically Finding Patches Using Genetic Programming", ICSE 2009;
 * the changes are simple ones tried in order, as in V. Debroy and W. E. Wong, "Using Mutation to Automatically Suggest
 * Fixes for Faulty Programs", ICST 2010.
 *
 * @example
 * repair({ command: ['node', 'visible.test.js'], sources: ['solution.js'] })
 */
export function repair(options: RepairOptions): Agent {
  const { command, sources = ['src'], mostMutants = 2_000, seed = 1, timeoutMs = 20_000 } = options
  return async function repair(task) {
    const testsPass = (id: string): Promise<boolean> => passes(task, { command, timeoutMs }, id)
    if (await testsPass('visible tests')) return said('The visible tests pass already.')
    const program = await readAll(task.workspace, sources)
    const tests = (await readAll(task.workspace, command.slice(-1))).map(({ path }) => path)
    const finds = search(task, { sources: program, tests, mostMutants, seed })
    try {
      for (let next = await finds.next(); ; next = await finds.next()) {
        if (next.done === true) return await givenUp(task, program, next.value)
        const { mutant, tried } = next.value
        await write(task, program, mutant)
        if (await testsPass(`visible tests, after ${tried} mutants`)) return repaired(task, mutant, tried)
      }
    } catch (thrown) {
      await write(task, program) // a search that is cut must not leave a mutant behind
      throw thrown
    }
  }
}

async function passes(
  task: AgentTask,
  { command, timeoutMs }: { command: readonly string[]; timeoutMs: number },
  id: string,
): Promise<boolean> {
  task.record?.({ type: 'tool-call', id, name: 'run-tests', input: { command: [...command] } })
  const { workspace, signal } = task
  const result = await workspace.run(command, { signal, timeoutMs })
  signal.throwIfAborted()
  const passed = result.exitCode === 0
  const content = `${result.status}, exit code ${result.exitCode}`
  task.record?.({ type: 'tool-result', id, failed: !passed, content, elapsedMs: result.elapsedMs })
  return passed
}

async function write({ workspace }: AgentTask, program: readonly Source[], mutant?: Mutant): Promise<void> {
  const changed = mutant === undefined ? {} : textsOf(mutant)
  for (const { path, text } of program) await workspace.write(path, changed[path] ?? text)
}

function repaired(task: AgentTask, mutant: Mutant, tried: number): Invocation {
  for (const path of Object.keys(textsOf(mutant))) task.record?.({ type: 'file', path, change: 'modified' })
  const changes = mutant.changes.map(described)
  task.record?.({ type: 'text', text: changes.join('\n') })
  return said(`${changes.join('\n')}\nThe visible tests pass. It was mutant ${tried}.`, { tried, changes })
}

async function givenUp(task: AgentTask, program: readonly Source[], tried: number): Promise<Invocation> {
  await write(task, program)
  return said(`None of ${tried} mutants passes the visible tests.`, { tried, changes: [] })
}

function said(text: string, metadata: Invocation['metadata'] = {}): Invocation {
  return { status: 'completed', output: textOutput(text), costUsd: 0, metadata }
}

/** The scripts among some files and below some directories. */
async function readAll(workspace: Workspace, paths: readonly string[]): Promise<readonly Source[]> {
  const found: string[] = []
  for (const path of paths) {
    if (await workspace.isFile(path)) found.push(path)
    else for await (const entry of workspace.list({ under: path })) if (entry.type === 'file') found.push(entry.path)
  }
  const scripts = found.filter((path) => script.test(path)).sort()
  return Promise.all(scripts.map(async (path) => ({ path, text: await workspace.read(path) })))
}
