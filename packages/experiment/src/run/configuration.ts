import type { Json, JsonObject } from '@jurist/core'
import type { Dataset } from '../dataset/dataset.js'
import { environmentNames } from './conditions.js'
import type { Settings } from './settings.js'

/** The settings of a run as data: functions by name, no values of variables. */
export function configurationOf(settings: Settings, dataset: Dataset, provisionName: string): JsonObject {
  const { agent, jury, hooks, environment, knowledge, filter, efficiency, iteration, retries, ...rest } = settings
  const { isInfrastructure, ...delays } = retries
  return jsonOf({
    ...rest,
    // Infinity is no JSON.
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

/** What JSON keeps of a value. */
function jsonOf(value: { readonly [key: string]: unknown }): JsonObject {
  return JSON.parse(JSON.stringify(value)) as { readonly [key: string]: Json }
}
