import type { Permissions } from '../coding/coding-options.js'
import type { Variables } from '../coding/environment.js'

/** Options of `query`. */
export interface ClaudeOptions {
  readonly [option: string]: unknown
}

export const prefix = 'claude'

/** Also places the settings of Claude Code in its home. */
export function quietVariables(permissions: Permissions, configuration?: string): Variables {
  return {
    ...(configuration === undefined ? {} : { CLAUDE_CONFIG_DIR: configuration }),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    // Without it, Claude Code refuses full permissions to root.
    ...(permissions === 'full' && process.getuid?.() === 0 ? { IS_SANDBOX: '1' } : {}),
  }
}

/** The options of the SDK. */
export const permissionOptions: { readonly [permissions in Permissions]: PermissionOptions } = {
  'read-only': { permissionMode: 'dontAsk', tools: ['Read', 'Glob', 'Grep'] },
  // Edit and Write in `allowedTools` would be allowed everywhere; this mode allows them inside the workspace.
  workspace: { permissionMode: 'acceptEdits', allowedTools: ['Bash'] },
  full: { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true },
}

interface PermissionOptions {
  readonly permissionMode: string
  readonly tools?: readonly string[]
  readonly allowedTools?: readonly string[]
  readonly allowDangerouslySkipPermissions?: true
}

/** The same options on the command line. */
export function permissionWords(permissions: Permissions): readonly string[] {
  const { permissionMode, tools, allowedTools } = permissionOptions[permissions]
  return [
    ...['--permission-mode', permissionMode],
    ...(tools === undefined ? [] : ['--tools', tools.join(',')]),
    ...(allowedTools === undefined ? [] : ['--allowedTools', allowedTools.join(',')]),
  ]
}
