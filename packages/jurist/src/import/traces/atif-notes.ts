import type { Atif } from './atif-schema.js'

/** What the reader of a trajectory must know of it. */
export function atifNotes(atif: Atif): readonly string[] {
  const { steps, subagent_trajectories: subagents } = atif
  const copied = steps.filter((one) => one.is_copied_context === true).length
  return [
    ...(copied === 0 ? [] : [`${copied} copied steps are history: their tokens and tool calls do not count`]),
    ...(subagents === undefined || subagents === null || subagents.length === 0
      ? []
      : [`${subagents.length} trajectories of subagents are in the journal; their tokens do not count`]),
    ...(isOtherSum(atif) ? ['its steps add up to other tokens than its final_metrics: those of the steps count'] : []),
  ]
}

/** Whether the totals of a trajectory are not the sums of its own steps. */
function isOtherSum({ steps, final_metrics: final }: Atif): boolean {
  const own = steps.filter(({ is_copied_context: isCopied, metrics: given }) => isCopied !== true && given)
  const sum = (name: 'prompt_tokens' | 'completion_tokens') =>
    own.reduce((total, { metrics: given }) => total + (given?.[name] ?? 0), 0)
  const differs = (total: number | null | undefined, steps: number) => typeof total === 'number' && total !== steps
  if (own.length === 0) return false
  return (
    differs(final?.total_prompt_tokens, sum('prompt_tokens')) ||
    differs(final?.total_completion_tokens, sum('completion_tokens'))
  )
}
