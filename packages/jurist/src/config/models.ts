import type { JsonObject } from '@jurist/core'
import type { Embed } from '@jurist/core/answers'
import { giveInfo, isPlainObject, type ModelInfo, optionInvalid, printed } from '@jurist/core/internal'
import type { JudgeModel, ModelOptions } from '@jurist/core/llm'
import { missingKeys } from '@jurist/experiment/internal/config'
import { nearestOrAll } from '@jurist/kit/did-you-mean'
import type { ModelDescription } from './model-description.js'
import { modelIssues } from './model-schema.js'

const name = 'embed'

/**
 * Returns the embedding model that an option of a config describes, in the form of `models`, behind an
 * OpenAI-compatible server.
 *
 * @throws `option-invalid` with every problem
 */
export function embedFrom(value: unknown): Embed {
  if (!isPlainObject(value)) return refuse(`must describe a model (got ${printed(value)})`)
  checkModel(name, value)
  const { structured, ...settings } = settingsOf(name, value as unknown as ModelDescription)
  if (value['provider'] !== 'openai-compatible') return refuse('must have the provider "openai-compatible"')
  if (structured !== undefined || value['options'] !== undefined)
    return refuse('has no "structured" and no "options": there is no answer to form')
  let made: Promise<Embed> | undefined
  const embed: Embed = async (texts, signal) => {
    made ??= import('@jurist/bridges/openai-compatible').then((door) => door.openAiCompatibleEmbeddings(settings))
    return (await made)(texts, signal)
  }
  return giveInfo(embed, { options: { provider: value['provider'], model: value['model'] } })
}

function refuse(problem: string): never {
  optionInvalid('embed', `similarTo: "embed" ${problem}.`)
}

/**
 * Creates the models of a config as functions by name, for judges (`criteria({ model: models.fast, … })`) and agents
 * (`modelAgent(models.strong)`). No server is contacted and no key is read until a model is called.
 *
 * @throws `option-invalid` with every problem of the descriptions
 *
 * @example
 * import { defineConfig, defineModels } from 'jurist'
 * import { criteria, modelAgent } from 'jurist/llm'
 *
 * const models = defineModels({
 *   fast: {
 *     provider: 'openai-compatible',
 *     baseUrl: 'https://api.openai.com/v1',
 *     model: 'gpt-5-mini',
 *     apiKeyEnv: 'OPENAI_API_KEY',
 *     prices: { inputUsdPerMillion: 0.25, outputUsdPerMillion: 2, asOf: '2026-11-01' },
 *   },
 * })
 *
 * export default defineConfig({
 *   models,
 *   experiments: {
 *     greetings: {
 *       dataset: 'dataset',
 *       agent: modelAgent(models.fast, { system: 'You greet people.' }),
 *       jury: criteria({ model: models.fast, criterion: 'The greeting is polite.' }),
 *     },
 *   },
 * })
 */
export function defineModels<const Name extends string>(
  models: Readonly<Record<Name, ModelDescription>>,
): Readonly<Record<Name, JudgeModel>> {
  const named = Object.entries<ModelDescription>(models).map(([name, description]) => [
    name,
    modelOf(name, description),
  ])
  return Object.freeze(Object.fromEntries(named)) as Readonly<Record<Name, JudgeModel>>
}

/**
 * Creates the model of a description.
 *
 * @param name for messages and records
 * @throws `option-invalid` with every problem
 */
export function modelOf(name: string, description: unknown): JudgeModel {
  checkModel(name, description)
  return describedModel(name, description as ModelDescription)
}

/** Throws `option-invalid` with every problem of a description. */
function checkModel(name: string, description: unknown): void {
  const issues = modelIssues(description)
  if (issues.length === 0) return
  const lines = issues.map(({ keys, problem, remedy }) => `${keys.join('.')} ${problem}. ${remedy ?? ''}`.trim())
  optionInvalid('models', `The model ${printed(name)}: ${lines.join(' ')}`)
}

/**
 * Returns the model that an option of a config refers to: a name in `models`, or a description.
 *
 * @throws `option-invalid`
 */
