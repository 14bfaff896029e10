import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../structure/source.js'
import { type Runtime, runtimes } from './installed-runtimes.js'

const here = fileURLToPath(new URL('.', import.meta.url))
const run = promisify(execFile)

/** A directory within the repository, so that `@jurist/core` is the package that was built. */
let directory: string
beforeAll(async () => {
  directory = mkdtempSync(join(here, 'program-'))
  await build({
    entryPoints: [join(here, 'core-program.ts')],
    bundle: true,
    format: 'esm',
    packages: 'external',
    outfile: join(directory, 'core.mjs'),
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(join(root, 'packages/core/tests/vectors.ts')).href) },
  })
  const { exports } = JSON.parse(readFileSync(join(root, 'packages/core/package.json'), 'utf8'))
  const doors = Object.keys(exports).filter((door) => door !== './package.json')
  const lines = doors.map(
    (door) => `console.log(${JSON.stringify(door)}, Object.keys(await import('@jurist/core${door.slice(1)}')).length)`,
  )
  writeFileSync(join(directory, 'doors.mjs'), lines.join('\n'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

async function printedBy({ argv: [program = '', ...argv] }: Runtime, file: string): Promise<string> {
  const { stdout } = await run(program, [...argv, join(directory, file)], { maxBuffer: 64 * 1024 * 1024 })
  return stdout
}

test('every runtime of the project is installed', () => {
  expect(runtimes.map(({ name }) => name).slice(1)).toEqual(['Node 22', 'Node 24', 'Deno', 'Bun'])
})

describe.each(runtimes.slice(1))('core in $name', (runtime) => {
  test('judges, votes and cascades as in the runtime of the tests', async () => {
    const expected = JSON.parse(await printedBy(runtimes[0] as Runtime, 'core.mjs'))
    expect(expected).toHaveLength(58 + 24 + 1)
    expect(JSON.parse(await printedBy(runtime, 'core.mjs'))).toEqual(expected)
  })

  test('every door opens', async () => {
    expect(await printedBy(runtime, 'doors.mjs')).toBe(await printedBy(runtimes[0] as Runtime, 'doors.mjs'))
  })
})
