import type { Agent, AgentTask } from '@jurist/core'
import { checkOptions } from '@jurist/core/internal'
import type { Prices } from '../context/cost.js'
import { pricesRule } from '../context/cost.js'
import { frameworkAgent } from '../run/framework-agent.js'
import { prefix } from './context.js'
import { readLangChain } from './reading.js'
import type { LangChainResult } from './shape.js'

/**
 * An agent that calls LangChain. The function must hand `task.signal` on.
 *
 * @param invoke one call of a model, a chain or an agent
 * @throws `option-invalid`
 *
 * @example
 * const agent = langChainAgent(({ prompt, signal }) =>
 *   graph.invoke({ messages: [{ role: 'user', content: prompt }] }, { signal }))
 */
export function langChainAgent(
  invoke: (task: AgentTask) => PromiseLike<LangChainResult>,
  options?: { readonly prices?: Prices },
): Agent {
  const { prices } = checkOptions('langChainAgent', options, { prices: pricesRule })
  const run = frameworkAgent({ prefix, call: invoke, read: (result) => readLangChain(result), prices })
  return function langChainAgent(task) {
    return run(task)
  }
}
