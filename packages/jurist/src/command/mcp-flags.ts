import { reveals } from '../hook/feedback.js'
import { flag, oneOf, toggle } from './flags.js'

/** The flags of the server, and of the command that installs it. */
export const mcpFlags = {
  allowCommands: toggle('--allow-commands', 'judges may run commands, in a copy of the directory'),
  reveal: flag(
    '--reveal <what>',
    `what clients read of a failure: ${reveals.join(', ')} (default: names if the config has hidden tests, else reasons)`,
    oneOf(reveals),
  ),
} as const
