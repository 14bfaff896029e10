import type { Agent, Invocation } from '@jurist/core'
import { bridgeFacts } from '../context/run-facts.js'
import { toJson } from '../context/to-json.js'
import {
  checkOtel,
  failSpan,
  genAi,
  type OtelOptions,
  type OtelTracer,
  otelRules,
  quietly,
  type SafeSpan,
  startSpan,
  unlessNone,
} from './span.js'

/**
 * Returns the same agent with a trace of its runs: each run becomes a span `invoke_agent <name>` with a child span
 * `execute_tool <name>` for each tool call. Arguments and results are recorded only with `content: 'full'`.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { claudeCommand } from '@jurist/bridges/claude-agent'
 * import { tracedAgent } from '@jurist/bridges/otel'
 * import { trace } from '@opentelemetry/api'
 *
 * const agent = tracedAgent(claudeCommand(), 'claude', { tracer: trace.getTracer('jurist') })
 */
export function tracedAgent(agent: Agent, name: string, options: OtelOptions): Agent {
  const checked = checkOtel('tracedAgent', options, otelRules)
  const { tracer } = checked
  return async function tracedAgent(task) {
    const span = startSpan(tracer, `invoke_agent ${name}`, {
      [genAi.operation]: 'invoke_agent',
      [genAi.agentName]: name,
    })
    try {
      const invocation = await agent(task)
      quietly(() => setInvocation(span, invocation, checked))
      quietly(() => {
        for (const tool of toolsOf(invocation)) addTool(tracer, span, tool, checked.content === 'full')
      })
      return invocation
    } catch (thrown) {
      failSpan(span, checked, thrown)
      throw thrown
    } finally {
      span.end()
    }
  }
}

function setInvocation(span: SafeSpan, invocation: Invocation, checked: OtelOptions): void {
  const { sessionId, usage, status, failure, metadata = {} } = invocation
  const facts = bridgeFacts(metadata)
  span.set({
    [genAi.conversationId]: sessionId,
    [genAi.responseModel]: facts?.model,
    [genAi.responseId]: facts?.responseId,
    [genAi.inputTokens]: usage?.inputTokens,
    [genAi.outputTokens]: usage?.outputTokens,
    [genAi.cacheReadTokens]: usage?.cacheReadTokens,
    [genAi.cacheWriteTokens]: usage?.cacheWriteTokens,
    [genAi.reasoningTokens]: usage?.reasoningTokens,
  })
  if (status === 'completed' || status === 'refused') return
  span.set({ [genAi.errorType]: failure?.code ?? failure?.name ?? status })
  const ended = `the agent ended with the status ${status}`
  span.fail(failure === undefined ? ended : unlessNone(checked, failure.message))
}

/** From the facts of a bridge or the phases of an invocation. */
interface UsedTool {
  readonly id: string
  readonly name: string
  /** Functions, since the content is rarely recorded. */
  readonly input: () => string
  readonly output: () => string | undefined
  readonly isFailed: boolean
}

function toolsOf({ metadata = {}, phases = [] }: Invocation): readonly UsedTool[] {
  const executions = bridgeFacts(metadata)?.toolExecutions
  if (executions !== undefined)
    return executions.map(({ id, name, input, output, status }) => ({
      id,
      name,
      input: () => textOf(input),
      output: () => (output === undefined ? undefined : textOf(output)),
      isFailed: status !== 'completed',
    }))
  const results = new Map(
    phases.flatMap(({ toolResults = [] }) => toolResults.map((result) => [result.toolUseId, result])),
  )
  return phases.flatMap(({ toolUses = [] }) =>
    toolUses.map(({ id, name, input }) => ({
      id,
      name,
      input: () => textOf(input),
      output: () => results.get(id)?.content,
      isFailed: results.get(id)?.failed ?? false,
    })),
  )
}

function addTool(tracer: OtelTracer, parent: SafeSpan, tool: UsedTool, isFull: boolean): void {
  const { id, name, input, output, isFailed } = tool
  const attributes = {
    [genAi.operation]: 'execute_tool',
    [genAi.toolName]: name,
    [genAi.toolCallId]: id,
    [genAi.toolArguments]: isFull ? input() : undefined,
    [genAi.toolResult]: isFull ? output() : undefined,
  }
  const span = startSpan(tracer, `execute_tool ${name}`, attributes, parent.span)
  if (isFailed) span.fail(`the tool ${name} did not complete`)
  span.end()
}

function textOf(value: unknown): string {
  return JSON.stringify(toJson(value))
}
