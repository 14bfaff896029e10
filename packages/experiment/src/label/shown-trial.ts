import { createHash } from 'node:crypto'
import { type AgentOutput, asText } from '@jurist/core'
import { expectedOutputOf } from '../result/expected-output.js'
import type { ItemResult } from '../result/records.js'
import type { PromptChange } from '../result/trial-prompt.js'

/** What a person sees of a trial before the label: never what a judge said. */
export interface ShownTrial<Change extends PromptChange = PromptChange> {
  readonly itemId: string
  readonly repetition: number
  readonly task: string
  /** The right answer of the dataset; `null`: the item has no right answer. */
  readonly expected: AgentOutput | null
  /** `null`: the agent answered nothing. */
  readonly output: AgentOutput | null
  /** The changed files, or why they are unknown; `null`: the trial has no workspace. */
  readonly changes: readonly Change[] | string | null
  /** SHA-256 of all of this. */
  readonly hash: string
}

/** What is shown of a trial. */
export function shownTrial<Change extends PromptChange>(
  trial: ItemResult,
  changes: ShownTrial<Change>['changes'],
): ShownTrial<Change> {
  const { itemId, repetition, task, detail } = trial
  const output = (detail?.kind === 'agent' ? detail.invocation.output : undefined) ?? null
  const expected = expectedOutputOf(trial)
  const text = (value: AgentOutput | null) => (value === null ? null : asText(value))
  const lines = Array.isArray(changes) ? changes.map((change: Change) => [change.path, change.lines]) : changes
  const hash = createHash('sha256')
    .update(
      JSON.stringify({ itemId, repetition, task, expected: text(expected), output: text(output), changes: lines }),
    )
    .digest('hex')
  return Object.freeze({ itemId, repetition, task, expected, output, changes, hash })
}

/** Whether a trial had a workspace, whose changes are shown. */
export function hasWorkspace({ workspacePath, beforePath }: ItemResult): boolean {
  return workspacePath !== null || beforePath !== null
}
