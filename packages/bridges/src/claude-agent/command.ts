import type { Agent } from '@jurist/core'
import type { OptionRule } from '@jurist/core/internal'
import { checkOptions, option } from '@jurist/core/internal'
import type { CodingAgentOptions } from '../coding/coding-options.js'
import { codingRules, commandRule } from '../coding/coding-options.js'
import type { CodingCall } from '../coding/coding-run.js'
import { codingAgent, inlinedPrompt } from '../coding/coding-run.js'
import type { Variables } from '../coding/environment.js'
import { commandPlace, runLines, settingsIn } from '../coding/workspace-command.js'
import type { RunOutcome } from '../context/outcome.js'
import { claudeJournal, readClaude } from './reading.js'
import { permissionWords, prefix, quietVariables } from './settings.js'

/** The options of `claudeCommand`. */
export interface ClaudeCommandOptions extends CodingAgentOptions {
  /** The program and its first arguments. Default `['claude']`. */
  readonly command?: readonly [string, ...string[]]
  /** The maximum number of turns. Default: no limit. */
  readonly maxTurns?: number
  /**
   * Where Claude Code looks for settings, skills and `CLAUDE.md`: `user`, its home; `project` and `local`, the workspace.
   * Settings of a workspace can run commands, and a judge must not follow instructions that the judged agent wrote.
   * Default `[]`: nowhere.
   */
  readonly settingSources?: readonly ('user' | 'project' | 'local')[]
  /** Further arguments, appended. */
  readonly arguments?: readonly string[]
}

const rules: { readonly [name in keyof Required<ClaudeCommandOptions>]: OptionRule } = {
  ...codingRules,
  command: commandRule,
  maxTurns: option.integer(1),
  settingSources: {
    wants: 'an array of "user", "project" and "local"',
    holds: (value) =>
      option.strings.holds(value) &&
      (value as readonly string[]).every((source) => ['user', 'project', 'local'].includes(source)),
  },
  arguments: option.strings,
}

/** A longer system prompt does not fit into one argument. */
const maxSystemPrompt = 25_000

/**
 * Creates an agent that runs Claude Code as a program. It runs where the workspace runs commands, also in its sandbox;
 * `claude` must be installed there.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { claudeCommand } from '@jurist/bridges/claude-agent'
 *
 * const agent = claudeCommand({ maxTurns: 30, environment: { allow: ['ANTHROPIC_API_KEY'] } })
 */
export function claudeCommand(options?: ClaudeCommandOptions): Agent {
  const given = checkOptions('claudeCommand', options, rules)
  const { permissions = 'workspace' } = given
  const bridge = {
    prefix,
    startedBy: 'workspace',
    keyVariable: 'ANTHROPIC_API_KEY',
    modelAddress: claudeModelAddress,
    // The place of its settings depends on where it runs; `runClaude` sets it.
    quiet: () => quietVariables(permissions),
    run: (call: CodingCall) => runClaude(call, given),
  } as const
  return codingAgent('claudeCommand', bridge, given)
}

/** Clouds have addresses by region and account. */
function claudeModelAddress(variables: Variables): string | undefined {
  const isCloud = ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'].some(
    (name) => name in variables,
  )
  return isCloud ? undefined : (variables['ANTHROPIC_BASE_URL'] ?? 'https://api.anthropic.com')
}

async function runClaude(call: CodingCall, options: ClaudeCommandOptions): Promise<RunOutcome> {
  const { task, write } = call
  const isShort = (task.systemPrompt ?? '').length <= maxSystemPrompt
  const prompt = isShort ? task.prompt : inlinedPrompt(call)
  write({ type: 'prompt', text: prompt })
  const words = wordsOf(call, options, isShort)
  const place = await commandPlace(call, call.home)
  const variables = settingsIn(call, place, 'CLAUDE_CONFIG_DIR')
  const journal = claudeJournal(write, place.root)
  const { messages, ending } = await runLines(call, { words, stdin: prompt, variables }, journal.record)
  journal.finish()
  const outcome = readClaude(messages, place.root)
  // The result decides; the program ends with code 1 after every error result.
  const hasResult = messages.some((message) => message['type'] === 'result')
  return hasResult ? outcome : { ...outcome, ...ending }
}

function wordsOf(
  { task, model }: CodingCall,
  { command = ['claude'], permissions = 'workspace', maxTurns, settingSources = [], ...options }: ClaudeCommandOptions,
  hasSystemPrompt: boolean,
): readonly string[] {
  const { systemPrompt } = task
  return [
    ...command,
    ...['-p', '--output-format', 'stream-json', '--verbose', '--strict-mcp-config'],
    ...['--setting-sources', settingSources.join(',')],
    '--no-session-persistence',
    ...permissionWords(permissions),
    ...(model === undefined ? [] : ['--model', model]),
    ...(maxTurns === undefined ? [] : ['--max-turns', String(maxTurns)]),
    ...(systemPrompt === undefined || !hasSystemPrompt ? [] : [`--append-system-prompt=${systemPrompt}`]),
    ...(options.arguments ?? []),
  ]
}
