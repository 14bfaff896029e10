import type { Agent } from '@jurist/core'
import type { CodingAgentOptions } from '../coding/coding-options.js'
import { commandAgent } from './agent.js'
import type { Argument } from './arguments.js'

/** Agents with a command line of their own. Under permissions other than `full` they ask, and nobody answers. */
export interface Commands {
  /** `gemini`, of Google. */
  gemini(options?: CodingAgentOptions): Agent
  /** `amp`, of Sourcegraph; the prompt goes through stdin. */
  amp(options?: CodingAgentOptions): Agent
  /** `q chat`, of Amazon. */
  amazonQ(options?: CodingAgentOptions): Agent
  /** `mini`, the mini-SWE-agent. */
  miniSwe(options?: CodingAgentOptions): Agent
}

// biome-ignore lint/suspicious/noThenProperty: the word that an argument is written with
const withModel = (flag: string): Argument => ({ when: 'model', then: [flag, '{{model}}'] })
const underFull = ({ permissions }: CodingAgentOptions, ...flags: readonly string[]): readonly string[] =>
  permissions === 'full' ? flags : []

/**
 * Ready-made agents for well-known programs, which have to be installed.
 *
 * @example
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
