import { isPlainObject } from '@jurist/core/internal'
import { parseObject } from '@jurist/kit/json'
import { usageInvalid } from '../config/problems.js'
import type { Client } from '../hook/clients.js'

/** Where a coding agent reads the MCP servers of a project, and those of its user. */
export const serverSettings: { readonly [client in Client]: { readonly project: string; readonly user: string } } = {
  claude: { project: '.mcp.json', user: '.claude.json' },
  codex: { project: '.codex/config.toml', user: '.codex/config.toml' },
  cursor: { project: '.cursor/mcp.json', user: '.cursor/mcp.json' },
}

/** How a client starts a server. */
export interface ServerCommand {
  readonly command: string
  readonly args: readonly string[]
}

/**
 * The settings of a coding agent with this server, as `jurist`. Everything else stays.
 *
 * @throws `usage-invalid` for a file that is not JSON
 */
export function withServer(client: Client, file: string, before: string, server: ServerCommand): string {
  if (client === 'codex') return withTable(before, server)
  const settings = before.trim() === '' ? {} : parseObject(before)
  if (settings === undefined)
    throw usageInvalid(file, `${file} is not a JSON object. Nothing was written. Correct it, and install again.`)
  const servers = isPlainObject(settings.mcpServers) ? settings.mcpServers : {}
  return `${JSON.stringify({ ...settings, mcpServers: { ...servers, jurist: server } }, null, 2)}\n`
}

const table = '[mcp_servers.jurist]'

/** The settings with the table of this server, which replaces an earlier one. Strings of JSON are strings of TOML. */
function withTable(before: string, { command, args }: ServerCommand): string {
  const lines = before.split('\n')
  const start = lines.findIndex((line) => line.trim() === table)
  const next = start < 0 ? -1 : lines.findIndex((line, index) => index > start && line.trim().startsWith('['))
  const others = start < 0 ? lines : [...lines.slice(0, start), ...(next < 0 ? [] : lines.slice(next))]
  const own = [table, `command = ${JSON.stringify(command)}`, `args = ${JSON.stringify(args)}`]
  const rest = others.join('\n').trim()
  return `${rest === '' ? '' : `${rest}\n\n`}${own.join('\n')}\n`
}
