import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { copyOf } from '@jurist/workspace'
import { stringify } from 'yaml'
import { testCommand } from '../git/project-commands.js'
import { type Fixture, notCopied } from './read-fixtures.js'

/** What makes Vitest run the tests of an evaluation and nothing else, as agent-eval writes it. */
const configFile = 'vitest.config.ts'

/** The directory of an item whose files are laid over the work before its tests run. */
const hidden = 'hidden'

/** Writes the directory of an item: its task, the files before, and the hidden tests. */
export async function writeItem(directory: string, fixture: Fixture, scripts: readonly string[]): Promise<void> {
  await mkdir(join(directory, hidden), { recursive: true })
  await writeFile(join(directory, 'task.md'), fixture.prompt)
  const before = await copyOf(fixture.directory, { to: join(directory, 'before'), ignore: notCopied })
  for (const path of fixture.hidden) await rm(join(before.root, path))
  before.keep()
  await before[Symbol.asyncDispose]()
  await copyFile(join(fixture.directory, fixture.testFile), join(directory, hidden, fixture.testFile))
  await writeFile(join(directory, hidden, configFile), configOf(fixture.testFile))
  await writeFile(join(directory, 'item.json'), `${JSON.stringify(itemOf(fixture, scripts), null, 2)}\n`)
}

function configOf(testFile: string): string {
  return `import { defineConfig } from 'vitest/config'

export default defineConfig({ test: { include: ['${testFile}'], globals: false } })
`
}

/** What `item.json` says. */
function itemOf({ testFile, digest, needs }: Fixture, scripts: readonly string[]): object {
  const tests = {
    ...testCommand('npx vitest run {files}').judge([testFile]),
    overlay: { from: hidden, paths: [testFile, configFile] },
  }
  const builds = scripts.map((script) => [
    `script ${script}`,
    { type: 'build-succeeds', tool: 'npm', arguments: [script] },
  ])
  return {
    judges: { tests, ...Object.fromEntries(builds) },
    metadata: { source: { format: 'agent-eval', digest, ...(needs.length === 0 ? {} : { needs }) } },
  }
}

/** What installs the packages of a workspace with each lock file. */
const installers = [
  { lock: 'pnpm-lock.yaml', command: ['pnpm', 'install', '--frozen-lockfile'] },
  { lock: 'yarn.lock', command: ['yarn', 'install', '--frozen-lockfile'] },
  { lock: 'package-lock.json', command: ['npm', 'install', '--no-audit', '--no-fund'] },
] as const

/** Writes `dataset.json` and the config. */
export async function writeProject(root: string, name: string, fixtures: readonly Fixture[]): Promise<void> {
  const manifest = {
    schemaVersion: 1,
    name,
    version: '1',
    items: fixtures.map(({ id, needs }) => ({
      id,
      path: `items/${id}`,
      ...(needs.length === 0 ? {} : { status: 'disabled' }),
    })),
  }
  const files = {
    'jurist.config.yaml': configText(name, fixtures),
    '.gitignore': 'results/\n.jurist/\n',
    'dataset/dataset.json': `${JSON.stringify(manifest, null, 2)}\n`,
  }
  for (const [path, text] of Object.entries(files)) await writeFile(join(root, path), text)
}

function configText(name: string, fixtures: readonly Fixture[]): string {
  return `# agent-eval evaluations. The hidden tests of each judge the work after the agent (see the item.json of each item).
experiments:
  ${stringify(name).trim()}:
    dataset: dataset
    # Any program that works in its current directory, such as Codex: [codex, exec, --full-auto, "{{prompt}}"].
    agent: { command: [claude, -p, "{{prompt}}", --permission-mode, acceptEdits] }
    # Where commands of agents and judges run: none (on this machine), auto, bubblewrap, docker:<image>.
    sandbox: none
    # Runs once for each content of its inputs, on this machine. Each workspace gets a copy of what it keeps.
    setup: ${stringify(setupOf(fixtures), { collectionStyle: 'flow', lineWidth: 0 }).trim()}
    # The items describe the commands that run their tests.
    trustItems: true
`
}

/** One command installs the packages of all: that of the lock file that most of them have. */
function setupOf(fixtures: readonly Fixture[]): object {
  const having = (lock: string) => fixtures.filter(({ root }) => root.has(lock)).length
  const [best] = [...installers].sort((one, other) => having(other.lock) - having(one.lock))
  const { lock, command } = best !== undefined && having(best.lock) > 0 ? best : installers[2]
  return { command, inputs: ['package.json', lock], keeps: ['node_modules'] }
}
