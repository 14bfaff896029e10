import {
  described,
  namedStrings,
  type OptionDescriptions,
  type OptionRule,
  objectOf,
  option,
} from '@jurist/core/internal'
import type { Prices } from '../context/cost.js'
import { pricesRule } from '../context/cost.js'
import type { Transcript } from '../run/journal.js'

/**
 * The actions an agent may take without permission prompts. This is a setting of the agent; for isolation use a
 * sandboxed workspace.
 */
export type Permissions = 'read-only' | 'workspace' | 'full'

/** The host's environment, as far as an agent sees it. */
export interface AgentEnvironment {
  /** Names of host variables that the agent receives; a `*` at the end matches any ending. Default: `PATH` and the locale only. */
  readonly allow?: readonly string[]
  /** Further variables. */
  readonly set?: { readonly [name: string]: string }
  /**
   * `scratch` (default): an empty directory for each call; `host`: the user's home with its logins; any other value: a
   * directory.
   */
  readonly home?: 'scratch' | 'host' | string
}

/** The actions the agent may take without permission prompts. Default `workspace`. */
export interface CodingAgentOptions {
  /** The actions that the agent may take without permission prompts. Default `workspace`. */
  readonly permissions?: Permissions
  readonly environment?: AgentEnvironment
  /** Default: the model of the task, or else the agent's default. */
  readonly model?: string
  /** The time between asking the agent to stop and SIGTERM, in milliseconds. Default 5,000. */
  readonly graceMs?: number
  /** Prices by model, to compute the cost of a run. */
  readonly prices?: Prices
  /** How much is written to the journal. Default `events`: strings are shortened to 64 KiB. */
  readonly transcript?: Transcript
}

const environmentRule = objectOf(
  'an object with "allow" (names), "set" (variables) and "home"',
  {
    allow: described(
      option.strings,
      'Names of host variables that the agent receives; `*` at the end matches any ending.',
    ),
    set: described(namedStrings, 'Further variables.'),
    home: described(
      { ...option.string, holds: (value) => option.string.holds(value) && value !== '' },
      'An empty directory for each call (scratch), the home of the user with its logins (host), or a directory.',
      'scratch',
    ),
  },
  ['allow', 'set', 'home'],
)

export const codingRules: OptionDescriptions<CodingAgentOptions> = {
  permissions: described(
    option.oneOf('read-only', 'workspace', 'full'),
    'The actions that the agent may take without permission prompts. It is a setting of the agent and no isolation.',
    'workspace',
  ),
  environment: described(
    environmentRule,
    "What the agent sees of the host's environment. Default: the path and the locale.",
  ),
  model: described(option.string, 'The model. Default: that of the task, else that of the agent.'),
  graceMs: described(option.nonNegative, 'Milliseconds between asking the agent to stop and SIGTERM.', 5_000),
  prices: described(pricesRule, 'Prices by model in dollars per million tokens, to compute the cost of a run.'),
  transcript: described(
    option.oneOf('full', 'events', 'none'),
    'How much is written to the journal. With events, strings are shortened to 64 KiB.',
    'events',
  ),
}

export const commandRule: OptionRule = {
  wants: 'an array of strings that begins with a program',
  holds: (value) => option.strings.holds(value) && ((value as readonly string[])[0] ?? '').trim() !== '',
}
