import type { WritableWorkspace } from '@jurist/core'
import { checkOptions, option } from '@jurist/core/internal'
import type { JudgeModel } from '@jurist/core/llm'
import { agentModel } from '../agent/model.js'
import { commandAgent } from './agent.js'
import type { CommandLine } from './argv.js'
import type { Read } from './reading.js'

export interface CommandModelOptions {
  /** As for `commandAgent`; without `{{prompt}}` it goes through stdin. */
  readonly command: CommandLine
  /** Opened for each request. */
  readonly workspace: () => Promise<WritableWorkspace>
  /** How the output is read. Default `text`. */
  readonly read?: Read
}

/**
 * A program as a model: each request is one run of it in a workspace of its own.
 *
 * @throws `option-invalid`; a call rejects with `agent-failed`, `model-refused`, `model-timeout` or `aborted`
 *
 * @example
 * const model = commandModel({ command: ['llm', '-m', 'local'], workspace: () => emptyDirectory() })
 */
export function commandModel(options: CommandModelOptions): JudgeModel {
  const rules = { command: option.anything, workspace: option.function, read: option.anything }
  const { workspace, ...agent } = checkOptions('commandModel', options, rules)
  return agentModel(commandAgent(agent), { workspace })
}
