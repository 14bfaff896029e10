import { usageInvalid } from '../config/problems.js'
import { braintrust } from './braintrust.js'
import { langfuse } from './langfuse.js'
import { langsmith } from './langsmith.js'
import type { Service } from './post-json.js'
import type { ScoreService } from './score-service.js'

/** The services, by the name that `--to` has. */
export const scoreServices = { langfuse, langsmith, braintrust } as const

/** The name of a service. */
export type ScoreServiceName = keyof typeof scoreServices

/**
 * The address, headers and secrets of a service, from the environment.
 *
 * @throws `usage-invalid` naming every variable that is missing
 */
export function serviceOf(
  name: ScoreServiceName,
  environment: { readonly [variable: string]: string | undefined },
  signal: AbortSignal,
): Service {
  const { keys, address, optional, headers, exists }: ScoreService = scoreServices[name]
  const missing = keys.filter((key) => (environment[key] ?? '') === '')
  if (missing.length > 0)
    throw usageInvalid(
      '--to',
      `--to ${name} needs ${missing.join(' and ')} in the environment. --dry-run needs nothing.`,
    )
  const values = keys.map((key) => environment[key] ?? '')
  const { variables, preset } = address
  const variable = variables.find((one) => (environment[one] ?? '') !== '') ?? variables[0] ?? ''
  const given = environment[variable] || preset
  const base = URL.canParse(given) ? new URL(given) : undefined
  if (base === undefined || !/^https?:$/.test(base.protocol))
    throw usageInvalid('--to', `${variable} must be an address such as ${preset}.`)
  const more = Object.entries(optional ?? {}).flatMap(([one, header]) => {
    const value = environment[one] ?? ''
    return value === '' ? [] : [[header, value] as const]
  })
  const made = { ...headers(values), ...Object.fromEntries(more) }
  const secrets = [...values, ...Object.values(made)]
  const advice = { key: `Check ${keys.join(', ')}`, address: variable }
  return { name, base, headers: made, secrets, ...(exists === undefined ? {} : { exists }), advice, signal }
}
