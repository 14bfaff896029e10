import { isPlainObject } from '@jurist/core/internal'
import type { ModelDescription } from '../config/model-description.js'

/** What a provider of promptfoo becomes: a model, an agent, or neither, and then the reason. */
export type MovedProvider = { readonly name: string } & (
  | { readonly model: ModelDescription }
  | { readonly agent: Readonly<Record<string, unknown>> }
  | { readonly problem: string }
)

type Fields = Readonly<Record<string, unknown>>

/** Servers with the protocol of OpenAI, by the first part of a provider's name. */
const servers: { readonly [provider: string]: Pick<ModelDescription, 'baseUrl' | 'apiKeyEnv'> } = {
  openai: { baseUrl: 'https://api.openai.com/v1', apiKeyEnv: 'OPENAI_API_KEY' },
  openrouter: { baseUrl: 'https://openrouter.ai/api/v1', apiKeyEnv: 'OPENROUTER_API_KEY' },
  groq: { baseUrl: 'https://api.groq.com/openai/v1', apiKeyEnv: 'GROQ_API_KEY' },
  deepseek: { baseUrl: 'https://api.deepseek.com/v1', apiKeyEnv: 'DEEPSEEK_API_KEY' },
  mistral: { baseUrl: 'https://api.mistral.ai/v1', apiKeyEnv: 'MISTRAL_API_KEY' },
  ollama: { baseUrl: 'http://localhost:11434/v1' },
}

/** The model or the agent that a provider becomes. */
export function movedProvider(given: unknown): MovedProvider {
  const { id, label, config } = partsOf(given)
  const name = nameOf(label ?? id)
  const [provider = '', ...rest] = id.split(':')
  if (id === 'echo') return { name, agent: { command: ['cat'] } }
  if (provider === 'exec') return { name, agent: { command: [...rest.join(':').split(/\s+/), '{{prompt}}'] } }
  const model = rest.filter((part) => part !== 'chat' && part !== 'messages').join(':')
  const isOther = /^(responses|embedding|embeddings|assistant|completion|realtime|image|moderation)$/.test(
    rest[0] ?? '',
  )
  const server = Object.hasOwn(servers, provider) ? servers[provider] : undefined
  if (model === '' || isOther || (server === undefined && provider !== 'anthropic'))
    return { name, problem: `the provider ${id} has no counterpart` }
  return { name, model: described(server, model, config) }
}

function described(
  server: Pick<ModelDescription, 'baseUrl' | 'apiKeyEnv'> | undefined,
  model: string,
  { apiBaseUrl, apiKeyEnvar, temperature, max_tokens: maxTokens }: Fields,
): ModelDescription {
  const options = {
    ...(typeof temperature === 'number' ? { temperature } : {}),
    ...(typeof maxTokens === 'number' ? { maxTokens } : {}),
  }
  return {
    provider: server === undefined ? 'anthropic' : 'openai-compatible',
    model,
    ...(server ?? { apiKeyEnv: 'ANTHROPIC_API_KEY' }),
    ...(typeof apiBaseUrl === 'string' ? { baseUrl: apiBaseUrl } : {}),
    ...(typeof apiKeyEnvar === 'string' ? { apiKeyEnv: apiKeyEnvar } : {}),
    ...(Object.keys(options).length === 0 ? {} : { options }),
  }
}

function partsOf(given: unknown): { readonly id: string; readonly label: string | undefined; readonly config: Fields } {
  if (!isPlainObject(given)) return { id: String(given), label: undefined, config: {} }
  // {'openai:gpt-…': {config: …}} is short for {id: 'openai:gpt-…', config: …}.
  const [[key = '', value] = []] = Object.entries(given)
  const whole = given.id === undefined && isPlainObject(value) ? { id: key, ...value } : given
  const { id = '', label, config } = whole as Fields
  return {
    id: String(id),
    label: typeof label === 'string' ? label : undefined,
    config: isPlainObject(config) ? config : {},
  }
}

/** A name for a config: letters, digits, `.`, `_` and `-`. */
export function nameOf(text: string): string {
  return (
    text
      .replace(/^file:\/\//, '')
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^[-.]+|[-.]+$/g, '')
      .slice(0, 64) || 'suite'
  )
}
