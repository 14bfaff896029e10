import type { Failure, Usage } from '@jurist/core'
import { endFailure } from '../coding/failures.js'
import type { Look } from '../context/look.js'
import { isList, lookInto } from '../context/look.js'
import type { RunOutcome } from '../context/outcome.js'
import { textOutcome } from '../context/output.js'
import { toJson } from '../context/to-json.js'
import type { ToolExecution } from '../context/tool-execution.js'
import { joinTools } from '../context/tool-execution.js'
import { usageFrom } from '../context/usage.js'
import { isInfrastructureStatus } from '../run/thrown.js'
import { toolIn } from './tools.js'

/**
 * Reads the events of a turn, or what `thread.run` resolved to, with care. Codex tells neither a finish reason nor a cost
 * nor the model.
 *
 * @param root the directory of the workspace, for paths
 */
export function readCodex(value: unknown, root?: string): RunOutcome {
  const warnings: string[] = []
  const whole = lookInto(value, warnings)
  const areEvents = isList(value)
  const events = areEvents ? whole.list().filter((event) => typeof event.value === 'object') : []
  const named = (type: string) => events.filter((event) => event.get('type').value === type)
  const items = areEvents ? lastStates(events) : whole.get('items').list()
  const completed = named('turn.completed')
  const usages = areEvents ? completed.map((event) => event.get('usage')) : [whole.get('usage')]
  const usage = usages.findLast((look) => look.present) ?? lookInto(undefined, warnings)
  const toolExecutions = whole.present ? executionsOf(items, root) : undefined
  const denied = toolExecutions?.filter(({ status }) => status === 'denied')
  for (const event of named('error')) warnings.push(`error: ${event.get('message').text() ?? 'unknown'}`)
  for (const item of items)
    if (item.get('type').value === 'error') warnings.push(`error: ${item.get('message').text() ?? 'unknown'}`)
  return {
    ...endingOf(named('turn.failed').at(-1), areEvents ? completed.length > 0 : usage.present),
    output: textOutcome(areEvents ? lastMessage(items) : (whole.get('finalResponse').text() ?? lastMessage(items))),
    facts: {
      sessionId: named('thread.started').at(-1)?.get('thread_id').text(),
      turns: completed.length > 0 ? completed.length : undefined,
      usage: usageOf(usage),
      usageReported: usage.present ? toJson(usage.value) : undefined,
      toolExecutions,
      permissionDenials: denied?.map(({ name, id }) => ({ tool: name, id })),
      warnings,
    },
  }
}

/** Each item as it was told last, in the order in which it was first told. */
function lastStates(events: readonly Look[]): readonly Look[] {
  const states = new Map<unknown, Look>()
  for (const event of events) {
    if (!(event.get('type').text() ?? '').startsWith('item.')) continue
    const item = event.get('item')
    states.set(item.get('id').value ?? item, item)
  }
  return [...states.values()]
}

function lastMessage(items: readonly Look[]): string | undefined {
  return items
    .findLast((item) => item.get('type').value === 'agent_message')
    ?.get('text')
    .text()
}

function executionsOf(items: readonly Look[], root: string | undefined): readonly ToolExecution[] {
  const tools = items.flatMap((item, step) => toolIn(item, step, root) ?? [])
  return joinTools(
    tools.map(({ call }) => call),
    tools.flatMap(({ outcome }) => outcome ?? []),
  )
}

function endingOf(failed: Look | undefined, isComplete: boolean): Pick<RunOutcome, 'status' | 'failure'> {
  if (failed !== undefined) return { status: 'failed', failure: turnFailure(failed) }
  return { status: isComplete ? 'success' : 'unknown' }
}

/** The form in which Codex tells the status of its service; there is no field for it. */
const statusForm = /\bstatus(?: code)?:? (\d{3})\b/

/** How Codex says that its service cannot be reached, is too busy, or wants to be paid; there is no field for it. */
const troubleForm =
  /stream disconnected|connection (failed|closed|reset|refused)|error sending request|timed out|usage limit|quota|high demand|at capacity|overloaded/i

/** A turn that failed for anything else, such as a full context, will fail again. */
function turnFailure(failed: Look): Failure {
  const message = failed.get('error').get('message').text() ?? 'it did not say why'
  const [, status] = statusForm.exec(message) ?? []
  if (status === undefined) return endFailure('turn-failed', message, troubleForm.test(message))
  return endFailure(`http-${status}`, message, isInfrastructureStatus(Number(status)))
}

/** The usage of a turn; Codex counts what came from the cache as input. */
export function usageOf(usage: Look): Usage | undefined {
  return usageFrom(
    {
      inputTokens: usage.get('input_tokens'),
      cacheReadTokens: usage.get('cached_input_tokens'),
      cacheWriteTokens: usage.get('cache_write_input_tokens'),
      outputTokens: usage.get('output_tokens'),
      reasoningTokens: usage.get('reasoning_output_tokens'),
    },
    usage.warnings,
  )
}
