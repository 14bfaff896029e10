// Installs the projects that `npm run test:long` and the site need, or those that are named: frameworks in versions that must not
// meet in one tree, and without the optional binaries of hundreds of megabytes that some of them bring. Each has a lock file of its
// own; what is already installed as the lock file says is left alone.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { passAll, step } from '../../build/step.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const named = process.argv.slice(2)
const all = ['packages/bridges/frameworks', 'packages/vitest/vitest-3', 'site', 'tests/many-machines/schemas']

async function install(project) {
  const directory = join(root, project)
  const lock = readFileSync(join(directory, 'package-lock.json'), 'utf8')
  const stamp = join(directory, 'node_modules', '.installed-lock.json')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return true
  const argv = ['ci', '--prefix', directory, '--no-audit', '--no-fund', '--loglevel=error', '--engine-strict=false']
  if (!(await step(`packages of ${project}`, 'npm', ...argv))) return false
  writeFileSync(stamp, lock)
  return true
}

process.exitCode = (await passAll(...(named.length > 0 ? named : all).map(install))) ? 0 : 1
