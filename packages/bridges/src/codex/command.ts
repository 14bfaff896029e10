import type { Agent, JsonObject } from '@jurist/core'
import type { OptionRule } from '@jurist/core/internal'
import { checkOptions, isPlainObject, option } from '@jurist/core/internal'
import type { CodingAgentOptions } from '../coding/coding-options.js'
import { codingRules, commandRule } from '../coding/coding-options.js'
import type { CodingCall } from '../coding/coding-run.js'
import { codingAgent, inlinedPrompt } from '../coding/coding-run.js'
import type { Variables } from '../coding/environment.js'
import { commandPlace, runLines, settingsIn } from '../coding/workspace-command.js'
import type { RunOutcome } from '../context/outcome.js'
import { prefix, sandboxModes } from './agent.js'
import { codexJournal, readCodex } from './reading.js'

/** The options of `codexCommand`. */
export interface CodexCommandOptions extends CodingAgentOptions {
  /** The program and its first arguments. Default `['codex']`. */
  readonly command?: readonly [string, ...string[]]
  /** Settings as in `config.toml`; each is passed as `-c path=value`. */
  readonly config?: JsonObject
}

const rules: { readonly [name in keyof Required<CodexCommandOptions>]: OptionRule } = {
  ...codingRules,
  command: commandRule,
  config: option.record,
}

/**
 * Creates an agent that runs Codex as a program. It runs where the workspace runs commands, also in its sandbox;
 * `codex` must be installed there.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { codexCommand } from '@jurist/bridges/codex'
 *
 * const agent = codexCommand({ environment: { allow: ['CODEX_API_KEY'] } })
 */
export function codexCommand(options?: CodexCommandOptions): Agent {
  const given = checkOptions('codexCommand', options, rules)
  const run = (call: CodingCall) => runCodex(call, given)
  const modelAddress = (variables: Variables) => codexModelAddress(given, variables)
  const bridge = { prefix, startedBy: 'workspace', keyVariable: 'CODEX_API_KEY', modelAddress, run } as const
  return codingAgent('codexCommand', bridge, given)
}

/** That of the provider in its settings. A login of the user's home asks elsewhere than a key does. */
function codexModelAddress(
  { config = {}, environment }: CodexCommandOptions,
  variables: Variables,
): string | undefined {
  const { model_provider: name, model_providers: providers } = config
  const provider = isPlainObject(providers) && typeof name === 'string' ? providers[name] : undefined
  const given = isPlainObject(provider) ? provider['base_url'] : undefined
  if (typeof given === 'string') return given
  if (name !== undefined || environment?.home === 'host') return undefined
  return variables['OPENAI_BASE_URL'] ?? 'https://api.openai.com'
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
  const record = codexJournal(write, place.root, model)
  const { messages, ending } = await runLines(call, { words, stdin: prompt, variables }, record)
  const outcome = readCodex(messages, place.root)
  return outcome.status === 'unknown' ? { ...outcome, ...ending } : outcome
}

/** The configuration as `-c a.b=value`, the values as TOML. */
function configurationWords(config: JsonObject, under = ''): readonly string[] {
  return Object.entries(config).flatMap(([name, value]) => {
    const path = `${under}${/^[\w-]+$/.test(name) ? name : JSON.stringify(name)}`
    if (isPlainObject(value)) return configurationWords(value as JsonObject, `${path}.`)
    return ['-c', `${path}=${tomlOf(value)}`]
  })
}

/** JSON strings, numbers, booleans and arrays are valid TOML; objects inside arrays become inline tables. */
function tomlOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlOf).join(', ')}]`
  if (!isPlainObject(value)) return JSON.stringify(value)
  const entries = Object.entries(value).map(([name, part]) => `${JSON.stringify(name)} = ${tomlOf(part)}`)
  return `{ ${entries.join(', ')} }`
}
