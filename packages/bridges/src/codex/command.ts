import type { Agent, AgentTask, JsonObject } from '@jurist/core'
import type { OptionRule } from '@jurist/core/internal'
import { checkOptions, option } from '@jurist/core/internal'
import type { CodingAgentOptions } from '../coding/coding-options.js'
import { codingRules, commandRule } from '../coding/coding-options.js'
import type { CodingCall } from '../coding/coding-run.js'
import { codingRun, inlinedPrompt } from '../coding/coding-run.js'
import { commandPlace, settingsIn } from '../coding/command-place.js'
import { runLines } from '../coding/json-lines.js'
import type { RunOutcome } from '../context/outcome.js'
import { codexJournal } from './journal.js'
import { readCodex } from './reading.js'
import { configurationWords, prefix, sandboxModes } from './settings.js'

/** The program, and what to tell it. */
export interface CodexCommandOptions extends CodingAgentOptions {
  /** Default `['codex']`. */
  readonly command?: readonly [string, ...string[]]
  /** Settings as in `config.toml`, each given as `-c path=value`. */
  readonly config?: JsonObject
}

const rules: { readonly [name in keyof Required<CodexCommandOptions>]: OptionRule } = {
  ...codingRules,
  command: commandRule,
  config: option.record,
}

/**
 * Codex as a program: runs wherever the workspace runs its commands, so also in its sandbox, where `codex` must be
 * installed.
 *
 * @throws `option-invalid`
 *
 * @example
 * const agent = codexCommand({ environment: { allow: ['CODEX_API_KEY'] } })
 */
export function codexCommand(options?: CodexCommandOptions): Agent {
  const given = checkOptions('codexCommand', options, rules)
  const run = (call: CodingCall) => runCodex(call, given)
  return function codexCommand(task: AgentTask) {
    return codingRun({ prefix, startedBy: 'workspace', keyVariable: 'CODEX_API_KEY', run }, given, task)
  }
}

async function runCodex(call: CodingCall, options: CodexCommandOptions): Promise<RunOutcome> {
  const { model, write } = call
  const { command = ['codex'], permissions = 'workspace', config = {} } = options
  const prompt = inlinedPrompt(call)
  write({ type: 'prompt', text: prompt })
  const words = [
    ...[...command, 'exec', '--json', '--skip-git-repo-check', '--sandbox', sandboxModes[permissions]],
    ...configurationWords({ approval_policy: 'never', web_search: 'disabled' }),
    ...(model === undefined ? [] : ['-m', model]),
    ...configurationWords(config),
    '-',
  ]
  const place = await commandPlace(call, call.home)
  const variables = settingsIn(call, place, 'CODEX_HOME')
  const { messages, ending } = await runLines(call, { words, stdin: prompt, variables })
  const tell = codexJournal(write, place.root, model)
  for (const message of messages) tell(message)
  const outcome = readCodex(messages, place.root)
  return outcome.status === 'unknown' ? { ...outcome, ...ending } : outcome
}
