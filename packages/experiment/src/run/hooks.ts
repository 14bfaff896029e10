import type { JsonObject, JudgmentContext, Workspace, WritableWorkspace } from '@jurist/core'
import type { DatasetItem } from '../dataset/item.js'
import type { ExperimentInvocation } from '../invocation.js'

/**
 * What happens between the stations of a trial. What `beforeAgent` and `afterAgent` give is merged into the metadata of
 * the trial and of the jury's context. Only `beforeAgent` may write into the workspace.
 */
export interface Hooks {
  /** After provisioning. A throw is a setup error: the agent is not called. */
  beforeAgent?(stage: Stage & { readonly workspace: WritableWorkspace }): HookResult<JsonObject>
  /** After the agent and its processes are gone. A throw is a warning and the trial's failure; its outcome stays. */
  afterAgent?(stage: Stage & { readonly invocation: ExperimentInvocation }): HookResult<JsonObject>
  /** Before the jury, whose context it may replace. A throw is the jury's failure: judged `error`. */
  beforeJury?(
    stage: Stage & { readonly invocation: ExperimentInvocation; readonly context: JudgmentContext },
  ): HookResult<JudgmentContext>
}

/** What a hook may give: something, nothing, or a promise of it. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook without a return statement returns void.
export type HookResult<Value> = Value | void | Promise<Value | void>

/** Where in a run a hook is called. */
export interface Stage {
  readonly item: DatasetItem
  readonly repetition: number
  readonly workspace: Workspace
  readonly signal: AbortSignal
}
