import { type Failure, flatten } from '@jurist/core'
import { stackOf } from '@jurist/core/internal'
import { briefTrials, type ExperimentResult, type ItemResult, wholeTrials } from '@jurist/experiment/result'
import { safeBlock } from '@jurist/kit/terminal'
import type { Host } from './host.js'

const mostTrials = 200
const mostStacks = 10

/** Prints where agents and judges of the runs of this process threw, each place once: for `--debug`. */
export function printStacks({ flags, terminal }: Host, results: readonly ExperimentResult[]): void {
  if (flags.debug !== true) return
  const stacks = new Map<string, string>()
  for (const result of results) {
    const missed = briefTrials(result).filter(({ passed }) => passed !== true)
    for (const item of wholeTrials(result, missed.slice(0, mostTrials)))
      for (const failure of failuresIn(item)) {
        const stack = stackOf(failure)
        if (stack !== undefined && !stacks.has(stack)) stacks.set(stack, `${item.itemId} #${item.repetition}`)
      }
  }
  for (const [stack, trial] of [...stacks].slice(0, mostStacks)) terminal.err(`${safeBlock(`${trial}  ${stack}`)}\n`)
  if (stacks.size > mostStacks) terminal.err(`and ${stacks.size - mostStacks} more stacks\n`)
}

function failuresIn({ failure, attempts, verdict }: ItemResult): readonly Failure[] {
  const judgments = verdict === null ? [] : flatten(verdict)
  return [
    ...(failure === null ? [] : [failure]),
    ...attempts.map((attempt) => attempt.failure),
    ...judgments.flatMap(({ judgment }) => ('failure' in judgment ? [judgment.failure] : [])),
  ]
}
