import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../structure/source.js'
import { runtimes } from './installed-runtimes.js'

const command = join(root, 'packages/jurist/dist/command/main.js')
const run = promisify(execFile)

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'jurist-runtimes-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

describe.each(runtimes.filter(({ name }) => name.startsWith('Node')))('the command in $name', ({ name, argv }) => {
  const project = () => join(directory, name.replaceAll(' ', '-'))
  const jurist = (...given: readonly string[]) =>
    run(argv[0] as string, [command, ...given], { maxBuffer: 16 * 1024 * 1024 })

  test('init makes a project that runs', async () => {
    await jurist('init', project())
    const { stdout } = await jurist('run', '--cwd', project(), '--json')
    expect(JSON.parse(stdout).results).toMatchObject([
      { status: 'completed', environment: { node: expect.stringMatching(`^v${/\d+/.exec(name)?.[0]}\\.`) } },
    ])
  })

  test('list and show read the run', async () => {
    const { stdout: listed } = await jurist('list', '--cwd', project(), '--json')
    expect(JSON.parse(listed)).toMatchObject([{ status: 'completed' }])
    const { stdout: shown } = await jurist('show', 'latest', '--cwd', project())
    expect(shown).toContain('2 of 2 decided')
  })
})
