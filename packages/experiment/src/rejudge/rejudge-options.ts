import {
  type AskThrough,
  cascade,
  type JudgmentContext,
  JuristError,
  type Jury,
  type Tiers,
  type Verdict,
} from '@jurist/core'
import { abortSignal, type OptionRule, option, type TierOutcome } from '@jurist/core/internal'
import type { Provision } from '../provision/provision.js'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import type { Reporter } from '../run/events.js'
import type { DescribedJudges, Hooks } from '../run/experiment.js'
import { isStoreOrPath } from '../run/experiment-options.js'
import { itemJuryChoices } from '../run/settings.js'
import type { ResultStore } from '../store/store.js'

/** Makes the context in which a stored trial is judged again, or returns the reason why that is impossible. */
export type RejudgeContext = (
  item: ItemResult,
  run: ExperimentResult,
  signal: AbortSignal,
) => JudgmentContext | SkipReason | Promise<JudgmentContext | SkipReason>

/** Why a stored trial is not judged again. */
export interface SkipReason {
  readonly skip:
    | 'agent-not-completed'
    | 'no-detail'
    | 'not-an-agent-run'
    | 'workspace-missing'
    | 'before-changed'
    | 'reference-missing'
    | 'other'
  readonly message: string
}

/**
 * How judges see a kept workspace. `copy`: a fresh copy, so that their commands do not change the kept one; `in-place`:
 * the kept one, which is read and in which commands run; `none`: an empty one.
 */
export type StoredWorkspaces = 'copy' | 'in-place' | 'none'

/** How a stored run is judged again. */
export interface RejudgeOptions {
  /** Where the run is found by its id, and where the new one goes. Default `memoryStore()`; a string is the directory of a `fileStore`. */
  readonly store?: ResultStore | string
  /** Default `storedContext()` over the results directory of the store. */
  readonly context?: RejudgeContext
  /** Only for a cascade: names of its tiers to run, in its order; the last one decides. Default: all, unchanged. */
  readonly tiers?: readonly string[]
  /** Which trials. Default: all. */
  readonly filter?: (item: ItemResult) => boolean
  /** Whether trials whose agent timed out or failed are judged too. Default: as in the run. */
  readonly judgeFailedRuns?: boolean
  /** Default `copy`. */
  readonly workspaces?: StoredWorkspaces
  /** How the judges of items apply: `join` the jury, judge `first`, or `replace` it. Default: as in the run. */
  readonly itemJury?: 'join' | 'first' | 'replace'
  /** Makes the judges that items describe, as in an experiment. Default: none; a run whose items describe judges is refused. */
  readonly describedJudges?: DescribedJudges
  /** Whether the judges of items may load modules and run commands, as in an experiment. Default `false`. */
  readonly trustItems?: boolean
  /** The provision of the run's workspaces, as for `storedContext`. Default: unknown. */
  readonly provision?: Provision
  /**
   * The directory of the dataset, for paths in the judges of items and for their `tests.lock.json`. Default: unknown; judges
   * with paths are refused.
   */
  readonly datasetDirectory?: string
  readonly beforeJury?: Hooks['beforeJury']
  /** Replaces the models that judges ask, as in an experiment. Default: they ask their own. */
  readonly askThrough?: AskThrough
  /** Juries that run concurrently. Default 4. */
  readonly concurrency?: number
  /** Milliseconds for the whole jury of one trial. Default: as in the run, else 600,000. */
  readonly judgeTimeoutMs?: number
  /** Whether the store keeps the new run. Default `true`. */
  readonly save?: boolean
  /** Cancels when it fires. */
  readonly signal?: AbortSignal
  readonly onEvent?: Reporter
}

const workspaces = option.oneOf('copy', 'in-place', 'none')

export const rejudgeRules: { readonly [name in keyof Required<RejudgeOptions>]: OptionRule } = {
  store: { wants: 'a result store or the path of a directory', holds: isStoreOrPath },
  context: option.function,
  tiers: option.strings,
  filter: option.function,
  judgeFailedRuns: option.boolean,
  workspaces,
  itemJury: option.oneOf(...itemJuryChoices),
  describedJudges: option.function,
  trustItems: option.boolean,
  provision: option.function,
  datasetDirectory: option.string,
  beforeJury: option.function,
  askThrough: option.function,
  concurrency: option.integer(1),
  judgeTimeoutMs: option.positive,
  save: option.boolean,
  signal: abortSignal,
  onEvent: option.function,
}

type StoredContextName = 'resultsDirectory' | 'workspaces' | 'provision' | 'datasetDirectory'

export const storedContextRules: { readonly [name in StoredContextName]: OptionRule } = {
  resultsDirectory: option.string,
  workspaces,
  provision: option.function,
  datasetDirectory: option.string,
}

/** A cascade with only some of its tiers. */
export interface ChosenTiers {
  readonly jury: Jury
  /** The whole verdict: the tiers that ran, and the stored outcome of the others. */
  merge(stored: Verdict | null, verdict: Verdict): Verdict
}

/**
 * The cascade of the chosen tiers, in its own order; the last of them decides.
 *
 * @throws `tier-unknown` for the first unknown name
 */
export function chosenTiers(jury: Jury, names: readonly string[]): ChosenTiers {
  const { tiers = [] } = jury.parts ?? {}
  const known = tiers.map(({ name }) => name)
  for (const name of names.length === 0 ? [''] : names) if (!known.includes(name)) refuse(name, known)
  const chosen = tiers.filter(({ name }) => names.includes(name))
  const last = chosen.at(-1)
  const made = chosen.map((tier) => {
    return tier === last ? { name: tier.name, jury: tier.jury, policy: 'final' as const } : tier
  })
  return { jury: cascade(made as unknown as Tiers), merge: (stored, verdict) => merged(known, stored, verdict) }
}

/** Combines two verdicts: tiers that did not run keep their stored outcome, whose cost is not counted again. */
function merged(names: readonly string[], stored: Verdict | null, verdict: Verdict): Verdict {
  const ran = byName(verdict)
  const before = stored === null ? new Map<string, TierOutcome>() : byName(stored)
  const tiers = names.flatMap((name) => ran.get(name) ?? before.get(name) ?? [])
  const subVerdicts = names.flatMap((name) => {
    const source = ran.has(name) ? verdict : stored
    const tier = source?.subVerdicts[name]
    return tier === undefined ? [] : [[name, tier] as const]
  })
  return { ...verdict, tiers, subVerdicts: Object.fromEntries(subVerdicts) }
}

function byName({ tiers = [] }: Verdict): ReadonlyMap<string, TierOutcome> {
  return new Map(tiers.map((tier) => [tier.name, tier]))
}

function refuse(tier: string, known: readonly string[]): never {
  const message =
    known.length === 0
      ? 'The jury has no tiers: leave "tiers" out, or judge with a cascade.'
      : `The cascade has no tier "${tier}". Its tiers are ${known.join(', ')}.`
  throw new JuristError('tier-unknown', message, { tier, known })
}
