// Installs the projects that `npm test` and the site need, or those that are named: frameworks in versions that must not meet
// in one tree, and without the optional binaries of hundreds of megabytes that some of them bring. Each has a lock file of its
// own; what is already installed as the lock file says is left alone.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const named = process.argv.slice(2)
const all = ['packages/bridges/frameworks', 'packages/vitest/vitest-3', 'site']
const projects = named.length > 0 ? named : all

for (const project of projects) {
  const directory = join(root, project)
  const lock = readFileSync(join(directory, 'package-lock.json'), 'utf8')
  const stamp = join(directory, 'node_modules', '.installed-lock.json')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) continue
  console.log(`Installing ${project}`)
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--engine-strict=false'], {
    cwd: directory,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0) process.exit(status ?? 1)
  writeFileSync(stamp, lock)
}
