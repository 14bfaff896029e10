import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { localWorkspace } from '@jurist/workspace'

/** A directory whose `node_modules` every project below it finds. */
export interface NodePackages {
  readonly directory: string
  remove(): void
}

/** Installs what a project of the fixtures depends on, by npm; answers the reason when that fails. */
export async function nodePackages(project: string): Promise<NodePackages | string> {
  const directory = mkdtempSync(join(tmpdir(), 'jurist-packages-'))
  const remove = () => rmSync(directory, { recursive: true, force: true })
  cpSync(
    fileURLToPath(new URL(`../fixtures/${project}/reference/package.json`, import.meta.url)),
    join(directory, 'package.json'),
  )
  const install = ['npm', 'install', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts']
  const { exitCode, stderr } = await localWorkspace(directory).run(install, { timeoutMs: 300_000 })
  if (exitCode === 0) return { directory, remove }
  remove()
  const [line = `exit code ${exitCode}`] = stderr.split('\n').filter((text) => text.startsWith('npm error'))
  return `npm cannot install the packages: ${line.replace(/https?:\S+/g, '…')}`
}
