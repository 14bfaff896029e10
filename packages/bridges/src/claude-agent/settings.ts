import type { Permissions } from '../coding/coding-options.js'
import type { Variables } from '../coding/environment.js'

/** Options of `query`. */
export interface ClaudeOptions {
  readonly [option: string]: unknown
}

export const prefix = 'claude'

const readingTools = ['Read', 'Glob', 'Grep']

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

export function permissionOptions(permissions: Permissions): ClaudeOptions {
  switch (permissions) {
    case 'read-only':
      return { permissionMode: 'dontAsk', tools: readingTools }
    case 'workspace':
      // Edit and Write in `allowedTools` would be allowed everywhere; this mode allows them inside the workspace.
      return { permissionMode: 'acceptEdits', allowedTools: ['Bash'] }
    case 'full':
      return { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true }
    default:
      return permissions satisfies never
  }
}

export function permissionWords(permissions: Permissions): readonly string[] {
  switch (permissions) {
    case 'read-only':
      return ['--permission-mode', 'dontAsk', '--tools', readingTools.join(',')]
    case 'workspace':
      return ['--permission-mode', 'acceptEdits', '--allowedTools', 'Bash']
    case 'full':
      return ['--permission-mode', 'bypassPermissions']
    default:
      return permissions satisfies never
  }
}
