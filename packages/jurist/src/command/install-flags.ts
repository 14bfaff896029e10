import { unknownAmong, usageInvalid } from '../config/problems.js'
import { type Client, clientNames, type SettingsScope, settingsScopes } from '../hook/clients.js'
import { flag, oneOf, toggle } from './flags.js'
import type { Host } from './host.js'

/** The flags of every command that writes the settings of a coding agent. */
export const installFlags = {
  scope: flag(
    '--scope <scope>',
    `whose settings: ${settingsScopes.join(', ')} (default: project)`,
    oneOf(settingsScopes),
    { default: 'project' },
  ),
  dryRun: toggle('--dry-run', 'show the change and write nothing'),
} as const

/** The argument of every such command. */
export const codingAgent: readonly ['[agent]', string, readonly string[]] = [
  '[agent]',
  clientNames.join(', '),
  clientNames,
]

/** The coding agent that it names. Throws `usage-invalid` for any other. */
export function clientNamed(name: string | undefined): Client {
  const client = clientNames.find((one) => one === name)
  if (client !== undefined) return client
  if (name === undefined) throw usageInvalid('agent', `Name a coding agent: ${clientNames.join(', ')}.`)
  throw usageInvalid('agent', `Unknown coding agent "${name}".${unknownAmong(name, clientNames)}`)
}

/** Where this program and the project are. */
export function installationOf({ cwd }: Host, { scope }: { readonly scope: SettingsScope }) {
  return { project: cwd, scope, program: process.argv[1] ?? '', path: process.env.PATH ?? '' } as const
}
