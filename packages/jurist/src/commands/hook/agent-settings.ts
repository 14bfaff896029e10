import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { flag, oneOf, toggle, usageInvalid } from '@jurist/experiment/plugin'
import { safeBlock } from '@jurist/kit/terminal'
import { unifiedDiff } from '@jurist/kit/text-diff'
import type { Host } from '../../command-kit/host.js'
import { makeParent } from '../../command-kit/results-store.js'
import { unknownAmong } from '../../config/problems.js'
import { type Client, clientNames, type SettingsScope, settingsScopes } from './clients.js'

/** The flags of every command that writes the settings of a coding agent. */
export const installFlags = {
  scope: flag(
    '--scope <scope>',
    `the settings to change: ${settingsScopes.join(', ')} (default: project)`,
    oneOf(settingsScopes),
    { default: 'project' },
  ),
  dryRun: toggle('--dry-run', 'show the change and write nothing'),
} as const

export const codingAgent: readonly ['[agent]', string, readonly string[]] = [
  '[agent]',
  clientNames.join(', '),
  clientNames,
]

/** Throws `usage-invalid` for an unknown coding agent. */
export function clientNamed(name: string | undefined): Client {
  const client = clientNames.find((one) => one === name)
  if (client !== undefined) return client
  if (name === undefined) throw usageInvalid('agent', `Name a coding agent: ${clientNames.join(', ')}.`)
  throw usageInvalid('agent', `Unknown coding agent "${name}".${unknownAmong(name, clientNames)}`)
}

export function installationOf({ cwd }: Host, { scope }: { readonly scope: SettingsScope }) {
  return { project: cwd, scope, program: process.argv[1] ?? '', path: process.env.PATH ?? '' } as const
}

/** A file to write, with its current content. */
export interface Change {
  readonly file: string
  readonly before: string
  readonly after: string
}

/** Describes the change of a file whose new content depends on the old one, which is `''` for a new file. */
export function changeOf(file: string, change: (before: string) => string): Change {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return { file, before, after: change(before) }
}

/** Shows each change, and writes the files unless it is a dry run. With `--json`, nothing is shown. */
export async function writeSettings(host: Host, changes: readonly Change[], dryRun: boolean): Promise<void> {
  for (const { file, before, after } of changes) {
    if (host.flags.json !== true) showChange(host, { file, before, after })
    if (dryRun) continue
    await makeParent(file)
    await writeFile(file, after)
  }
}

function showChange({ cwd, terminal }: Host, { file, before, after }: Change): void {
  const lines = unifiedDiff(before, after)
  const shown = relative(cwd, file)
  terminal.out(`${shown.startsWith('..') ? file : shown}\n${lines.length === 0 ? '  unchanged\n' : ''}`)
  for (const line of lines) terminal.out(`${safeBlock(line)}\n`)
}
