import { type OptionRule, option } from '@jurist/core/internal'
import type { Prices } from '../context/cost.js'
import { pricesRule } from '../context/cost.js'
import type { Transcript } from '../run/journal.js'

/** What an agent may do unasked. A promise about prompts, not a jail: isolation is a sandboxed workspace. */
export type Permissions = 'read-only' | 'workspace' | 'full'

/** What an agent sees of the host. */
export interface AgentEnvironment {
  /** Names of variables taken over from the host; a `*` at the end allows any ending. Default: the base list only. */
  readonly allow?: readonly string[]
  readonly set?: { readonly [name: string]: string }
  /** `scratch` (default): an empty folder for each call; `host`: the real one, with its logins; else that folder. */
  readonly home?: 'scratch' | 'host' | string
}

/** What every coding agent can be told. */
export interface CodingAgentOptions {
  /** Default `workspace`. */
  readonly permissions?: Permissions
  readonly environment?: AgentEnvironment
  /** Default: the task's, else the agent's own. */
  readonly model?: string
  /** Milliseconds from the agent's own cancel to SIGTERM. Default 5,000. */
  readonly graceMs?: number
  readonly prices?: Prices
  /** How much goes to the journal. Default `events`: texts are cut at 64 KiB. */
  readonly transcript?: Transcript
}

const environmentRule: OptionRule = {
  wants: 'an object with "allow" (names), "set" (variables) and "home"',
  holds(value) {
    if (!option.record.holds(value)) return false
    const { allow = [], set = {}, home = 'scratch', ...others } = value as { readonly [name: string]: unknown }
    const variables = option.record.holds(set) && Object.values(set as object).every((one) => typeof one === 'string')
    const isHome = typeof home === 'string' && home !== ''
    return option.strings.holds(allow) && variables && isHome && Object.keys(others).length === 0
  },
}

/** The rules of `CodingAgentOptions`. */
export const codingRules: { readonly [name in keyof Required<CodingAgentOptions>]: OptionRule } = {
  permissions: option.oneOf('read-only', 'workspace', 'full'),
  environment: environmentRule,
  model: option.string,
  graceMs: option.nonNegative,
  prices: pricesRule,
  transcript: option.oneOf('full', 'events', 'none'),
}

/** What an object of texts must be. */
export const textsRule: OptionRule = {
  wants: 'an object of texts',
  holds: (value) => option.record.holds(value) && Object.values(value as object).every(option.string.holds),
}

/** What a program with its arguments must be. */
export const commandRule: OptionRule = {
  wants: 'a list of texts that begins with a program',
  holds: (value) => option.strings.holds(value) && ((value as readonly string[])[0] ?? '').trim() !== '',
}
