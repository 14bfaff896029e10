import {
  checkOptions,
  described,
  type OptionDescriptions,
  option,
  propertiesOf,
  type ToolResult,
} from '@jurist/core/internal'
import type { ExperimentInvocation } from './invocation.js'

/** A part of how economically an agent worked. */
export type EfficiencyMetric = 'toolErrors' | 'toolUse' | 'cost' | 'recovery'

/** Bounds and weights of the efficiency metrics. */
export interface EfficiencyOptions {
  /** The cost in US dollars that counts as 0. Default 5. */
  readonly costCeilingUsd?: number
  /** How many failed tool calls, or distinct errors, count as 0. Default 8. */
  readonly errorThreshold?: number
  /** The tools an agent could use, for `toolUse`. */
  readonly availableTools?: readonly string[]
  /** Weights in `composite`; what is not given keeps its default: .35, .25, .20, .20. */
  readonly weights?: Partial<Record<EfficiencyMetric, number>>
}

const defaultWeights: Readonly<Record<EfficiencyMetric, number>> = {
  toolErrors: 0.35,
  toolUse: 0.25,
  cost: 0.2,
  recovery: 0.2,
}

/**
 * How economically an agent worked, each from 0 to 1: `toolErrors`, `recovery` (few different errors), `toolUse` (the
 * share of the available tools that its plan recommends), `cost`, and their weighted mean `composite`. A metric that
 * cannot be known is absent.
 *
 * @returns `null` unless the agent completed: a timeout is not economical
 * @throws `option-invalid` for a ceiling, threshold or weight out of range
 *
 * @example
 * import { completed, efficiency } from '@jurist/experiment'
 *
 * efficiency(completed({ costUsd: 1 })) // { toolErrors: 1, cost: 0.8, recovery: 1, composite: 0.947 }, rounded
 */
export function efficiency(
  invocation: ExperimentInvocation,
  options?: EfficiencyOptions,
): Readonly<Record<string, number>> | null {
  const { costCeilingUsd = 5, errorThreshold = 8, availableTools, weights } = checkedOptions(options)
  if (invocation.status !== 'completed') return null
  const failed = failedResults(invocation)
  const { plan, costUsd } = invocation
  const metrics: Partial<Record<EfficiencyMetric, number>> = {
    toolErrors: remainder(failed.length, errorThreshold),
    ...(plan !== undefined && availableTools !== undefined
      ? { toolUse: shareRecommended(plan.recommendedTools, availableTools) }
      : {}),
    ...(costUsd === undefined ? {} : { cost: remainder(costUsd, costCeilingUsd) }),
    recovery: failed.length === 0 ? 1 : remainder(distinctErrors(failed), errorThreshold),
  }
  const composite = weightedMean(metrics, { ...defaultWeights, ...weights })
  return composite === undefined ? metrics : { ...metrics, composite }
}

function failedResults({ phases = [] }: ExperimentInvocation): readonly ToolResult[] {
  return phases.flatMap(({ toolResults = [] }) => toolResults.filter(({ failed }) => failed))
}

/** The remainder of 1 after `used` of `limit`, at least 0. */
function remainder(used: number, limit: number): number {
  return Math.max(0, 1 - used / limit)
}

function shareRecommended(recommended: readonly string[], available: readonly string[]): number {
  const tools = new Set(available)
  if (tools.size === 0) return 1
  return [...tools].filter((tool) => recommended.includes(tool)).length / tools.size
}

function weightedMean(
  metrics: Partial<Record<EfficiencyMetric, number>>,
  weights: Readonly<Record<EfficiencyMetric, number>>,
): number | undefined {
  let [sum, weight] = [0, 0]
  for (const [metric, value] of Object.entries(metrics)) {
    const share = weights[metric as EfficiencyMetric]
    sum += share * value
    weight += share
  }
  return weight === 0 ? undefined : sum / weight
}

function checkedOptions(options: EfficiencyOptions | undefined): EfficiencyOptions {
  const checked = checkOptions('efficiency', options, efficiencyRules)
  checkOptions('efficiency: weights', checked.weights, weightRules)
  return checked
}

const weightRules: OptionDescriptions<Record<EfficiencyMetric, number>> = {
  toolErrors: described(option.nonNegative, 'The weight of failed tool calls.', defaultWeights.toolErrors),
  toolUse: described(option.nonNegative, 'The weight of the tools that were used.', defaultWeights.toolUse),
  cost: described(option.nonNegative, 'The weight of the cost.', defaultWeights.cost),
  recovery: described(option.nonNegative, 'The weight of the recovery from errors.', defaultWeights.recovery),
}

export const efficiencyRules: OptionDescriptions<EfficiencyOptions> = {
  costCeilingUsd: described(option.positive, 'The cost in US dollars that counts as 0.', 5),
  errorThreshold: described(option.positive, 'How many failed tool calls, or distinct errors, count as 0.', 8),
  availableTools: described(option.strings, 'The tools that an agent could use.'),
  weights: {
    ...option.record,
    schema: { type: 'object', additionalProperties: false, properties: propertiesOf(weightRules) },
    description: 'The weights in the composite figure.',
  },
}

const maxLength = 150
const tooShort = 10

/** Counts the different errors among failed results. Each result without a message counts separately. */
function distinctErrors(failed: readonly ToolResult[]): number {
  const signatures = failed.map(({ content }) => errorSignature(content))
  const blank = signatures.filter((signature) => signature === '').length
  return new Set(signatures.filter((signature) => signature !== '')).size + blank
}

/** Identifies an error by its first line of more than 10 characters that contains `error`, else by its first line. */
function errorSignature(content: string): string {
  const lines = content
    .trim()
    .split('\n')
    .map((line) => line.trim())
  const telling = lines.find((line) => line.length > tooShort && line.toLowerCase().includes('error'))
  return (telling ?? lines[0] ?? '').slice(0, maxLength)
}
