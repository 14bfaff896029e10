import type { Judge } from '@jurist/core'
import { checkedCommand } from './command-line.js'
import { checkedTestOptions, type TestOptions } from './test-options.js'
import { testRunJudge } from './test-run.js'

/**
 * Judges that run the tests of the workspace and read their report.
 *
 * @example
 * testsPass.command(['node', '--test'], { overlay: { paths: ['tests'] } })
 */
export const testsPass: {
  /** Any command; a text runs as a shell line, a list never goes through a shell. */
  readonly command: (command: string | readonly string[], options?: TestOptions) => Judge
} = Object.freeze({
  command(command, options) {
    const name = 'testsPass.command'
    const line = checkedCommand(name, command)
    return testRunJudge(name, async () => ({ command: line, metadata: {} }), checkedTestOptions(name, options))
  },
} satisfies { readonly command: (command: string | readonly string[], options?: TestOptions) => Judge })
