import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { root } from '../../../tests/structure/source.js'

test('idle and reference are compared until it is decided: ten bugs of 28 are enough', async () => {
  const results = mkdtempSync(join(tmpdir(), 'jurist-repair-'))
  try {
    const argv = ['-C', join(root, 'examples/repair'), '--results', results, 'run', 'repair', '--json']
    const variants = ['--variant', 'idle', '--variant', 'reference', '--until', 'decided']
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(root, 'packages/jurist/bin/jurist.js'), ...argv, ...variants],
      { maxBuffer: 2 ** 26 },
    )
    const [, reference] = JSON.parse(stdout).results
    expect(reference).toMatchObject({ stopReason: 'decided', decided: { after: 10, planned: 28, why: 'improved' } })
  } finally {
    rmSync(results, { recursive: true, force: true })
  }
})
