import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Json, JsonObject } from '@jurist/core'
import type { Dataset } from '../dataset/dataset.js'
import { canonicalJson, sha256 } from '../dataset/hash.js'
import type { Isolation } from '../provision/provision.js'
import type { JuryDescription, KnowledgeManifest, RunRecord } from '../result/records.js'
import { modelConditionNames, modelConditions } from './models.js'
import type { Settings } from './settings.js'

/** The settings of a run as data: functions by name, no values of variables. */
export function configurationOf(settings: Settings, dataset: Dataset, provisionName: string): JsonObject {
  const { agent, jury, hooks, environment, knowledge, filter, efficiency, iteration, retries, ...others } = settings
  const { describedJudges: _, ...rest } = others
  const { isInfrastructure, ...delays } = retries
  const configuration = {
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
  }
  return JSON.parse(JSON.stringify(configuration)) as JsonObject
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
  const own = Object.entries(recorded).map(([name, read]) => [name, read(settings, facts)])
  return Object.freeze({ ...settings.conditions, ...Object.fromEntries(own), ...modelConditions(settings) })
}

/** The conditions that every run records, but for those of its models. */
const recorded: { readonly [name: string]: (settings: Settings, facts: RunFacts) => Json } = {
  dataset: (_, { datasetHash }) => datasetHash,
  jury: (_, { jury }) => jury?.fingerprint ?? null,
  itemTimeoutMs: ({ itemTimeoutMs }) => itemTimeoutMs,
  judgeTimeoutMs: ({ judgeTimeoutMs }) => judgeTimeoutMs,
  judgeFailedRuns: ({ judgeFailedRuns }) => judgeFailedRuns,
  // Runs of an older Jurist have no `user`.
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
export const recordedConditions: ReadonlySet<string> = new Set([...Object.keys(recorded), ...modelConditionNames])

/** The names of the agent's environment variables, never their values. */
function environmentNames({ allow = [], set = {} }: Settings['environment']): readonly string[] {
  return [...new Set([...allow, ...Object.keys(set)])].sort()
}

/** A hash over the contents of the files, not over their times. */
function knowledgeHash({ files }: KnowledgeManifest): string {
  return sha256(canonicalJson(files.map(({ path, sha256 }) => [path, sha256])))
}

/** The machine and the version that a run uses. */
export function hostEnvironment(): RunRecord['environment'] {
  const { version, platform, arch, env } = process
  const ci = !['', '0', 'false'].includes(env['CI']?.toLowerCase() ?? '')
  return Object.freeze({ node: version, platform, arch, jurist: ownVersion(), ci })
}

function ownVersion(): string {
  // Resolved by name: the build decides where this file is in the package.
  const path = createRequire(import.meta.url).resolve('@jurist/experiment/package.json')
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string }
  return version
}
