import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { packages, selected } from './packages.js'

const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')

/** Where an agent is installed, apart from everything else: each has its own tree of hundreds of megabytes. */
export function directoryOf(name: string): string {
  return join(cache, 'jurist', 'agents', `${name}@${packages[name]}`)
}

/** Whether an agent is there, at exactly the version that the tests were written for. */
export function isInstalled(name: string): boolean {
  const manifest = join(directoryOf(name), 'node_modules', name, 'package.json')
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === packages[name]
}

/** Installs the selected agents that are not there yet. What cannot be downloaded is skipped, and says so. */
export default function install(): void {
  for (const name of selected()) {
    if (isInstalled(name)) continue
    const directory = directoryOf(name)
    console.info(`Installing ${name}@${packages[name]} into ${directory} …`)
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, 'package.json'), '{ "private": true, "type": "module" }\n')
    // Agents fetch their program in an install script, which the repository's own .npmrc forbids and npx passes on.
    const words = [
      'install',
      '--ignore-scripts=false',
      '--no-audit',
      '--no-fund',
      '--save-exact',
      `${name}@${packages[name]}`,
    ]
    const { status, stderr } = spawnSync('npm', words, { cwd: directory, encoding: 'utf8' })
    if (status === 0 && isInstalled(name)) continue
    const notice = `${name}@${packages[name]} could not be installed: ${stderr?.trim().split('\n').at(-1)}`
    if (process.env.JURIST_AGENTS_REQUIRED === '1') throw new Error(notice)
    console.warn(`${notice}. Its tests are skipped.`)
  }
}
