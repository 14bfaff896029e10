import type { Json, JsonObject } from '@jurist/core'
import { canonicalJson, sha256 } from '../dataset/hash.js'
import type { Isolation } from '../provision/provision.js'
import type { JuryDescription, KnowledgeManifest } from '../result/records.js'
import type { Settings } from './settings.js'

/** What the conditions of a run rest on beside its settings. */
export interface Surroundings {
  /** The hash of the selected items; `null` when they cannot be read. */
  readonly datasetHash: string | null
  readonly jury: JuryDescription | null
  readonly knowledge: KnowledgeManifest | null
  /** `undeclared`: whoever provides the workspaces does not say. */
  readonly isolation: Isolation | 'undeclared'
}

/**
 * What was measured under which conditions: two runs can be compared when these are equal. Further ones are those that the
 * experiment and its variant declare.
 */
export function conditionsOf(settings: Settings, surroundings: Surroundings): JsonObject {
  return Object.freeze({ ...settings.conditions, ...recorded(settings, surroundings) })
}

function recorded(settings: Settings, { datasetHash, jury, knowledge, isolation }: Surroundings) {
  const { attempts, baseMs, maxMs, jitter } = settings.retries
  return {
    dataset: datasetHash,
    jury: jury?.fingerprint ?? null,
    itemTimeoutMs: settings.itemTimeoutMs,
    judgeTimeoutMs: settings.judgeTimeoutMs,
    judgeFailedRuns: settings.judgeFailedRuns,
    retries: { attempts, baseMs, maxMs, jitter },
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
export const recordedConditions: ReadonlySet<string> = new Set(Object.keys(names))

/** The names of the variables that an agent is given, never their values. */
export function environmentNames({ allow = [], set = {} }: Settings['environment']): readonly string[] {
  return [...new Set([...allow, ...Object.keys(set)])].sort()
}

/** A hash over what the files hold, not over when they were taken. */
function knowledgeHash({ files }: KnowledgeManifest): string {
  return sha256(canonicalJson(files.map(({ path, sha256 }) => [path, sha256])))
}
