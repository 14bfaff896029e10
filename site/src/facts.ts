import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../tests/structure/source.js'

/** What the manifest of `jurist` says of its version, and where the sources can be read on the web, if it says so. */
const manifest = JSON.parse(readFileSync(join(root, 'packages/jurist/package.json'), 'utf8'))
const address: unknown = manifest.repository?.url ?? manifest.repository

export const version: string = manifest.version

export const repository: string | undefined =
  typeof address === 'string' ? address.replace(/^git\+/, '').replace(/\.git$/, '') : undefined
