import { consensus, type Json, type JsonObject, type Judge, type Jury, juryOf } from '@jurist/core'
import { isJury } from '@jurist/core/internal'
import type { EnvironmentPolicy } from '@jurist/workspace'
import type { Dataset } from '../dataset/dataset.js'
import { canonicalJson, sha256 } from '../dataset/hash.js'
import type { ItemFilter } from '../dataset/item.js'
import type { EfficiencyOptions } from '../efficiency/efficiency.js'
import type { Knowledge } from '../provision/knowledge.js'
import type { Isolation } from '../provision/provision.js'
import type { JuryDescription, KnowledgeManifest } from '../result/records.js'
import type { DescribedJudges } from './described-judges.js'
import type { AgentOf, Budget, ExperimentOptions, Hooks, Preserve, Retries, VariantOverrides } from './experiment.js'
import { modelConditionNames, modelConditions } from './models.js'
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
    retries: { attempts, baseMs, maxMs, jitter, user, ...(isInfrastructure === undefined ? {} : { isInfrastructure }) },
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

/** The settings of a run as data: functions by name, no values of variables. */
export function configurationOf(settings: Settings, dataset: Dataset, provisionName: string): JsonObject {
  const { agent, jury, hooks, environment, knowledge, filter, efficiency, iteration, retries, ...others } = settings
  const { describedJudges: _, ...rest } = others
  const { isInfrastructure, ...delays } = retries
  return jsonOf({
    ...rest,
    // Infinity is not JSON.
    bailAfter: Number.isFinite(rest.bailAfter) ? rest.bailAfter : null,
    outageAfter: Number.isFinite(rest.outageAfter) ? rest.outageAfter : null,
    dataset: dataset.directory ?? dataset.name,
    agent: agent.name || 'agent',
    jury: jury === null ? null : jury.name || 'jury',
    hooks: Object.keys(hooks).sort(),
    provision: provisionName,
    environment: environmentNames(environment),
    knowledge,
    filter: filter ?? null,
    efficiency,
    iteration: iteration ?? null,
    retries: {
      ...delays,
      isInfrastructure: isInfrastructure === undefined ? null : isInfrastructure.name || 'function',
    },
  })
}

/** The value as JSON keeps it. */
function jsonOf(value: { readonly [key: string]: unknown }): JsonObject {
  return JSON.parse(JSON.stringify(value)) as { readonly [key: string]: Json }
}

/** What determines the conditions of a run beside its settings. */
export interface RunFacts {
  /** The hash of the selected items; `null` when they cannot be read. */
  readonly datasetHash: string | null
  readonly jury: JuryDescription | null
  readonly knowledge: KnowledgeManifest | null
  /** `undeclared`: the provision does not declare it. */
  readonly isolation: Isolation | 'undeclared'
}

/**
 * The conditions of a measurement: two runs can be compared if these are equal. The experiment and its variant may declare
 * further ones.
 */
export function conditionsOf(settings: Settings, facts: RunFacts): JsonObject {
  return Object.freeze({ ...settings.conditions, ...recorded(settings, facts), ...modelConditions(settings) })
}

function recorded(settings: Settings, { datasetHash, jury, knowledge, isolation }: RunFacts) {
  const { attempts, baseMs, maxMs, jitter, user } = settings.retries
  return {
    dataset: datasetHash,
    jury: jury?.fingerprint ?? null,
    itemTimeoutMs: settings.itemTimeoutMs,
    judgeTimeoutMs: settings.judgeTimeoutMs,
    judgeFailedRuns: settings.judgeFailedRuns,
    // Runs of an older Jurist do not have it.
    retries: { attempts, baseMs, maxMs, jitter, ...(user === 0 ? {} : { user }) },
    perItemUsd: settings.budget.perItemUsd ?? null,
    environment: environmentNames(settings.environment),
    isolation,
    model: settings.model,
    prompt: sha256(settings.prompt),
    systemPrompt: settings.systemPrompt === null ? null : sha256(settings.systemPrompt),
    agent: settings.agent.name || 'agent',
    knowledge: knowledge === null ? null : knowledgeHash(knowledge),
  } satisfies { readonly [name: string]: Json }
}

const names: { readonly [name in keyof ReturnType<typeof recorded>]: true } = {
  dataset: true,
  jury: true,
  itemTimeoutMs: true,
  judgeTimeoutMs: true,
  judgeFailedRuns: true,
  retries: true,
  perItemUsd: true,
  environment: true,
  isolation: true,
  model: true,
  prompt: true,
  systemPrompt: true,
  agent: true,
  knowledge: true,
}

/** The names of the conditions that every run records. */
export const recordedConditions: ReadonlySet<string> = new Set([...Object.keys(names), ...modelConditionNames])

/** The names of the agent's environment variables, never their values. */
function environmentNames({ allow = [], set = {} }: Settings['environment']): readonly string[] {
  return [...new Set([...allow, ...Object.keys(set)])].sort()
}

/** A hash over the contents of the files, not over their times. */
function knowledgeHash({ files }: KnowledgeManifest): string {
  return sha256(canonicalJson(files.map(({ path, sha256 }) => [path, sha256])))
}
