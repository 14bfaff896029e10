import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { root } from './structure/source.js'

const command = join(root, 'packages/jurist/dist/command/main.js')

// One item of 28, since each takes some 20 trials with processes of their own; `jurist vet repair` tries all.
test('nothing gets through the jury of examples/repair', async () => {
  const results = mkdtempSync(join(tmpdir(), 'jurist-vetted-'))
  const words = ['--json', '--quiet', '--results', results, 'vet', 'repair', '--quick', '--item', 'flatten']
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [command, ...words], {
      cwd: join(root, 'examples/repair'),
    })
    const card = JSON.parse(stdout)
    expect(card).toMatchObject({
      conclusion: 'sound',
      solvable: { count: 1, of: 1 },
      trivial: { count: 0, of: 1 },
      probes: { gameable: { count: 0, of: 1 }, notJudged: 0, holes: [] },
    })
    expect(card.probes.tried).toBeGreaterThanOrEqual(12)
  } finally {
    rmSync(results, { recursive: true, force: true })
  }
})
