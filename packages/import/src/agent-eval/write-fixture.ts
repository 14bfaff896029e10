import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { copyOf } from '@jurist/workspace'
import { type SetupCommand, testCommand } from '../git/project-commands.js'
import { jsonFile, kept, writeFiles } from '../write-project.js'
import { type Fixture, notCopied } from './read-fixtures.js'

/** Makes Vitest run the tests of an evaluation and nothing else. agent-eval writes the same file. */
const configFile = 'vitest.config.ts'

/** The directory of an item whose files replace those of the workspace before its tests run. */
const hidden = 'hidden'

export async function writeFixture(directory: string, fixture: Fixture, scripts: readonly string[]): Promise<void> {
  const { testFile } = fixture
  await writeFiles(directory, {
    'task.md': fixture.prompt,
    'item.json': jsonFile(itemOf(fixture, scripts)),
    [join(hidden, configFile)]: configOf(testFile),
  })
  const before = await kept(copyOf(fixture.directory, { to: join(directory, 'before'), ignore: notCopied }))
  for (const path of fixture.hidden) await rm(join(before.root, path))
  await copyFile(join(fixture.directory, testFile), join(directory, hidden, testFile))
}

function configOf(testFile: string): string {
  return `import { defineConfig } from 'vitest/config'

export default defineConfig({ test: { include: ['${testFile}'], globals: false } })
`
}

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

/** The commands that install the packages of a workspace, by lock file. */
const installers = [
  { lock: 'pnpm-lock.yaml', command: ['pnpm', 'install', '--frozen-lockfile'] },
  { lock: 'yarn.lock', command: ['yarn', 'install', '--frozen-lockfile'] },
  { lock: 'package-lock.json', command: ['npm', 'install', '--no-audit', '--no-fund'] },
] as const

/** All items share one setup command: the installer of their most frequent lock file. */
export function setupOf(fixtures: readonly Fixture[]): SetupCommand {
  const having = (lock: string) => fixtures.filter(({ root }) => root.has(lock)).length
  const [best] = [...installers].sort((one, other) => having(other.lock) - having(one.lock))
  const { lock, command } = best !== undefined && having(best.lock) > 0 ? best : installers[2]
  return { command, inputs: ['package.json', lock], keeps: ['node_modules'] }
}
