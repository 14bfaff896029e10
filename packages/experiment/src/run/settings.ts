import { consensus, type JsonObject, type Judge, type Jury, juryOf } from '@jurist/core'
import { isJury } from '@jurist/core/internal'
import { allowedVariables } from '@jurist/kit/environment'
import type { EnvironmentPolicy } from '@jurist/workspace'
import type { EfficiencyOptions } from '../efficiency.js'
import type { SpendingLimits } from '../result/spending.js'
import type { AgentOf, ExperimentOptions, Preserve, Retries, VariantOverrides } from './experiment.js'
import { storedOutputs } from './stored-outputs.js'

/** What applies where an option is not given. The other options have no default, or one that depends on something else. */
export const defaults = {
  itemJury: 'join',
  trustItems: false,
  prompt: '{{task}}',
  systemPrompt: null,
  model: null,
  itemTimeoutMs: 900_000,
  judgeTimeoutMs: 600_000,
  setupTimeoutMs: 300_000,
  experimentTimeoutMs: null,
  repetitions: 1,
  concurrency: 4,
  judgeFailedRuns: false,
  budget: {},
  knowledge: null,
  environment: {},
  baseline: null,
  journal: true,
  recordPrompts: true,
  hooks: {},
}

type Defaulted = {
  readonly [name in keyof typeof defaults]:
    | Exclude<ExperimentOptions[name], undefined>
    | ((typeof defaults)[name] & null)
}

const retryDefaults = { attempts: 3, baseMs: 1_000, maxMs: 60_000, jitter: true, user: 0 }

/** The options of one run: the experiment's, overridden by its variant's, with all defaults. */
export interface Settings
  extends Defaulted,
    Pick<ExperimentOptions, 'name' | 'describedJudges' | 'filter' | 'allowAbstain'> {
  readonly variant: string | null
  readonly agent: AgentOf
  readonly jury: Jury | null
  readonly judgeConcurrency: number
  readonly retries: typeof retryDefaults & Pick<Retries, 'isInfrastructure'>
  /** The number of trials that failed or decided nothing after which no further trial starts. */
  readonly bailAfter: number
  /** The number of infrastructure failures in a row after which no further trial starts. */
  readonly outageAfter: number
  /** `null`: the store's default. */
  readonly preserve: Preserve | null
  readonly conditions: JsonObject
  /** The conditions that the variant overrides: comparisons expect them to differ. */
  readonly variedConditions: readonly string[]
  readonly efficiency: EfficiencyOptions | null
  readonly projectDirectory: string
  readonly requireCleanGit: readonly string[] | null
  readonly metadata: JsonObject
  readonly iteration: VariantOverrides['iteration'] | null
}

/** The settings of a run of `variant`; the options have been checked. */
export function settingsOf(options: ExperimentOptions, variant: string | null): Settings {
  const overrides: VariantOverrides = variant === null ? {} : (options.variants?.[variant] ?? {})
  const chosen = filled(defaults, overrides, options) as Defaulted
  const { retries = {}, bail = false, maxInfrastructureFailures: outage = 5, requireCleanGit: clean = false } = options
  return {
    ...chosen,
    name: options.name,
    variant,
    agent: overrides.agent ?? options.agent ?? storedOutputs(),
    jury: options.jury === undefined ? null : juryOfOne(options.jury),
    describedJudges: options.describedJudges,
    filter: options.filter,
    judgeConcurrency: options.judgeConcurrency ?? chosen.concurrency,
    retries: { ...filled(retryDefaults, retries), isInfrastructure: retries.isInfrastructure },
    bailAfter: bail === false ? Number.POSITIVE_INFINITY : Number(bail),
    outageAfter: outage === false ? Number.POSITIVE_INFINITY : outage,
    preserve: options.preserveWorkspaces ?? null,
    allowAbstain: options.allowAbstain,
    conditions: { ...options.conditions, ...overrides.conditions },
    variedConditions: Object.keys(overrides.conditions ?? {}).sort(),
    efficiency: options.efficiency || null,
    projectDirectory: options.projectDirectory ?? process.cwd(),
    requireCleanGit: clean === true ? ['.'] : clean || null,
    metadata: { ...options.metadata, ...overrides.metadata },
    iteration: overrides.iteration ?? null,
  }
}

/** The defaults, but for what the first of some sources gives. */
function filled<Defaults extends object>(standard: Defaults, ...sources: readonly object[]): Defaults {
  const given = (name: string) =>
    sources.map((source) => Reflect.get(source, name)).find((value) => value !== undefined)
  return Object.fromEntries(Object.entries(standard).map(([name, value]) => [name, given(name) ?? value])) as Defaults
}

/** The jury itself, or a judge as a jury of one. */
export function juryOfOne(jury: Jury | Judge): Jury {
  if (isJury(jury)) return jury
  return juryOf(consensus(), jury)
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
