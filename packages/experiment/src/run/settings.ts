import { consensus, type Json, type JsonObject, type Judge, type Jury, juryOf } from '@jurist/core'
import { isJury } from '@jurist/core/internal'
import { allowedVariables } from '@jurist/kit/environment'
import type { EnvironmentPolicy } from '@jurist/workspace'
import type { Dataset } from '../dataset/dataset.js'
import { canonicalJson, sha256 } from '../dataset/hash.js'
import type { EfficiencyOptions } from '../efficiency.js'
import type { Isolation, Provision } from '../provision/provision.js'
import type { JuryDescription, KnowledgeManifest } from '../result/records.js'
import type { SpendingLimits } from '../result/spending.js'
import type { AgentOf, ExperimentOptions, Preserve, Retries, VariantOverrides } from './experiment.js'
import { modelConditionNames, modelConditions } from './models.js'
import { storedOutputs } from './stored-outputs.js'

export const itemJuryChoices = ['join', 'first', 'replace'] as const
/** How the judges of an item and the jury of its experiment decide together. */
export type ItemJury = (typeof itemJuryChoices)[number]

/** Defaults of the options. Options that are missing here have no default, or one that depends on other options. */
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
    Pick<ExperimentOptions, 'name' | 'describedJudges' | 'filter' | 'allowAbstain' | 'askThrough'> {
  readonly variant: string | null
  readonly agent: AgentOf
  readonly jury: Jury | null
  readonly judgeConcurrency: number
  readonly retries: typeof retryDefaults & Pick<Retries, 'isInfrastructure'>
  /** The number of trials that failed or decided nothing after which no further trial starts; `null`: no limit. */
  readonly bailAfter: number | null
  /** The number of infrastructure failures in a row after which no further trial starts; `null`: no limit. */
  readonly outageAfter: number | null
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
    bailAfter: bail === false ? null : Number(bail),
    outageAfter: outage === false ? null : outage,
    preserve: options.preserveWorkspaces ?? null,
    allowAbstain: options.allowAbstain,
    askThrough: options.askThrough,
    conditions: { ...options.conditions, ...overrides.conditions },
    variedConditions: Object.keys(overrides.conditions ?? {}).sort(),
    efficiency: options.efficiency || null,
    projectDirectory: options.projectDirectory ?? process.cwd(),
    requireCleanGit: clean === true ? ['.'] : clean || null,
    metadata: { ...options.metadata, ...overrides.metadata },
    iteration: overrides.iteration ?? null,
  }
}

/** Fills in the defaults: for each option the value of the first source that has one. */
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

/** The spending limits among the settings. */
export function spendingLimits(settings: Pick<Settings, 'budget' | 'bailAfter' | 'outageAfter'>): SpendingLimits {
  const { budget, bailAfter, outageAfter } = settings
  const { usd = null, tokens = null, includeJudges = true } = budget
  return { usd, tokens, includeJudges, bailAfter, outageAfter }
}

/** The settings of a run as data: functions by name, no values of variables. */
export function configurationOf(settings: Settings, dataset: Dataset, provisionName: string): JsonObject {
  const { agent, jury, hooks, environment, filter, retries } = settings
  const { isInfrastructure } = retries
  const configuration = {
    ...settings,
    dataset: dataset.directory ?? dataset.name,
    agent: agent.name || 'agent',
    jury: jury === null ? null : jury.name || 'jury',
    hooks: Object.keys(hooks).sort(),
    provision: provisionName,
    environment: environmentNames(environment),
    filter: filter ?? null,
    retries: {
      ...retries,
      isInfrastructure: isInfrastructure === undefined ? null : isInfrastructure.name || 'function',
    },
  }
  return JSON.parse(JSON.stringify(configuration)) as JsonObject
}

