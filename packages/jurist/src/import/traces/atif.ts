import { isPlainObject } from '@jurist/core/internal'
import * as v from 'valibot'
import { dollars, fieldsOf, json, maybe, record, text, tokens } from './checked.js'
import type { Trajectory } from './trajectory.js'

// The Agent Trajectory Interchange Format 1.0 to 1.8, whose versions only add fields. Each field is declared here once; what is not declared is unknown.

/** A part of a content: text, or an image that only its place describes. */
const part = fieldsOf({ type: text, text: maybe(text), source: maybe(json) })

const content = v.union([text, v.array(part)], 'must be a string or an array of parts')

/** The call of a tool. */
export const toolCall = fieldsOf({
  tool_call_id: text,
  function_name: text,
  arguments: json,
  extra: maybe(record),
})

/** What a tool returned. */
export const toolResult = fieldsOf({
  source_call_id: maybe(text),
  content: maybe(content),
  subagent_trajectory_ref: maybe(json),
  extra: maybe(record),
})

/** What a model call cost. */
export const metrics = fieldsOf({
  prompt_tokens: maybe(tokens),
  completion_tokens: maybe(tokens),
  cached_tokens: maybe(tokens),
  cost_usd: maybe(dollars),
  extra: maybe(record),
})

/** One step. */
export const step = fieldsOf({
  step_id: v.pipe(v.number('must be a number'), v.safeInteger('must be a whole number')),
  timestamp: maybe(text),
  source: v.picklist(['system', 'user', 'agent'], 'must be system, user or agent'),
  model_name: maybe(text),
  reasoning_effort: maybe(v.union([text, v.number()], 'must be a string or a number')),
  message: maybe(content),
  reasoning_content: maybe(text),
  tool_calls: maybe(v.array(toolCall, 'must be an array')),
  observation: maybe(fieldsOf({ results: maybe(v.array(toolResult, 'must be an array')) })),
  metrics: maybe(metrics),
  is_copied_context: maybe(v.boolean('must be true or false')),
  llm_call_count: maybe(tokens),
  extra: maybe(record),
})

/** The totals of a trajectory. */
const finalMetrics = fieldsOf({
  total_prompt_tokens: maybe(tokens),
  total_completion_tokens: maybe(tokens),
  total_cached_tokens: maybe(tokens),
  total_cost_usd: maybe(dollars),
  total_steps: maybe(tokens),
  extra: maybe(record),
})

/** The versions that are read. */
const versions = /^ATIF-v1\.[0-8]$/

/** A trajectory. */
export const trajectory = fieldsOf({
  schema_version: v.pipe(text, v.regex(versions, 'must be ATIF-v1.0 to ATIF-v1.8')),
  session_id: maybe(text),
  trajectory_id: maybe(text),
  agent: fieldsOf({
    name: text,
    version: maybe(text),
    model_name: maybe(text),
    tool_definitions: maybe(json),
    extra: maybe(record),
  }),
  steps: v.array(step, 'must be an array'),
  notes: maybe(text),
  final_metrics: maybe(finalMetrics),
  continued_trajectory_ref: maybe(json),
  subagent_trajectories: maybe(v.array(record, 'must be an array')),
  extra: maybe(record),
})

/** A trajectory that has been checked. */
export type Atif = v.InferOutput<typeof trajectory>
/** A step of one. */
export type AtifStep = v.InferOutput<typeof step>

/** The files that a trajectory names. */
export function filesOf({
  steps,
  continued_trajectory_ref: next,
}: Atif): Pick<Trajectory, 'subagentFiles' | 'nextFile'> {
  const results = steps.flatMap(({ observation }) => observation?.results ?? [])
  const references = results.flatMap(({ subagent_trajectory_ref: one }) => (Array.isArray(one) ? one : [one]))
  const paths = references.flatMap((one) => (isPlainObject(one) ? [one['trajectory_path']] : []))
  const subagentFiles = paths.filter((path) => typeof path === 'string')
  return {
    ...(subagentFiles.length === 0 ? {} : { subagentFiles }),
    ...(typeof next === 'string' ? { nextFile: next } : {}),
  }
}

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
