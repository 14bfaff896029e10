import type { Agent } from '@jurist/core'
import type { CodingAgentOptions } from '../coding/coding-options.js'
import { commandAgent } from './agent.js'
import type { Argument } from './arguments.js'

/** Agents with a command line. With permissions other than `full` they ask for approval, which they do not receive. */
export interface Commands {
  /** Google's `gemini`. */
  gemini(options?: CodingAgentOptions): Agent
  /** Sourcegraph's `amp`; the prompt is passed through stdin. */
  amp(options?: CodingAgentOptions): Agent
  /** Amazon's `q chat`. */
  amazonQ(options?: CodingAgentOptions): Agent
  /** `mini`, the mini-SWE-agent. */
  miniSwe(options?: CodingAgentOptions): Agent
}

// biome-ignore lint/suspicious/noThenProperty: the name of the property in the public type
const withModel = (flag: string): Argument => ({ when: 'model', then: [flag, '{{model}}'] })
const underFull = ({ permissions }: CodingAgentOptions, ...flags: readonly string[]): readonly string[] =>
  permissions === 'full' ? flags : []

/**
 * Agents for well-known programs, which must be installed.
 *
 * @example
 * import { commands } from '@jurist/bridges/command'
 *
 * const agent = commands.gemini({ permissions: 'full', environment: { allow: ['GEMINI_API_KEY'] } })
 */
export const commands: Commands = Object.freeze<Commands>({
  gemini: (options = {}) =>
    commandAgent({
      ...options,
      command: ['gemini', '--prompt={{prompt}}', withModel('-m'), ...underFull(options, '-y')],
    }),
  amp: (options = {}) =>
    commandAgent({
      ...options,
      command: ['amp', '-x', ...underFull(options, '--dangerously-allow-all')],
      promptThrough: 'stdin',
    }),
  amazonQ: (options = {}) =>
    commandAgent({
      ...options,
      command: ['q', 'chat', '--no-interactive', ...underFull(options, '--trust-all-tools'), '--', '{{prompt}}'],
    }),
  miniSwe: (options = {}) =>
    commandAgent({
      ...options,
      command: ['mini', '--yolo', '--exit-immediately', '--task={{prompt}}', withModel('--model')],
    }),
})