/** The settings that a run was planned with elsewhere, as far as they are data that flags of the command may change. */
export function settingsAsPlanned(settings: Settings, configuration: JsonObject): Settings {
  const given = configuration as Partial<Settings>
  const kept = plannedSettings.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]] as const]))
  // Stored retries name their function, which only the config has.
  const { isInfrastructure } = settings.retries
  return {
    ...settings,
    ...Object.fromEntries(kept),
    retries: { ...settings.retries, ...given.retries, isInfrastructure },
    jury: given.jury === null ? null : settings.jury,
  }
}

const plannedSettings = [
  'itemTimeoutMs',
  'judgeTimeoutMs',
  'setupTimeoutMs',
  'judgeFailedRuns',
  'budget',
  'preserve',
  'journal',
  'recordPrompts',
] as const satisfies readonly (keyof Settings)[]

/** Facts other than settings that determine the conditions of a run. */
export interface RunFacts {
  /** The hash of the selected items; `null` when they cannot be read. */
  readonly datasetHash: string | null
  readonly jury: JuryDescription | null
  readonly knowledge: KnowledgeManifest | null
  /** `undeclared`: the provision does not declare it. */
  readonly isolation: Isolation | 'undeclared'
  /** `null`: no allow-list of hosts. */
  readonly network: NonNullable<Provision['network']> | null
}

/**
 * The conditions of a measurement: two runs can be compared if these are equal. The experiment and its variant may declare
 * further ones.
 */
export function conditionsOf(settings: Settings, facts: RunFacts): JsonObject {
  const own = Object.entries(recorded).map(([name, read]) => [name, read(settings, facts)])
  return Object.freeze({
    ...settings.conditions,
    ...Object.fromEntries(own),
    ...networkCondition(facts),
    ...modelConditions(settings),
  })
}

/** Absent without an allow-list, as in runs of older versions. */
function networkCondition({ network }: RunFacts): JsonObject {
  if (network === null) return {}
  const { hosts, unsandboxedAgent } = network
  return { network: unsandboxedAgent ? [...hosts, '(the agent runs outside)'] : hosts }
}

/** The conditions that every run records, but for those of its models. */
const recorded: { readonly [name: string]: (settings: Settings, facts: RunFacts) => Json } = {
  dataset: (_, { datasetHash }) => datasetHash,
  jury: (_, { jury }) => jury?.fingerprint ?? null,
  itemTimeoutMs: ({ itemTimeoutMs }) => itemTimeoutMs,
  judgeTimeoutMs: ({ judgeTimeoutMs }) => judgeTimeoutMs,
  judgeFailedRuns: ({ judgeFailedRuns }) => judgeFailedRuns,
  // Runs of older versions lack `user`.
  retries: ({ retries: { isInfrastructure: _, user, ...delays } }) => ({ ...delays, ...(user === 0 ? {} : { user }) }),
  perItemUsd: ({ budget }) => budget.perItemUsd ?? null,
  environment: ({ environment }) => environmentNames(environment),
  isolation: (_, { isolation }) => isolation,
  model: ({ model }) => model,
  prompt: ({ prompt }) => sha256(prompt),
  systemPrompt: ({ systemPrompt }) => (systemPrompt === null ? null : sha256(systemPrompt)),
  agent: ({ agent }) => agent.name || 'agent',
  knowledge: (_, { knowledge }) => (knowledge === null ? null : knowledgeHash(knowledge)),
}

/** The names of the conditions that every run records. */
export const recordedConditions: ReadonlySet<string> = new Set([
  ...Object.keys(recorded),
  'network',
  ...modelConditionNames,
])

/** The names of the agent's environment variables, never their values. */
function environmentNames({ allow = [], set = {} }: Settings['environment']): readonly string[] {
  return [...new Set([...allow, ...Object.keys(set)])].sort()
}

/** A hash over the contents of the files, not over their times. */
function knowledgeHash({ files }: KnowledgeManifest): string {
  return sha256(canonicalJson(files.map(({ path, sha256 }) => [path, sha256])))
}
