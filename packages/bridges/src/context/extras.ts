import type { AgentOutput, Workspace } from '@jurist/core'
import { JuristError } from '@jurist/core'
import type { OptionRule } from '@jurist/core/internal'
import { checkOptions, option } from '@jurist/core/internal'
import '../errors.js'

/** What a framework's result does not say: the goal, and what else a judge may look at. */
export interface ContextExtras {
  readonly goal: string
  readonly workspace?: Workspace
  readonly before?: Workspace
  readonly reference?: Workspace
  readonly expectedOutput?: AgentOutput | string
  /** Default: the texts of retrieved sources, where the result has some. */
  readonly referenceData?: readonly string[]
  /** Kept as it is; the keys of the bridge are reserved. */
  readonly metadata?: { readonly [key: string]: unknown }
  /** An ISO 8601 instant. */
  readonly startedAt?: string
  readonly executionMs?: number
  /** Fires when judging must stop. */
  readonly signal?: AbortSignal
}

/** As `ContextExtras`, for a run that is timed here. */
export interface RunExtras extends Omit<ContextExtras, 'startedAt' | 'executionMs'> {
  /** Milliseconds for the run. Default: no limit. */
  readonly timeoutMs?: number
}

/** How an ending is to be understood. */
export interface FinishOptions {
  /** What an answer cut by a token limit is. Default `'success'`, with the fact `truncated`. */
  readonly onTruncated?: 'success' | 'failed'
}

type Rules<Options> = { readonly [name in keyof Required<Options>]: OptionRule }

const { anything } = option
const signalRule: OptionRule = {
  wants: 'an AbortSignal',
  holds: (value) => typeof (value as { readonly aborted?: unknown } | null)?.aborted === 'boolean',
}

const sharedRules: Rules<Omit<ContextExtras, 'startedAt' | 'executionMs'>> = {
  goal: option.string,
  workspace: anything,
  before: anything,
  reference: anything,
  expectedOutput: anything,
  referenceData: option.strings,
  metadata: { wants: 'an object', holds: (value) => typeof value === 'object' && value !== null },
  signal: signalRule,
}

/** The rules of `ContextExtras`; a bridge adds those of its own extras. */
export const contextRules: Rules<ContextExtras> = {
  ...sharedRules,
  startedAt: option.string,
  executionMs: option.nonNegative,
}

/** The rules of `RunExtras`. */
export const runRules: Rules<RunExtras> = { ...sharedRules, timeoutMs: option.positive }

/** The rule of `FinishOptions`. */
export const finishRules: Rules<FinishOptions> = { onTruncated: option.oneOf('success', 'failed') }

/**
 * Checks what a caller handed in beside a result.
 *
 * @param where the function that was called, for the message
 * @param prefix that of the bridge, whose metadata keys are reserved; without one, only `bridge` is
 * @throws `option-invalid`, also without a goal; `metadata-reserved` for `bridge` and for keys that begin with the prefix
 */
export function checkExtras<Extras extends { readonly goal: string; readonly metadata?: object }>(
  where: string,
  prefix: string | undefined,
  extras: Extras,
  rules: Rules<Extras>,
): Extras {
  const checked = checkOptions(where, extras, rules)
  if (checked.goal === undefined)
    throw new JuristError('option-invalid', `${where}: give "goal", what the run was asked to do.`, { option: 'goal' })
  for (const key of Object.keys(checked.metadata ?? {}))
    if (key === 'bridge' || (prefix !== undefined && key.startsWith(`${prefix}.`)))
      throw new JuristError(
        'metadata-reserved',
        `${where}: the metadata key ${JSON.stringify(key)} belongs to the bridge. Give yours another name.`,
        { key },
      )
  return checked
}
