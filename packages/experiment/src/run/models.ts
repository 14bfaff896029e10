import { type JsonObject, type Judge, JuristError, type Jury } from '@jurist/core'
import { type ModelInfo, modelsUsedBy } from '@jurist/core/internal'
import type { AgentOf, ExperimentOptions } from './experiment.js'

/** The callers of models: the agent, by the model that its task names, and the jury. */
interface ModelUsers {
  readonly agent?: AgentOf | undefined
  readonly model?: string | null
  readonly jury?: Jury | Judge | null
}

/** The names of the conditions that runs record of models. */
export const modelConditionNames = ['agentModels', 'judgeModels', 'modelPrices'] as const

type ModelConditions = { readonly [name in (typeof modelConditionNames)[number]]?: JsonObject }

/**
 * The conditions that a run records about configured models: the models of agents and judges, and their dated prices. Empty if
 * the config names no model.
 */
export function modelConditions({ agent, model, jury }: ModelUsers): ModelConditions {
  const ofAgent = agent === undefined ? [] : modelsUsedBy(agent, model ?? undefined)
  const ofJury = jury ? modelsUsedBy(jury) : []
  const priced = [...ofAgent, ...ofJury].filter(({ facts }) => facts['prices'] !== undefined)
  return {
    ...(ofAgent.length === 0 ? {} : { agentModels: byName(ofAgent, withoutPrices) }),
    ...(ofJury.length === 0 ? {} : { judgeModels: byName(ofJury, withoutPrices) }),
    ...(priced.length === 0 ? {} : { modelPrices: byName(priced, ({ prices = null }) => prices) }),
  }
}

function byName(infos: readonly ModelInfo[], part: (facts: JsonObject) => JsonObject[string]): JsonObject {
  return Object.fromEntries(infos.map(({ name, facts }) => [name, part(facts)]))
}

function withoutPrices({ prices: _, ...facts }: JsonObject): JsonObject {
  return facts
}

/**
 * Refuses to begin while the key of a model is missing that would be called.
 *
 * @throws `model-key-missing` naming each variable and its model
 */
export function refuseMissingKeys(users: readonly ModelUsers[]): void {
  const infos = users.flatMap(({ agent, model, jury }) => [
    ...(agent === undefined ? [] : modelsUsedBy(agent, model ?? undefined)),
    ...(jury ? modelsUsedBy(jury) : []),
  ])
  const missing = new Map<string, ModelInfo>()
  for (const info of infos) if (keyOf(info) === undefined) missing.set(info.name, info)
  if (missing.size > 0) throw missingKeys([...missing.values()])
}

/** The users of models in the variants of an experiment; without variants, in the experiment itself. */
export function modelUsersIn(experiment: ExperimentOptions, variants: readonly string[]): readonly ModelUsers[] {
  const { agent, model, jury = null } = experiment
  const own = { jury, agent, model }
  if (variants.length === 0) return [own]
  return variants.map((name) => {
    const overrides = experiment.variants?.[name]
    return {
      ...own,
      ...(overrides?.agent && { agent: overrides.agent }),
      ...(overrides?.model && { model: overrides.model }),
    }
  })
}

/** The key of a model: `''` when it needs none, `undefined` when its variable is not set or blank. */
function keyOf({ keyVariable }: Pick<ModelInfo, 'keyVariable'>): string | undefined {
  if (keyVariable === undefined) return ''
  return process.env[keyVariable]?.trim() || undefined
}

/** The error for models whose key variables are not set. */
export function missingKeys(models: readonly Pick<ModelInfo, 'name' | 'keyVariable'>[]): JuristError {
  const [first] = models
  const lines = models.map(({ name, keyVariable }) => `${keyVariable} is not set, and the model "${name}" needs it.`)
  const remedy = 'Set it in the environment, or in the file that "envFile" or --env-file names.'
  return new JuristError('model-key-missing', `${lines.join('\n')} ${remedy}`, {
    model: first?.name ?? '',
    variable: first?.keyVariable ?? '',
  })
}