export function modelFrom(value: unknown, models: Readonly<Record<string, unknown>>): JudgeModel {
  if (typeof value === 'function') return value as JudgeModel
  if (isPlainObject(value)) return modelOf(typeof value['model'] === 'string' ? value['model'] : 'model', value)
  const found = typeof value === 'string' && Object.hasOwn(models, value) ? models[value] : undefined
  if (typeof found === 'function') return found as JudgeModel
  const known = Object.keys(models)
  const remedy = known.length === 0 ? 'Add it to "models".' : nearestOrAll(String(value), known)
  optionInvalid('model', `unknown model ${printed(value)}. ${remedy}`)
}

function describedModel(name: string, description: ModelDescription): JudgeModel {
  const { apiKeyEnv, options } = description
  let made: Promise<Made> | undefined
  const model: JudgeModel = async (request) => {
    made ??= bothOf(name, description)
    const { priced, plain } = await made
    const { model: other } = request.options
    // The prices apply only to the described model.
    const asked = other === undefined || other === description.model ? priced : plain
    return asked({ ...request, options: { ...options, ...request.options } })
  }
  return giveInfo(Object.defineProperty(model, 'name', { value: name }), {
    name,
    facts: factsOf(description),
    keyVariable: apiKeyEnv,
  } satisfies ModelInfo)
}

interface Made {
  readonly priced: JudgeModel
  readonly plain: JudgeModel
}

async function bothOf(name: string, description: ModelDescription): Promise<Made> {
  const { prices, ...given } = settingsOf(name, description)
  const make = await factoryOf(description.provider)
  const plain = make(given)
  return { priced: prices === undefined ? plain : make({ ...given, prices }), plain }
}

/** Converts a description to the options of its provider's factory, except those of a request. */
function settingsOf(name: string, description: ModelDescription): ModelSettings {
  const { provider: _, apiKeyEnv, prices, options: __, ...rest } = description
  return {
    ...rest,
    ...(apiKeyEnv === undefined ? {} : { apiKey: () => keyIn(name, apiKeyEnv) }),
    ...(prices === undefined ? {} : { prices: { '*': priceOf(prices) } }),
  }
}

interface ModelSettings extends Pick<ModelDescription, 'model' | 'baseUrl' | 'body' | 'structured'> {
  readonly apiKey?: () => string
  readonly prices?: { readonly '*': ReturnType<typeof priceOf> }
}

function priceOf(prices: NonNullable<ModelDescription['prices']>) {
  const { inputUsdPerMillion, outputUsdPerMillion, cacheReadUsdPerMillion, cacheWriteUsdPerMillion } = prices
  return {
    inputPerMillion: inputUsdPerMillion,
    outputPerMillion: outputUsdPerMillion,
    cacheReadPerMillion: cacheReadUsdPerMillion,
    cacheWritePerMillion: cacheWriteUsdPerMillion,
  }
}

type MakeModel = (options: object) => JudgeModel

async function factoryOf(provider: ModelDescription['provider']): Promise<MakeModel> {
  switch (provider) {
    case 'openai-compatible':
      return (await import('@jurist/bridges/openai-compatible')).openAiCompatibleModel as MakeModel
    case 'anthropic':
      return (await import('@jurist/bridges/anthropic')).anthropicModel as MakeModel
    default:
      return provider satisfies never
  }
}

function keyIn(name: string, variable: string): string {
  const key = process.env[variable]
  if (key !== undefined && key.trim() !== '') return key.trim()
  throw missingKeys([{ name, keyVariable: variable }])
}

/** The facts about a model that a run records. The query of a URL may contain a secret, so it is left out. */
function factsOf({ provider, model, baseUrl, prices, options }: ModelDescription): JsonObject {
  const address = baseUrl === undefined ? undefined : new URL(baseUrl)
  return {
    provider,
    model,
    ...(address === undefined ? {} : { baseUrl: `${address.origin}${address.pathname}`.replace(/\/$/, '') }),
    ...(options === undefined ? {} : { options: { ...(options satisfies ModelOptions) } as JsonObject }),
    ...(prices === undefined ? {} : { prices: { ...prices } }),
  }
}
