import type { Agent, AgentTask } from '@jurist/core'
import { checkOptions } from '@jurist/core/internal'
import type { Prices } from '../context/cost.js'
import { pricesRule } from '../context/cost.js'
import type { FinishOptions } from '../context/extras.js'
import { finishRules } from '../context/extras.js'
import { frameworkAgent } from '../run/framework-agent.js'
import { prefix } from './context.js'
import { readAiSdk } from './reading.js'
import type { AiSdkResult } from './shape.js'

/**
 * An agent that calls the AI SDK. The function must hand `task.signal` on.
 *
 * @param generate one call of `generateText` or `ToolLoopAgent.generate`
 * @throws `option-invalid`
 *
 * @example
 * const agent = aiSdkAgent(({ prompt, signal }) => loop.generate({ prompt, abortSignal: signal }))
 */
export function aiSdkAgent(
  generate: (task: AgentTask) => PromiseLike<AiSdkResult>,
  options?: { readonly prices?: Prices } & FinishOptions,
): Agent {
  const { prices, ...finish } = checkOptions('aiSdkAgent', options, { prices: pricesRule, ...finishRules })
  const run = frameworkAgent({ prefix, call: generate, read: (result) => readAiSdk(result, finish), prices })
  return function aiSdkAgent(task) {
    return run(task)
  }
}
