import type { AgentTask, Invocation, JournalEvent } from '@jurist/core'
import { type ConversationAgent, type ConversationOptions, conversation } from '@jurist/core/conversation'
import { memoryWorkspace } from '@jurist/core/testing'

/** A task, with what was recorded. */
export function aTask(task: Partial<AgentTask> = {}): AgentTask & { readonly events: JournalEvent[] } {
  const events: JournalEvent[] = []
  return {
    prompt: 'Cancel order 7.',
    workspace: memoryWorkspace({}),
    signal: new AbortController().signal,
    record: (event) => events.push(event),
    events,
    ...task,
  }
}

/** Holds one conversation. */
export async function held(
  agent: ConversationAgent,
  options: ConversationOptions,
  task: AgentTask = aTask(),
): Promise<Invocation> {
  return conversation(agent, options)(task)
}

/** Who said what. */
export function said({ turns = [] }: Invocation): readonly string[] {
  return turns.map(({ role, text }) => `${role}: ${text}`)
}
