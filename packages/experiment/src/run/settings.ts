import { consensus, type JsonObject, type Judge, type Jury, juryOf } from '@jurist/core'
import { isJury } from '@jurist/core/internal'
import { allowedVariables } from '@jurist/kit/environment'
import type { EnvironmentPolicy } from '@jurist/workspace'
import type { ItemFilter } from '../dataset/item.js'
import type { EfficiencyOptions } from '../efficiency.js'
import type { Knowledge } from '../provision/knowledge.js'
import type { SpendingLimits } from '../result/spending.js'
import type { AllowAbstain } from '../result/undecided-judges.js'
import type {
  AgentOf,
  Budget,
  DescribedJudges,
  ExperimentOptions,
  Hooks,
  Preserve,
  Retries,
  VariantOverrides,
} from './experiment.js'
import { defaultTemplate } from './prompt.js'
import { storedOutputs } from './stored-outputs.js'

/** The options of one run: the experiment's, overridden by its variant's, with all defaults. */
export interface Settings {
  readonly name: string
  readonly variant: string | null
  readonly agent: AgentOf
  readonly jury: Jury | null
  readonly itemJury: 'join' | 'replace'
  readonly trustItems: boolean
  readonly describedJudges: DescribedJudges | undefined
  readonly prompt: string
  readonly systemPrompt: string | null
  readonly model: string | null
  readonly itemTimeoutMs: number
  readonly judgeTimeoutMs: number
  readonly setupTimeoutMs: number
  readonly experimentTimeoutMs: number | null
  readonly filter: ItemFilter | undefined
  readonly repetitions: number
  readonly concurrency: number
  readonly judgeConcurrency: number
  readonly judgeFailedRuns: boolean
  readonly retries: Required<Omit<Retries, 'isInfrastructure'>> & Pick<Retries, 'isInfrastructure'>
  readonly budget: Budget
  /** The number of trials that failed or decided nothing after which no further trial starts. */
  readonly bailAfter: number
  /** The number of infrastructure failures in a row after which no further trial starts. */
  readonly outageAfter: number
  /** `null`: the store's default. */
  readonly preserve: Preserve | null
  readonly knowledge: Knowledge | null
  readonly environment: EnvironmentPolicy
  readonly baseline: string | null
  readonly allowAbstain: AllowAbstain | undefined
  readonly conditions: JsonObject
  /** The conditions that the variant overrides: comparisons expect them to differ. */
  readonly variedConditions: readonly string[]
  readonly efficiency: EfficiencyOptions | null
  readonly journal: boolean
  readonly recordPrompts: boolean
  readonly projectDirectory: string
  readonly requireCleanGit: readonly string[] | null
  readonly metadata: JsonObject
  readonly iteration: VariantOverrides['iteration'] | null
  readonly hooks: Hooks
}

/** The settings of a run of `variant`; the options have been checked. */
export function settingsOf(options: ExperimentOptions, variant: string | null): Settings {
  const overrides: VariantOverrides = variant === null ? {} : (options.variants?.[variant] ?? {})
  const { concurrency = 4 } = options
  return {
    name: options.name,
    variant,
    ...limitsOf(options),
    agent: overrides.agent ?? options.agent ?? storedOutputs(),
    jury: options.jury === undefined ? null : juryOfOne(options.jury),
    itemJury: options.itemJury ?? 'join',
    trustItems: options.trustItems ?? false,
    describedJudges: options.describedJudges,
    prompt: overrides.prompt ?? options.prompt ?? defaultTemplate,
    systemPrompt: overrides.systemPrompt ?? options.systemPrompt ?? null,
    model: overrides.model ?? options.model ?? null,
    filter: options.filter,
    repetitions: options.repetitions ?? 1,
    concurrency,
    judgeConcurrency: options.judgeConcurrency ?? concurrency,
    judgeFailedRuns: options.judgeFailedRuns ?? false,
    preserve: options.preserveWorkspaces ?? null,
    knowledge: overrides.knowledge ?? options.knowledge ?? null,
    environment: overrides.environment ?? options.environment ?? {},
    baseline: options.baseline ?? null,
    allowAbstain: options.allowAbstain,
    conditions: { ...options.conditions, ...overrides.conditions },
    variedConditions: Object.keys(overrides.conditions ?? {}).sort(),
    efficiency: options.efficiency === false ? null : (options.efficiency ?? null),
    journal: options.journal ?? true,
    recordPrompts: options.recordPrompts ?? true,
    projectDirectory: options.projectDirectory ?? process.cwd(),
    requireCleanGit: pathsToBeClean(options.requireCleanGit),
    metadata: { ...options.metadata, ...overrides.metadata },
    iteration: overrides.iteration ?? null,
    hooks: options.hooks ?? {},
  }
}

type Limits = Pick<
  Settings,
  | 'itemTimeoutMs'
  | 'judgeTimeoutMs'
  | 'setupTimeoutMs'
  | 'experimentTimeoutMs'
  | 'retries'
  | 'budget'
  | 'bailAfter'
  | 'outageAfter'
>

function limitsOf(options: ExperimentOptions): Limits {
  const {
    attempts = 3,
    baseMs = 1_000,
    maxMs = 60_000,
    jitter = true,
    user = 0,
    isInfrastructure,
  } = options.retries ?? {}
  const { bail = false, maxInfrastructureFailures: outage = 5 } = options
  return {
    itemTimeoutMs: options.itemTimeoutMs ?? 900_000,
    judgeTimeoutMs: options.judgeTimeoutMs ?? 600_000,
    setupTimeoutMs: options.setupTimeoutMs ?? 300_000,
    experimentTimeoutMs: options.experimentTimeoutMs ?? null,
    retries: { attempts, baseMs, maxMs, jitter, user, isInfrastructure },
    budget: options.budget ?? {},
    bailAfter: bail === false ? Number.POSITIVE_INFINITY : bail === true ? 1 : bail,
    outageAfter: outage === false ? Number.POSITIVE_INFINITY : outage,
  }
}

/** The jury itself, or a judge as a jury of one. */
export function juryOfOne(jury: Jury | Judge): Jury {
  if (isJury(jury)) return jury
  return juryOf(consensus(), jury)
}

function pathsToBeClean(required: ExperimentOptions['requireCleanGit']): readonly string[] | null {
  if (required === undefined || required === false) return null
  return required === true ? ['.'] : required
}

/** The variables of the host that a policy allows by name (a `*` at the end stands for any ending), and those it sets. */
export function agentVariables(
  { allow = [], set = {} }: EnvironmentPolicy,
  host: Readonly<Record<string, string | undefined>> = process.env,
): { readonly [name: string]: string } {
  return Object.freeze({ ...allowedVariables(allow, host), ...set })
}

/** What the settings say of the limits of a run. */
export function spendingLimits({
  budget,
  bailAfter,
  outageAfter,
}: Pick<Settings, 'budget' | 'bailAfter' | 'outageAfter'>): SpendingLimits {
  const { usd, tokens, includeJudges = true } = budget
  const finite = (count: number) => (Number.isFinite(count) ? count : null)
  return {
    ...{ usd: usd ?? null, tokens: tokens ?? null, includeJudges },
    ...{ bailAfter: finite(bailAfter), outageAfter: finite(outageAfter) },
  }
}
