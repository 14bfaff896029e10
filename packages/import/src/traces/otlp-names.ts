/** The kind of a span. */
export type Operation = 'chat' | 'agent' | 'tool'

const openInference = {
  operation: ['openinference.span.kind'],
  conversation: ['session.id'],
  agent: ['agent.name'],
  model: ['llm.model_name'],
  input: ['llm.input_messages', 'input.value'],
  output: ['llm.output_messages', 'output.value'],
  toolName: ['tool.name'],
  toolCallId: ['tool_call.id', 'tool.id'],
  toolArguments: ['tool.parameters', 'input.value'],
  toolResult: ['output.value'],
  inputTokens: ['llm.token_count.prompt'],
  outputTokens: ['llm.token_count.completion'],
  reasoningTokens: ['llm.token_count.completion_details.reasoning'],
  cacheReadTokens: ['llm.token_count.prompt_details.cache_read'],
  cacheWriteTokens: ['llm.token_count.prompt_details.cache_write'],
  totalTokens: ['llm.token_count.total'],
  costUsd: ['llm.cost.total'],
}

/** The meaning of an attribute. */
export type Meaning = keyof typeof openInference | 'outputCalls' | 'system'

/** The attribute names of one convention. */
export interface NameTable {
  /** The attributes of each meaning, with the current name first. */
  readonly names: { readonly [meaning in Meaning]?: readonly string[] }
  /** The meanings of operation values. */
  readonly operations: { readonly [value: string]: Operation }
}

/**
 * The conventions, in the order in which their attributes are tried. Everything that is read from a span is declared
 * here.
 */
export const nameTables: readonly NameTable[] = [
  // OpenTelemetry GenAI 1.38.
  {
    names: {
      operation: ['gen_ai.operation.name'],
      conversation: ['gen_ai.conversation.id'],
      agent: ['gen_ai.agent.name'],
      model: ['gen_ai.response.model', 'gen_ai.request.model'],
      input: ['gen_ai.input.messages'],
      output: ['gen_ai.output.messages'],
      system: ['gen_ai.system_instructions'],
      toolName: ['gen_ai.tool.name'],
      toolCallId: ['gen_ai.tool.call.id'],
      toolArguments: ['gen_ai.tool.call.arguments'],
      toolResult: ['gen_ai.tool.call.result'],
      inputTokens: ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens'],
      outputTokens: ['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens'],
      reasoningTokens: ['gen_ai.usage.reasoning.output_tokens'],
      cacheReadTokens: ['gen_ai.usage.cache_read.input_tokens'],
      cacheWriteTokens: ['gen_ai.usage.cache_creation.input_tokens'],
    },
    operations: {
      chat: 'chat',
      generate_content: 'chat',
      text_completion: 'chat',
      invoke_agent: 'agent',
      execute_tool: 'tool',
    },
  },
  // OpenInference 0.1.
  {
    names: openInference,
    operations: { LLM: 'chat', AGENT: 'agent', TOOL: 'tool' },
  },
  // The AI SDK of Vercel, version 6.
  {
    names: {
      operation: ['ai.operationId'],
      conversation: ['ai.telemetry.metadata.sessionId'],
      agent: ['ai.telemetry.functionId'],
      model: ['ai.response.model', 'ai.model.id'],
      input: ['ai.prompt.messages', 'ai.prompt'],
      output: ['ai.response.text', 'ai.response.object'],
      outputCalls: ['ai.response.toolCalls'],
      toolName: ['ai.toolCall.name'],
      toolCallId: ['ai.toolCall.id'],
      toolArguments: ['ai.toolCall.args'],
      toolResult: ['ai.toolCall.result'],
      inputTokens: ['ai.usage.inputTokens', 'ai.usage.promptTokens'],
      outputTokens: ['ai.usage.outputTokens', 'ai.usage.completionTokens'],
      reasoningTokens: ['ai.usage.outputTokenDetails.reasoningTokens', 'ai.usage.reasoningTokens'],
      cacheReadTokens: ['ai.usage.inputTokenDetails.cacheReadTokens', 'ai.usage.cachedInputTokens'],
      cacheWriteTokens: ['ai.usage.inputTokenDetails.cacheWriteTokens'],
      totalTokens: ['ai.usage.totalTokens'],
    },
    operations: {
      'ai.generateText': 'agent',
      'ai.streamText': 'agent',
      'ai.generateObject': 'agent',
      'ai.streamObject': 'agent',
      'ai.generateText.doGenerate': 'chat',
      'ai.streamText.doStream': 'chat',
      'ai.generateObject.doGenerate': 'chat',
      'ai.streamObject.doStream': 'chat',
      'ai.toolCall': 'tool',
    },
  },
]
