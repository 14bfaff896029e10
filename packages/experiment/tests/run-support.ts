import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Agent, fail, type Judge, pass } from '@jurist/core'
import { onTestFinished } from 'vitest'
import { completed, type ExperimentEvent, type ExperimentOptions, type InlineItem } from '../src/index.js'

/** A directory that is gone when the test is over. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'jurist-test-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** So many items: `item-1` with the task `task 1`, and so on. */
export function someItems(count: number): readonly InlineItem[] {
  return Array.from({ length: count }, (_, index) => ({ id: `item-${index + 1}`, task: `task ${index + 1}` }))
}

/** Answers with the prompt. */
export const echo: Agent = async function echo({ prompt }) {
  return completed(prompt)
}

/** Passes when the answer holds no `bad`. */
export const good: Judge = function good({ agentOutput }) {
  const text = agentOutput?.type === 'text' ? agentOutput.text : ''
  return text.includes('bad') ? fail(`${text} is bad`) : pass(`${text} is good`)
}

/** An experiment over so many items whose retries do not wait. */
export function anExperiment(
  count: number,
  options: Partial<ExperimentOptions> = {},
): ExperimentOptions & Required<Pick<ExperimentOptions, 'agent'>> {
  return {
    name: 'test',
    dataset: someItems(count),
    agent: echo,
    jury: good,
    retries: { attempts: 3, baseMs: 0, jitter: false },
    ...options,
  }
}

/** Every event of a run, by reading it to its end. */
export async function eventsOf(run: AsyncIterable<ExperimentEvent>): Promise<readonly ExperimentEvent[]> {
  const events: ExperimentEvent[] = []
  for await (const event of run) events.push(event)
  return events
}

/** The events of one type. */
export function ofType<Type extends ExperimentEvent['type']>(
  events: readonly ExperimentEvent[],
  type: Type,
): readonly Extract<ExperimentEvent, { readonly type: Type }>[] {
  return events.filter((event): event is Extract<ExperimentEvent, { readonly type: Type }> => event.type === type)
}

/** Resolves when the signal fires. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
