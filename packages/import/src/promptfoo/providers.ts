import { isPlainObject } from '@jurist/core/internal'

/** A model of a config. */
interface ModelDescription {
  readonly provider: 'openai-compatible' | 'anthropic'
  readonly model: string
  readonly baseUrl?: string
  readonly apiKeyEnv?: string
  readonly options?: { readonly temperature?: number; readonly maxTokens?: number }
}

/** The counterpart of a provider of promptfoo: a model or an agent, or the reason why there is neither. */
export type MovedProvider = {
  readonly name: string
  /** The keys of the provider that are not imported, such as `config.tools`. */
  readonly unused: readonly string[]
} & (
  | { readonly model: ModelDescription }
  | { readonly agent: { readonly command: readonly string[] } }
  | { readonly problem: string }
)

type Fields = Readonly<Record<string, unknown>>

type Server = Pick<ModelDescription, 'baseUrl' | 'apiKeyEnv'>

/** Servers with the protocol of OpenAI, by the first part of a provider's name. */
const servers: { readonly [provider: string]: Server } = {
  openai: { baseUrl: 'https://api.openai.com/v1', apiKeyEnv: 'OPENAI_API_KEY' },
  openrouter: { baseUrl: 'https://openrouter.ai/api/v1', apiKeyEnv: 'OPENROUTER_API_KEY' },
  groq: { baseUrl: 'https://api.groq.com/openai/v1', apiKeyEnv: 'GROQ_API_KEY' },
  deepseek: { baseUrl: 'https://api.deepseek.com/v1', apiKeyEnv: 'DEEPSEEK_API_KEY' },
  mistral: { baseUrl: 'https://api.mistral.ai/v1', apiKeyEnv: 'MISTRAL_API_KEY' },
  ollama: { baseUrl: 'http://localhost:11434/v1' },
}

const usedConfig: ReadonlySet<string> = new Set(['apiBaseUrl', 'apiKeyEnvar', 'temperature', 'max_tokens'])

export function movedProvider(given: unknown): MovedProvider {
  const { id, label, config, others } = partsOf(given)
  const name = nameOf(label ?? id)
  const unusedConfig = Object.keys(config).map((key) => `config.${key}`)
  const whole = { name, unused: [...others, ...unusedConfig] }
  const [provider = '', ...rest] = id.split(':')
  if (id === 'echo') return { ...whole, agent: { command: ['cat'] } }
  if (provider === 'exec') return { ...whole, agent: { command: [...rest.join(':').split(/\s+/), '{{prompt}}'] } }
  const model = rest.filter((part) => part !== 'chat' && part !== 'messages').join(':')
  const isOther = /^(responses|embedding|embeddings|assistant|completion|realtime|image|moderation)$/.test(
    rest[0] ?? '',
  )
  const server = serverOf(provider)
  if (model === '' || isOther || (server === undefined && provider !== 'anthropic'))
    return { ...whole, problem: `the provider ${id} has no counterpart` }
  const unused = whole.unused.filter((key) => !usedConfig.has(key.slice('config.'.length)))
  return { name, unused, model: described(server, model, config) }
}

function serverOf(provider: string): Server | undefined {
  return Object.hasOwn(servers, provider) ? servers[provider] : undefined
}

/**
 * Converts a provider to an embedding model. The default is that of promptfoo; `undefined` if there is no counterpart.
 */
export function embeddingServer(given: unknown): ModelDescription | undefined {
  const isMap = isPlainObject(given) && given.id === undefined && given.embedding !== undefined
  const { id, config } = partsOf(isMap ? given.embedding : (given ?? ''))
  const [provider = '', kind, ...rest] = id.split(':')
  // A text provider does not make embeddings: promptfoo uses its own model.
  if (!/^embeddings?$/.test(kind ?? '')) return described(servers['openai'], 'text-embedding-3-large', {})
  const server = serverOf(provider)
  const isPlain = Object.keys(config).every((key) => key === 'apiBaseUrl' || key === 'apiKeyEnvar')
  return server === undefined || rest.length === 0 || !isPlain ? undefined : described(server, rest.join(':'), config)
}

function described(
  server: Server | undefined,
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

/** Splits a provider into its parts. `others` are unknown keys. */
function partsOf(given: unknown): {
  readonly id: string
  readonly label: string | undefined
  readonly config: Fields
  readonly others: readonly string[]
} {
  if (!isPlainObject(given)) return { id: String(given), label: undefined, config: {}, others: [] }
  // {'openai:gpt-…': {config: …}} is short for {id: 'openai:gpt-…', config: …}.
  const [[key = '', value] = []] = Object.entries(given)
  const whole = given.id === undefined && isPlainObject(value) ? { id: key, ...value } : given
  const { id = '', label, config, ...rest } = whole as Fields
  return {
    id: String(id),
    label: typeof label === 'string' ? label : undefined,
    config: isPlainObject(config) ? config : {},
    others: Object.keys(rest),
  }
}

/** Makes a name for a config, of letters, digits, `.`, `_` and `-`. */
export function nameOf(text: string): string {
  return (
    text
      .replace(/^file:\/\//, '')
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^[-.]+|[-.]+$/g, '')
      .slice(0, 64) || 'suite'
  )
}
