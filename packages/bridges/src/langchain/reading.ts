import type { AgentOutput, ExecutionStatus, Usage } from '@jurist/core'
import type { Finish, FinishReasons } from '../context/outcome.js'
import { dataOutcome, finishOf, partsOutcome } from '../context/outcome.js'
import type { SafeReader } from '../context/safe-reader.js'
import { isReadableArray, readSafely } from '../context/safe-reader.js'
import { distinctSources } from '../context/sources.js'
import { reportedUsage, sumSteps, usageFrom } from '../context/usage.js'
import type { FrameworkReading } from '../run/framework-agent.js'
import type { LangChainDocument } from './messages.js'
import {
  documentsIn,
  hasOpenCalls,
  messagesIn,
  ofType,
  ownMessages,
  partsIn,
  sourceIn,
  textIn,
  toolsIn,
} from './messages.js'

/** In lower case, of all providers. */
const finishReasons: FinishReasons = {
  success: ['stop', 'end_turn', 'stop_sequence', 'tool_calls', 'tool_use', 'function_call'],
  truncated: ['length', 'max_tokens'],
  refused: ['content_filter', 'refusal', 'safety'],
  failed: [],
}

/**
 * Malformed parts are left out and add warnings.
 *
 * @param documents the retrieved documents. Default: those that tools returned
 */
export function readLangChain(value: unknown, documents?: readonly LangChainDocument[]): FrameworkReading {
  const warnings: string[] = []
  const root = readSafely(value, warnings)
  const messages = ownMessages(messagesIn(root))
  const answers = ofType(messages, 'ai')
  const counted = uniqueById(answers)
  const last = answers.at(-1) ?? readSafely(undefined, warnings)
  const usages = counted.map((answer) => usageOf(answer.get('usage_metadata')))
  const toolExecutions = root.present ? toolsIn(messages) : undefined
  const finishReason = finishReasonOf(last)
  const isOpen = hasOpenCalls(toolExecutions ?? [], answers.length - 1)
  const { status, truncated } = endOf(finishReason, last, isOpen)
  const retrieved =
    documents === undefined ? documentsIn(messages) : readSafely(documents, warnings, 'documents').array()
  return {
    outcome: {
      status,
      output: outputOf(root, last),
      facts: {
        model: modelOf(last),
        provider: last.get('response_metadata').get('model_provider').string(),
        responseId: last.get('id').string(),
        finishReason,
        truncated,
        turns: answers.length > 0 ? answers.length : undefined,
        usage: sumSteps(usages, warnings),
        usageReported: reportedUsage(counted.map((answer) => answer.get('usage_metadata'))),
        toolExecutions,
        sources: distinctSources(retrieved.flatMap(sourceIn)),
        warnings,
      },
    },
    steps: answers.map((answer) => ({
      model: modelOf(answer),
      usage: usageOf(answer.get('usage_metadata')),
      finishReason: finishReasonOf(answer),
      text: textIn(answer),
    })),
  }
}

/** A stream may repeat a message. */
function uniqueById(answers: readonly SafeReader[]): readonly SafeReader[] {
  const seen = new Set<string>()
  return answers.filter((answer) => {
    const id = answer.get('id').string()
    if (id === undefined) return true
    const isNew = !seen.has(id)
    seen.add(id)
    return isNew
  })
}

export function usageOf(usage: SafeReader): Usage | undefined {
  return usageFrom(usage, {
    inputTokens: 'input_tokens',
    cacheReadTokens: 'input_token_details.cache_read',
    cacheWriteTokens: 'input_token_details.cache_creation',
    outputTokens: 'output_tokens',
    reasoningTokens: 'output_token_details.reasoning',
    totalTokens: 'total_tokens',
  })
}

/** Each provider uses another place. */
export function finishReasonOf(answer: SafeReader): string | undefined {
  const metadata = answer.get('response_metadata')
  return (
    metadata.get('finish_reason').string() ??
    metadata.get('stop_reason').string() ??
    metadata.get('finishReason').string()
  )
}

export function modelOf(answer: SafeReader): string | undefined {
  const metadata = answer.get('response_metadata')
  return metadata.get('model_name').string() ?? metadata.get('model').string()
}

/** Without a finish reason, a last text without an open tool call is a success. */
function endOf(reason: string | undefined, last: SafeReader, isOpen: boolean): Finish {
  if (reason !== undefined) return finishOf(reason.toLowerCase(), finishReasons, {})
  const status: ExecutionStatus = textIn(last) !== '' && !isOpen ? 'success' : 'unknown'
  return { status }
}

export function finishOfAnswer(answer: SafeReader): Finish {
  return finishOf(finishReasonOf(answer)?.toLowerCase(), finishReasons, {})
}

function outputOf(root: SafeReader, last: SafeReader): AgentOutput | undefined {
  const structured = isReadableArray(root.value) || !root.present ? undefined : root.get('structuredResponse')
  return structured?.present ? dataOutcome(structured.value) : partsOutcome(partsIn(last))
}
