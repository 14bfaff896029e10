import type { AgentTask, JournalEvent } from '@jurist/core'
import { joinTools, type ToolCall, type ToolExecution, type ToolOutcome } from '../context/tool-execution.js'
import { toolResultOf } from '../run/invocation.js'
import type { Moment, SeenCall } from './calls.js'

/** What an agent records in its journal, as far as it concerns tools. */
export interface Overheard {
  /** The task of the agent, whose `record` is listened to. */
  readonly task: AgentTask
  /** The number of the last model call that was recorded, from 0, and the phase of the last event. */
  moment(): Moment
  /** The tool calls that the agent recorded. */
  reported(): readonly ToolExecution[]
  /** Records a call for an agent that called it directly. Returns the call. */
  recordCall(call: SeenCall): SeenCall
}

/** How many calls are kept; the journal has all. */
const maxCalls = 10_000

/** Listens to what an agent records. */
export function overhear(task: AgentTask): Overheard {
  const calls: ToolCall[] = []
  const outcomes: ToolOutcome[] = []
  let modelCalls = 0
  let phase: string | undefined
  const step = () => Math.max(0, modelCalls - 1)

  const record = (event: JournalEvent) => {
    phase = event.phase ?? phase
    if (event.type === 'model-call') modelCalls += 1
    else if (event.type === 'tool-call' && calls.length < maxCalls) calls.push({ ...event, step: step() })
    else if (event.type === 'tool-result' && outcomes.length < maxCalls) outcomes.push(outcomeOf(event))
    task.record?.(event)
  }

  return {
    // Some properties of a task are made when they are read.
    task: Object.freeze(
      Object.defineProperties(
        {},
        { ...Object.getOwnPropertyDescriptors(task), record: { value: record, enumerable: true } },
      ),
    ) as AgentTask,
    moment: () => ({ step: step(), ...(phase === undefined ? {} : { phase }) }),
    reported: () => joinTools(calls, outcomes),
    recordCall(call) {
      const { id, name, input, elapsedMs, phase: during } = call
      const at = during === undefined ? {} : { phase: during }
      const took = elapsedMs === undefined ? {} : { elapsedMs }
      const { content, failed } = toolResultOf(call) ?? { content: '', failed: true }
      task.record?.({ type: 'tool-call', id, name, input, ...at })
      task.record?.({ type: 'tool-result', id, failed, content, ...took, ...at })
      return call
    },
  }
}

function outcomeOf({ id, failed, content }: Extract<JournalEvent, { readonly type: 'tool-result' }>): ToolOutcome {
  return { id, output: content, status: failed ? 'failed' : 'completed' }
}
