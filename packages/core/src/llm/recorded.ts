import type { AgentTask, JournalEvent } from '../agent.js'
import { giveInfo } from '../judge.js'
import { modelInfoOf } from '../used-models.js'
import type { JudgeModel, JudgeModelResponse } from './model.js'

/**
 * Wraps a model so that an agent records its calls in the journal of the trial: model, usage, cost, duration, and why
 * the answer ended. A call that fails is recorded with the reason `error` and rejects as before.
 *
 * @param record `task.record`; `undefined`: nothing is recorded
 *
 * @example
 * import type { Agent } from '@jurist/core'
 * import { type JudgeModel, recorded, userRequest } from '@jurist/core/llm'
 *
 * export const agentOf = (model: JudgeModel): Agent => async (task) => {
 *   const ask = recorded(model, task.record)
 *   const { text, usage = {} } = await ask(userRequest(task.prompt, {}, task.signal))
 *   return { status: 'completed', output: { type: 'text', text }, usage }
 * }
 */
export function recorded(model: JudgeModel, record: AgentTask['record']): JudgeModel {
  if (record === undefined) return model
  const info = modelInfoOf(model)
  const recording: JudgeModel = async (request) => {
    const startedAt = performance.now()
    const note = (answer: Partial<JudgeModelResponse>) => {
      const asked = answer.model ?? request.options.model ?? textOf(info?.facts['model']) ?? (model.name || 'model')
      record(eventOf(asked, { ...answer, elapsedMs: performance.now() - startedAt }, textOf(info?.facts['provider'])))
    }
    try {
      const response = await model(request)
      note(response)
      return response
    } catch (thrown) {
      note({ metadata: { finishReason: 'error' } })
      throw thrown
    }
  }
  return info === undefined ? recording : giveInfo(recording, info)
}

type Answer = Partial<JudgeModelResponse> & { readonly elapsedMs: number }

function eventOf(model: string, answer: Answer, provider: string | undefined): JournalEvent {
  const { usage, costUsd, elapsedMs, metadata } = answer
  const finishReason = textOf(metadata?.['finishReason'])
  return {
    type: 'model-call',
    model,
    elapsedMs,
    provider,
    usage,
    costUsd,
    finishReason,
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
