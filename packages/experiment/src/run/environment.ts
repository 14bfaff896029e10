import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { allowedVariables } from '@jurist/kit/environment'
import type { EnvironmentPolicy } from '@jurist/workspace'
import type { RunRecord } from '../result/records.js'

/** The machine and the version that a run uses. */
export function hostEnvironment(): RunRecord['environment'] {
  const { version, platform, arch, env } = process
  return Object.freeze({ node: version, platform, arch, jurist: ownVersion(), ci: isSet(env['CI']) })
}

function ownVersion(): string {
  // Resolved by name: the build decides where this file is in the package.
  const path = createRequire(import.meta.url).resolve('@jurist/experiment/package.json')
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string }
  return version
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0' && value.toLowerCase() !== 'false'
}

/** The variables of the host that a policy allows by name (a `*` at the end stands for any ending), and those it sets. */
export function agentVariables(
  { allow = [], set = {} }: EnvironmentPolicy,
  host: Readonly<Record<string, string | undefined>> = process.env,
): { readonly [name: string]: string } {
  return Object.freeze({ ...allowedVariables(allow, host), ...set })
}
