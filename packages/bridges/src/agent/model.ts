import type { Agent, Invocation, WritableWorkspace } from '@jurist/core'
import { asText, JuristError } from '@jurist/core'
import { checkOptions, option, optionInvalid } from '@jurist/core/internal'
import type { JudgeModel, JudgeModelRequest, JudgeModelResponse, ModelOptions } from '@jurist/core/llm'
import { bridgeFacts } from '../context/run-facts.js'
import { abortedProblem, refusedProblem, timeoutProblem } from '../http/model-errors.js'
import { dataIn, modelResponse, onePrompt, unsupported } from '../run/model-call.js'
import { invoke } from './evaluate.js'

/** The options of `agentModel`. */
export interface AgentModelOptions {
  /** Opens a workspace for each request. It is disposed of afterwards if it is disposable. */
  readonly workspace: () => Promise<WritableWorkspace>
  /**
   * The treatment of a run that did not complete: `error` rejects, `classify` uses the output there is. Default
   * `error`.
   */
  readonly onFailedRun?: 'error' | 'classify'
}

const unknownSettings: readonly (keyof ModelOptions)[] = ['temperature', 'maxTokens', 'seed', 'topLogprobs']

/**
 * Creates a model from an agent, for judges that call one. The messages become one prompt; the output is the response,
 * with the usage and cost of the run.
 *
 * @throws `option-invalid`; a call rejects with `agent-failed`, `model-refused`, `model-timeout` or `aborted` when the
 * run does not complete
 *
 * @example
 * import { agentModel } from '@jurist/bridges/agent'
 * import { claudeCommand } from '@jurist/bridges/claude-agent'
 * import { correctness } from '@jurist/core/llm'
 * import { emptyDirectory } from '@jurist/workspace'
 *
 * const agent = claudeCommand({ permissions: 'read-only', environment: { allow: ['ANTHROPIC_API_KEY'] } })
 * const correct = correctness({ model: agentModel(agent, { workspace: () => emptyDirectory() }) })
 */
export function agentModel(agent: Agent, options: AgentModelOptions): JudgeModel {
  const { workspace: open, onFailedRun = 'error' } = checkOptions('agentModel', options, {
    workspace: option.function,
    onFailedRun: option.oneOf('error', 'classify'),
  })
  if (open === undefined)
    optionInvalid('workspace', 'agentModel: "workspace" is missing. Pass a function that opens a workspace.')
  return async function agentAsModel(request) {
    const { model, timeoutMs } = request.options
    if (request.signal.aborted) throw abortedProblem(request.signal)
    const workspace = await open()
    try {
      const task = { prompt: onePrompt(request), workspace, model, timeoutMs }
      const invocation = await invoke(agent, task, request.signal)
      if (onFailedRun === 'error') refuseUnfinished(invocation, request)
      return responseOf(invocation, request)
    } finally {
      await (workspace as Partial<AsyncDisposable>)[Symbol.asyncDispose]?.()
    }
  }
}

function refuseUnfinished({ status, failure }: Invocation, { options, signal }: JudgeModelRequest): void {
  const reason = failure?.message ?? 'no reason was given'
  switch (status) {
    case 'completed':
      return
    case 'refused':
      throw refusedProblem(reason)
    case 'timeout':
      throw options.timeoutMs === undefined ? failedProblem(reason) : timeoutProblem(options.timeoutMs)
    case 'cancelled':
      throw signal.aborted ? abortedProblem(signal) : failedProblem(reason)
    case 'error':
      throw Object.assign(failedProblem(reason), { infrastructure: failure?.infrastructure ?? false })
    default:
      status satisfies never
  }
}

function failedProblem(reason: string): JuristError<'agent-failed'> {
  return new JuristError('agent-failed', `The agent did not complete its run: ${reason}`, { reason })
}

function responseOf(invocation: Invocation, { options }: JudgeModelRequest): JudgeModelResponse {
  const { output, usage, costUsd, sessionId, metadata = {}, status } = invocation
  const facts = bridgeFacts(metadata)
  const text = asText(output)
  return modelResponse({
    text,
    data: options.responseSchema === undefined ? undefined : output?.type === 'structured' ? output.data : dataIn(text),
    model: facts?.model,
    usage,
    costUsd,
    metadata: {
      status,
      sessionId,
      finishReason: facts?.finishReason,
      truncated: facts?.truncated,
      warnings: [...(facts?.warnings ?? []), ...unsupported(options, unknownSettings)],
    },
  })
}
