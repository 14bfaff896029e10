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

/** The machine and the version that a run uses. */
export function hostEnvironment(): RunRecord['environment'] {
  const { version, platform, arch, env } = process
  return Object.freeze({ node: version, platform, arch, jurist: ownVersion(), ci: isSet(env['CI']) })
}

function ownVersion(): string {
  // Resolved by name: the build decides where this file is in the package.
  const path = createRequire(import.meta.url).resolve('@jurist/experiment/package.json')
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string }
  return version
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0' && value.toLowerCase() !== 'false'
}
