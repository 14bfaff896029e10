import { flag, oneOf } from './flags.js'

const modes = ['copy', 'in-place', 'none'] as const

/** How the judges of stored trials see what was kept of their workspaces. */
export const workspacesFlag = flag(
  '--workspaces <mode>',
  `how judges see the kept workspaces: ${modes.join(', ')} (default: copy)`,
  oneOf(modes),
  { default: 'copy' },
)
