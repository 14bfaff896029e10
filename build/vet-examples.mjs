// Vets the examples whole, with their own juries: is each task solvable, and does no cheat get through? Words go to `vet`.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const command = join(root, 'packages/jurist/dist/command/main.js')
const results = mkdtempSync(join(tmpdir(), 'jurist-vet-examples-'))

try {
  for (const example of ['first', 'hidden-tests', 'asserts', 'migration', 'repair']) {
    console.log(`\nexamples/${example}\n`)
    const words = ['--results', results, 'vet', '--cwd', join(root, 'examples', example), ...process.argv.slice(2)]
    const { status } = spawnSync(process.execPath, [command, ...words], { stdio: 'inherit' })
    if (status !== 0) process.exitCode = 1
  }
} finally {
  rmSync(results, { recursive: true, force: true })
}
