import type { AgentOutput, Usage } from '@jurist/core'
import type { Look } from '../context/look.js'
import { isList, lookInto } from '../context/look.js'
import type { RunOutcome } from '../context/outcome.js'
import { dataOutcome, textOutcome } from '../context/output.js'
import { toJson } from '../context/to-json.js'
import { added, consistentUsage, sumSteps } from '../context/usage.js'
import { endingOf } from './ending.js'
import { blocksOf, toolsIn } from './tools.js'

/**
 * Reads the messages of a run with care; what is malformed is absent and becomes a warning.
 *
 * @param root the directory of the workspace, for paths
 */
export function readClaude(value: unknown, root?: string): RunOutcome {
  const warnings: string[] = []
  const all = isList(value) ? lookInto(value, warnings).list() : [lookInto(value, warnings)]
  const messages = all.filter((message) => typeof message.value === 'object')
  const named = (type: string) => messages.filter((message) => message.get('type').value === type)
  const nothing = lookInto(undefined, warnings)
  const result = named('result').at(-1) ?? nothing
  const init = named('system').find((message) => message.get('subtype').value === 'init') ?? nothing
  const { status, failure, truncated } = endingOf(result, messages)
  const denials = result.get('permission_denials').list()
  const denied = new Set(denials.map((denial) => denial.get('tool_use_id').value))
  const costUsd = result.get('total_cost_usd').number()
  return {
    status,
    failure,
    output: outputOf(result, named('assistant')),
    facts: {
      model: init.get('model').text(),
      sessionId: (result.present ? result : init).get('session_id').text(),
      frameworkVersion: init.get('claude_code_version').text(),
      finishReason: result.get('stop_reason').text(),
      rawFinishReason: result.get('subtype').text(),
      truncated,
      turns: result.get('num_turns').number(),
      usage: result.present ? usageOf(result.get('usage')) : partialUsage(named('assistant'), warnings),
      usageReported: result.get('usage').present ? toJson(result.get('usage').value) : undefined,
      ...(costUsd === undefined ? {} : { costUsd, costBasis: 'list' as const }),
      toolExecutions: messages.length > 0 ? toolsIn(messages, denied, root) : undefined,
      permissionDenials: denials.map((denial) => ({
        tool: denial.get('tool_name').text() ?? 'unknown',
        id: denial.get('tool_use_id').text() ?? 'unknown',
      })),
      warnings,
    },
    own: {
      modelUsage: result.get('modelUsage').present ? toJson(result.get('modelUsage').value) : undefined,
      apiMs: result.get('duration_api_ms').number(),
    },
  }
}

function outputOf(result: Look, answers: readonly Look[]): AgentOutput | undefined {
  const structured = result.get('structured_output')
  if (structured.present) return dataOutcome(structured.value)
  // The text of an error is no answer.
  if (result.get('subtype').value === 'success' && result.get('is_error').value !== true)
    return textOutcome(result.get('result').text())
  const texts = answers.map((answer) =>
    blocksOf(answer, 'text')
      .map((block) => block.get('text').text() ?? '')
      .join(''),
  )
  return result.get('is_error').value === true && result.get('subtype').value === 'success'
    ? undefined
    : textOutcome(texts.findLast((text) => text !== ''))
}

/** Anthropic counts what came from the cache beside the input. */
function usageOf(usage: Look): Usage | undefined {
  const read = usage.get('cache_read_input_tokens')
  const written = usage.get('cache_creation_input_tokens')
  return consistentUsage(
    {
      inputTokens: added(usage.get('input_tokens'), read, written),
      cacheReadTokens: read.value,
      cacheWriteTokens: written.value,
      outputTokens: usage.get('output_tokens').value,
      reasoningTokens: usage.get('output_tokens_details').get('thinking_tokens').value,
    },
    usage.warnings,
  )
}

/** One answer is split over several messages that repeat its id and its usage; the last one is whole. */
function partialUsage(answers: readonly Look[], warnings: string[]): Usage | undefined {
  const byId = new Map(
    answers.map((answer) => [answer.get('message').get('id').value, answer.get('message').get('usage')]),
  )
  if (byId.size === 0) return undefined
  warnings.push('usage-partial')
  return sumSteps([...byId.values()].map(usageOf), warnings)
}

/** The usage of one answer, for the journal. */
export function answerUsage(answer: Look): Usage | undefined {
  return usageOf(answer.get('message').get('usage'))
}
