/**
 * Judges that run commands in the workspace: builds, tests, anything else.
 *
 * @example
 * import { commandSucceeds } from '@jurist/workspace/commands'
 *
 * const lint = commandSucceeds(['npm', 'run', 'lint'])
 */
import '../errors.js'

export { type CommandOptions, commandSucceeds } from './command-succeeds.js'
