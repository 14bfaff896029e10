import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { RunRecord } from '../result/records.js'

/** The machine and the version that a run uses. */
export function hostEnvironment(): RunRecord['environment'] {
  const { version, platform, arch, env } = process
  const ci = !['', '0', 'false'].includes(env['CI']?.toLowerCase() ?? '')
  return Object.freeze({ node: version, platform, arch, jurist: ownVersion(), ci })
}

function ownVersion(): string {
  // Resolved by name: the build decides where this file is in the package.
  const path = createRequire(import.meta.url).resolve('@jurist/experiment/package.json')
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string }
  return version
}
