import type { Judge } from '@jurist/core'
import { described, type OptionDescriptions, option, optionInvalid, printed } from '@jurist/core/internal'
import { commandOption } from './command-evidence.js'

/** The description of such a judge in a config: `{tool, arguments?, …options}` or `{command, …options}`. */
export interface ToolDescription {
  readonly tool?: string
  readonly arguments?: readonly string[]
  readonly command?: string | readonly string[]
}

export function toolOptions(factories: object): OptionDescriptions<ToolDescription> {
  return {
    tool: described(option.oneOf(...Object.keys(factories)), 'The tool. Default: `command`, if there is a command.'),
    arguments: described(
      option.strings,
      'Words for the tool, such as a script or a goal. They never go through a shell.',
    ),
    command: commandOption,
  }
}

/** The factories check their arguments. */
interface Factories {
  readonly [tool: string]: (...given: never[]) => Judge
}

/**
 * Creates the judge that a description names.
 *
 * @throws `option-invalid` for an unknown tool and for arguments that are not strings
 */
export function judgeByTool(name: string, factories: Factories, { tool, ...described }: ToolDescription): Judge {
  const wanted = tool ?? (described.command === undefined ? undefined : 'command')
  const factory = Object.entries(factories).find(([one]) => one === wanted)?.[1] as
    | ((...given: readonly unknown[]) => Judge)
    | undefined
  if (factory === undefined) {
    const known = Object.keys(factories).join(', ')
    optionInvalid('tool', `${name}: "tool" must be one of ${known} (got ${printed(tool)}).`)
  }
  if (wanted === 'command') {
    const { command, ...options } = described
    return factory(command, options)
  }
  if (wanted === 'detect') return factory(described)
  const { arguments: words = [], ...options } = described
  if (option.strings.holds(words)) return factory(...words, options)
  optionInvalid('arguments', `${name}: "arguments" must be an array of strings (got ${printed(words)}).`)
}
