import type { Agent, AgentTask, Invocation, JournalEvent } from '../agent.js'
import { giveInfo } from '../judge.js'
import { modelInfoOf } from '../judge-model.js'
import { checkOptions, option, optionInvalid } from '../options.js'
import {
  type JudgeModel,
  type JudgeModelResponse,
  type ModelMessage,
  type ModelOptions,
  readResponse,
} from './model.js'
import { modelOptionsRule } from './model-judge.js'

/** Models by name. */
export type Models = Readonly<Record<string, JudgeModel>>

/**
 * Creates an agent from a model: it sends the prompt of the task to the model, returns the answer as output, and
 * records the call in the journal with usage and cost.
 *
 * @param model a model; or models by name, from which the task's `model` chooses one, so that variants and a `matrix`
 * can
 * @param options `system`: the system message (default: the `systemPrompt` of the task); `options` of each request;
 * `model`: the name of the model when the task names none (default: the first)
 * @throws `option-invalid`; the agent itself for a task that names an unknown model
 *
 * @example
 * import { modelAgent } from '@jurist/core/llm'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * modelAgent(scriptedModel('Hello!'), { system: 'You greet people.', options: { temperature: 0 } })
 */
export function modelAgent(
  model: JudgeModel | Models,
  options?: { readonly system?: string; readonly options?: ModelOptions; readonly model?: string },
): Agent {
  const { system, options: given, model: usual } = checkOptions('modelAgent', options, rules)
  const choose = chooserOf(model, usual)
  const agent: Agent = async (task) => {
    const { model: chosen, other } = choose(task.model)
    const { signal, prompt, record } = task
    const request = {
      messages: messagesOf(task, system),
      options: { ...given, ...(other === undefined ? {} : { model: other }) },
      metadata: {},
      signal,
    }
    record?.({ type: 'prompt', text: prompt })
    try {
      const response = readResponse(await recorded(chosen, record)(request))
      record?.({ type: 'text', text: response.text })
      return completedBy(response)
    } catch (thrown) {
      if ((thrown as { readonly code?: unknown } | null)?.code !== 'model-refused') throw thrown
      return {
        status: 'refused',
        failure: { name: 'Refused', message: (thrown as Error).message, code: 'model-refused' },
      }
    }
  }
  if (typeof model === 'function') return giveInfo(agent, { models: [model] })
  const chosen = (name: string | undefined) => {
    const info = Object.hasOwn(model, name ?? '')
      ? modelInfoOf(choose(name).model)
      : modelInfoOf(choose(undefined).model)
    return info === undefined ? [] : [info]
  }
  return giveInfo(agent, { models: chosen })
}

const rules = { system: option.string, options: modelOptionsRule, model: option.string }

interface Choice {
  readonly model: JudgeModel
  readonly other?: string
}

function chooserOf(model: JudgeModel | Models, usual: string | undefined): (name: string | undefined) => Choice {
  if (typeof model === 'function') return (name) => (name === undefined ? { model } : { model, other: name })
  const names = Object.keys(Object(model))
  const [first] = names
  if (first === undefined || !Object.values(model).every((one) => typeof one === 'function'))
    return optionInvalid('model', 'modelAgent: the model must be a function, or an object of models by name.')
  const chosen = (name: string): JudgeModel | undefined => (Object.hasOwn(model, name) ? model[name] : undefined)
  if (usual !== undefined && chosen(usual) === undefined)
    return optionInvalid('model', `modelAgent: there is no model "${usual}" (available: ${names.join(', ')}).`)
  return (name = usual ?? first) => {
    const found = chosen(name)
    if (found !== undefined) return { model: found }
    optionInvalid('model', `There is no model "${name}" (available: ${names.join(', ')}).`)
  }
}

function messagesOf({ prompt, systemPrompt }: AgentTask, system = systemPrompt): readonly ModelMessage[] {
  const user = { role: 'user', content: prompt } as const
  return system === undefined || system === '' ? [user] : [{ role: 'system', content: system }, user]
}

function completedBy({ text, data, model, usage, costUsd, metadata }: JudgeModelResponse): Invocation {
  const finishReason = metadata?.['finishReason']
  return {
    status: 'completed',
    output: text === '' && data !== undefined ? { type: 'structured', data } : { type: 'text', text },
    usage,
    costUsd,
    metadata: {
      model,
      ...(typeof finishReason === 'string' ? { finishReason } : {}),
    },
  }
}

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
