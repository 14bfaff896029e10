import { endFailure } from '../coding/failures.js'
import type { RunOutcome } from '../context/outcome.js'
import { textOutcome } from '../context/outcome.js'
import { readSafely } from '../context/safe-reader.js'
import { toJson } from '../context/to-json.js'
import { added, consistentUsage } from '../context/usage.js'
import type { AgentInfo, Session } from './session.js'
import { executionsOf, nameOfTool } from './tool-calls.js'
import type { AnswerRule, Transcript } from './transcript.js'

/** What was received in a run. */
export interface Received {
  readonly transcript: Transcript
  readonly root: string
  readonly rule: AnswerRule
  readonly info?: AgentInfo
  readonly session?: Session
  /** The response to the prompt; absent if there was none. */
  readonly answer?: unknown
}

/** Reads a run. Without a response to the prompt its status is `unknown`. */
export function readAcp({ transcript, root, rule, info, session, answer }: Received): RunOutcome {
  const { warnings, tools, denials } = transcript
  const { costUsd, contextTokens } = transcript.figures
  const reader = readSafely(answer, warnings)
  const finishReason = reader.get('stopReason').string()
  const usage = reader.get('usage')
  return {
    ...endingOf(finishReason),
    output: textOutcome(transcript.answer(rule)),
    facts: {
      model: session?.model,
      sessionId: session?.sessionId,
      frameworkVersion: info?.frameworkVersion,
      finishReason,
      ...(finishReason === 'max_tokens' ? { truncated: true as const } : {}),
      usage: consistentUsage(
        {
          inputTokens: added(usage.get('inputTokens'), usage.get('cachedReadTokens'), usage.get('cachedWriteTokens')),
          cacheReadTokens: usage.get('cachedReadTokens').value,
          cacheWriteTokens: usage.get('cachedWriteTokens').value,
          outputTokens: added(usage.get('outputTokens'), usage.get('thoughtTokens')),
          reasoningTokens: usage.get('thoughtTokens').value,
          totalTokens: usage.get('totalTokens').value,
        },
        warnings,
      ),
      usageReported: usage.present ? toJson(usage.value) : undefined,
      ...(costUsd === undefined ? {} : { costUsd, costBasis: 'reported' as const }),
      toolExecutions: executionsOf(tools.values(), root, warnings),
      permissionDenials: denials.map((state) => ({ tool: nameOfTool(state), id: state.id })),
      warnings,
    },
    own: { contextTokens },
  }
}

function endingOf(reason: string | undefined): Pick<RunOutcome, 'status' | 'failure'> {
  switch (reason) {
    case 'end_turn':
    case 'max_tokens':
      return { status: 'success' }
    case 'max_turn_requests':
      return { status: 'failed', failure: endFailure('max-turns', 'it reached its limit of turns') }
    case 'refusal':
      return { status: 'refused' }
    case 'cancelled':
      return { status: 'failed', failure: endFailure('cancelled-by-agent', 'it stopped by itself') }
    default:
      return { status: 'unknown' }
  }
}
