import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { copyOf } from '@jurist/workspace'
import { testCommand } from '../git/test-command.js'
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
