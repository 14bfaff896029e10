import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const guide = readFileSync(join(root, 'docs/guide/continuous-integration.md'), 'utf8')
const settings = /```json\n([\s\S]*?)```/.exec(guide)?.[1] ?? ''

const program = `
import { fileExists } from 'jurist'
import { expect, test } from 'vitest'
test('a readme', async () => {
  await expect('Paris').toPass(fileExists('README.md'))
  await expect('Paris').toScore(fileExists('README.md'), 0.5)
})
`

test('with the settings of the guide the compiler knows the matchers in every test, and without them it does not', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'jurist-vitest-types-'))
  try {
    symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(directory, 'readme.test.ts'), program)
    writeFileSync(join(directory, 'tsconfig.json'), settings)
    const compiled = () => promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd: directory })
    expect((await compiled()).stdout).toBe('')
    writeFileSync(join(directory, 'tsconfig.json'), settings.replace(', "@jurist/vitest"', ''))
    await expect(compiled()).rejects.toMatchObject({ stdout: expect.stringContaining("'toPass' does not exist") })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
