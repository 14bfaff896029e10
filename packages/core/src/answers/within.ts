import type { JudgmentContext } from '../context.js'
import { isPlainObject } from '../json.js'
import { giveInfo, type Judge } from '../judge.js'
import { describeJudge } from '../judge-description.js'
import { abstain, concluded, type Judgment } from '../judgment.js'
import type { Check } from '../judgment-record.js'
import { checkOptions, described, type OptionDescriptions, option, optionInvalid } from '../options.js'

/** The limits of `within`; at least one. */
export interface Limits {
  /** The limit of the run's cost, in US dollars. */
  readonly costUsd?: number
  /** The limit of the run's duration, in milliseconds. */
  readonly ms?: number
  /** The limit of the run's tokens, input and output together. */
  readonly tokens?: number
  /** The limit of the agent's messages in a conversation, otherwise of its model calls as its bridge counts them. */
  readonly turns?: number
  /** The limit of tool calls, including failed and denied ones. */
  readonly toolCalls?: number
}

const limits: OptionDescriptions<Limits> = {
  costUsd: described(option.nonNegative, "US dollars of the agent's run."),
  ms: described(option.nonNegative, "Milliseconds of the agent's run."),
  tokens: described(option.integer(0), "Tokens of the agent's run, input and output together."),
  turns: described(
    option.integer(0),
    "In a conversation the agent's messages, otherwise its model calls as its bridge counts them.",
  ),
  toolCalls: described(option.integer(0), 'Tool calls, failed and denied ones included.'),
}

const names = ['costUsd', 'ms', 'tokens', 'turns', 'toolCalls'] as const satisfies readonly (keyof Limits)[]

/**
 * Passes when the agent kept every limit (inclusive). A figure that is not known **fails**: an agent must not gain by
 * not reporting its usage. If no agent ran (status `unknown`), it abstains instead. Cost and tokens are as reported by
 * the agent. So is the time, if the agent reports it; otherwise the experiment measures it. Checks: one for each limit,
 * with the figure. The score is the smallest ratio of a limit to its figure, at most 1: 0.5 where the figure is twice
 * the limit, 0 where it is not known.
 *
 * @throws `option-invalid`, also without a limit
 *
 * @example
 * import { within } from '@jurist/core/answers'
 *
 * within({ costUsd: 0.05, ms: 30_000, toolCalls: 20 })
 */
export function within(given: Limits): Judge {
  const checked = checkOptions('within', given, limits)
  const asked = names.flatMap((name) => (checked[name] === undefined ? [] : [{ name, limit: checked[name] }]))
  if (asked.length === 0) return optionInvalid('limits', `within: give at least one limit: ${names.join(', ')}.`)
  return giveInfo(
    function within(context: JudgmentContext) {
      const measured = asked.map(({ name, limit }) => ({ name, limit, figure: figures[name](context) }))
      const unknown = measured.filter(({ figure }) => figure === undefined).map(({ name }) => name)
      const exceeds = measured.some(({ figure, limit }) => figure !== undefined && figure > limit)
      if (context.status === 'unknown' && unknown.length > 0 && !exceeds)
        return abstain(`no agent ran, so ${unknown.join(', ')} cannot be known`)
      return judgmentOf(measured)
    },
    { options: checked },
  )
}

interface Measured {
  readonly name: keyof Limits
  readonly limit: number
  readonly figure: number | undefined
}

function judgmentOf(measured: readonly Measured[]): Judgment {
  const checks = measured.map(checkOf)
  const failed = checks.filter(({ passed }) => !passed)
  const score = Math.min(...checks.map((check) => check.score ?? 0))
  const reasoning = (failed.length === 0 ? checks : failed).map(({ name, message }) => `${name}: ${message}`).join('; ')
  const found = measured.flatMap(({ name, figure }) => (figure === undefined ? [] : [[name, figure] as const]))
  return concluded(failed.length === 0, reasoning, { score, checks, metadata: { figures: Object.fromEntries(found) } })
}

function checkOf({ name, limit, figure }: Measured): Check {
  if (figure === undefined) return { name, passed: false, message: `not reported, at most ${limit} allowed`, score: 0 }
  const passed = figure <= limit
  const message = `${Number(figure.toPrecision(8))}, ${passed ? 'at most' : 'but at most'} ${limit} allowed`
  return { name, passed, message, score: passed ? 1 : limit / figure }
}

/** `undefined` where the figure was not reported. */
const figures: { readonly [name in keyof Limits]-?: (context: JudgmentContext) => number | undefined } = {
  costUsd: ({ metadata }) => amount(metadata['costUsd']),
  ms: ({ executionMs }) => executionMs,
  tokens: ({ metadata }) => tokensIn(metadata['usage']),
  turns: ({ turns, metadata }) =>
    turns?.filter(({ role, isHistory }) => role === 'agent' && isHistory !== true).length ?? turnsIn(metadata),
  toolCalls: ({ toolSteps }) => toolSteps?.length,
}

function amount(value: unknown): number | undefined {
  return option.nonNegative.holds(value) ? (value as number) : undefined
}

/** The larger of the total and the sum, so that neither hides the other; `undefined` unless one of them is reported. */
function tokensIn(usage: unknown): number | undefined {
  if (!isPlainObject(usage)) return undefined
  const [input, output] = [amount(usage['inputTokens']), amount(usage['outputTokens'])]
  const known = [amount(usage['totalTokens']), input === undefined || output === undefined ? undefined : input + output]
  const given = known.filter((count) => count !== undefined)
  return given.length === 0 ? undefined : Math.max(...given)
}

/** The turns that the bridge counted, or else those of all phases of the run. */
function turnsIn(metadata: JudgmentContext['metadata']): number | undefined {
  const counted = amount(metadata[`${String(metadata['bridge'])}.turns`])
  if (counted !== undefined) return counted
  const phases: unknown = metadata['phases']
  if (!Array.isArray(phases) || phases.length === 0) return undefined
  const turns = phases.map((phase: { readonly turns?: unknown } | null) => amount(phase?.turns))
  return turns.reduce<number | undefined>(
    (sum, one) => (sum === undefined || one === undefined ? undefined : sum + one),
    0,
  )
}

describeJudge<Limits>(within, {
  passes: 'the agent stayed within every limit; an unknown amount fails',
  options: limits,
  make: (given) => within(given),
})
