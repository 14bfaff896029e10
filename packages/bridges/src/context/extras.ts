import type { AgentOutput, Workspace, WorkspaceInput } from '@jurist/core'
import { JuristError } from '@jurist/core'
import type { OptionRule } from '@jurist/core/internal'
import { checkOptions, openedWorkspace, option, optionInvalid } from '@jurist/core/internal'
import '../errors.js'

/** The parts of a context that a framework's result does not include, such as the goal. */
export interface ContextExtras {
  readonly goal: string
  readonly workspace?: WorkspaceInput
  readonly before?: WorkspaceInput
  readonly reference?: WorkspaceInput
  readonly expectedOutput?: AgentOutput | string
  /** Default: the texts of the sources in the result. */
  readonly referenceData?: readonly string[]
  /** Passed on unchanged; the keys of the bridge are reserved. */
  readonly metadata?: { readonly [key: string]: unknown }
  /** When the run started, as an ISO 8601 string. */
  readonly startedAt?: string
  readonly executionMs?: number
  /** Stops the run and the judging. */
  readonly signal?: AbortSignal
}

/** `ContextExtras` for a run that the bridge itself starts and times. */
export interface RunExtras extends Omit<ContextExtras, 'startedAt' | 'executionMs'> {
  /** The time limit of the run in milliseconds. Default: no limit. */
  readonly timeoutMs?: number
}

/** Options for the interpretation of finish reasons. */
export interface FinishOptions {
  /** The status of an answer that a token limit cut. Default `'success'`, with the fact `truncated`. */
  readonly onTruncated?: 'success' | 'failed'
}

export type Rules<Options> = { readonly [name in keyof Required<Options>]: OptionRule }

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

/** Bridges add rules for their own extras. */
export const contextRules: Rules<ContextExtras> = {
  ...sharedRules,
  startedAt: option.string,
  executionMs: option.nonNegative,
}

export const runRules: Rules<RunExtras> = { ...sharedRules, timeoutMs: option.positive }

export const finishRules: Rules<FinishOptions> = { onTruncated: option.oneOf('success', 'failed') }

const workspaces = ['workspace', 'before', 'reference'] as const
type WorkspacePart = (typeof workspaces)[number]

/** Extras with paths of directories replaced by workspaces. */
export type OpenExtras<Extras> = Omit<Extras, WorkspacePart> & { readonly [part in WorkspacePart]?: Workspace }

/**
 * Opens the directories among the extras.
 *
 * @param where the function that was called, for the message
 * @param prefix the bridge's prefix, whose metadata keys are reserved; without one, only the key `bridge` is
 * @throws `option-invalid`, also without a goal; `metadata-reserved` for `bridge` and for keys that begin with the
 * prefix
 */
export function checkExtras<Extras extends Pick<ContextExtras, 'goal' | 'metadata' | WorkspacePart>>(
  where: string,
  prefix: string | undefined,
  extras: Extras,
  rules: Rules<Extras>,
): OpenExtras<Extras> {
  const checked = checkOptions(where, extras, rules)
  if (checked.goal === undefined) optionInvalid('goal', `${where}: "goal" is missing. Pass the task of the run.`)
  for (const key of Object.keys(checked.metadata ?? {}))
    if (key === 'bridge' || (prefix !== undefined && key.startsWith(`${prefix}.`)))
      throw new JuristError(
        'metadata-reserved',
        `${where}: the metadata key ${JSON.stringify(key)} is reserved for the bridge. Use another name.`,
        { key },
      )
  const opened = workspaces.flatMap((part) => {
    const given: WorkspaceInput | undefined = checked[part]
    return given === undefined ? [] : [[part, openedWorkspace(where, part, given)]]
  })
  return { ...checked, ...Object.fromEntries(opened) }
}
