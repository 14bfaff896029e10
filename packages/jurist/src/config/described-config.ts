import { isPlainObject, type Place } from '@jurist/core/internal'
import { describedAgent } from './described-agent.js'
import { describedTiers } from './described-confidence.js'
import { describedJury, describedScorer, describedVote } from './described-jury.js'
import { provisionIn } from './described-provision.js'
import { modelIssues } from './model-schema.js'
import { modelOf } from './models.js'
import { type Report, unknownProblem } from './problems.js'
import type { Reading } from './reading.js'

/**
 * Builds the config that a YAML or JSON document describes: agents, juries and votes become functions, and the rest
 * stays unchanged. Reports and leaves out invalid parts.
 */
export async function configFromDocument(
  value: unknown,
  given: Pick<Reading, 'directory' | 'report' | 'loading' | 'plugins' | 'lacksPlugins'>,
): Promise<unknown> {
  if (!isPlainObject(value)) return value
  const models = describedModels(value.models, given.report)
  const votes: Record<string, unknown> = {}
  const agents: Record<string, unknown> = {}
  const juries: Record<string, unknown> = {}
  const reading: Reading = { ...given, juries, agents, votes, models }
  // The order matters: a jury may use a vote, and a later jury an earlier one.
  for (const [name, vote] of entriesOf(value.votes)) votes[name] = describedVote(vote, ['votes', name], reading)
  for (const [name, agent] of entriesOf(value.agents))
    agents[name] = await describedAgent(agent, ['agents', name], reading)
  for (const [name, jury] of entriesOf(value.juries))
    juries[name] = await describedJury(jury, ['juries', name], reading)
  return {
    ...value,
    ...(isPlainObject(value.models) ? { models } : {}),
    ...(isPlainObject(value.votes) ? { votes } : {}),
    ...(isPlainObject(value.agents) ? { agents } : {}),
    ...(value.juries === undefined ? {} : { juries }),
    ...(await described(value, 'experiments', (entry, place) => experiment(entry, place, reading))),
    ...(await described(value, 'lift', async (entry, place) =>
      isPlainObject(entry) ? provisioned(entry, place, reading) : entry,
    )),
    ...(await described(value, 'calibrations', (entry, place) => calibration(entry, place, reading))),
  }
}

/** Returns the valid models by name, and reports the others. */
function describedModels(value: unknown, report: Report): Readonly<Record<string, unknown>> {
  const models: Record<string, unknown> = {}
  for (const [name, description] of entriesOf(value)) {
    const issues = modelIssues(description)
    for (const { keys, problem, remedy } of issues) report(['models', name, ...keys], `${problem}.`, remedy ?? '')
    if (issues.length === 0) models[name] = modelOf(name, description)
  }
  return models
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isPlainObject(value) ? Object.entries(value) : []
}

async function described(
  value: Readonly<Record<string, unknown>>,
  key: string,
  read: (entry: unknown, place: Place) => Promise<unknown>,
): Promise<Readonly<Record<string, unknown>>> {
  const record = value[key]
  if (!isPlainObject(record)) return {}
  const entries = await Promise.all(
    Object.entries(record).map(async ([name, entry]) => [name, await read(entry, [key, name])] as const),
  )
  return { [key]: Object.fromEntries(entries) }
}

async function calibration(value: unknown, place: Place, reading: Reading): Promise<unknown> {
  if (!isPlainObject(value)) return value
  const { candidate, judges, scorer, tiers } = value
  const entries = isPlainObject(judges) ? Object.entries(judges) : []
  const named = await Promise.all(
    entries.map(
      async ([name, judge]) => [name, await describedJury(judge, [...place, 'judges', name], reading)] as const,
    ),
  )
  return {
    ...value,
    ...(candidate === undefined ? {} : { candidate: await describedJury(candidate, [...place, 'candidate'], reading) }),
    ...(isPlainObject(judges) ? { judges: Object.fromEntries(named) } : {}),
    ...(tiers === undefined ? {} : { tiers: await describedTiers(tiers, [...place, 'tiers'], reading, describedJury) }),
    ...(scorer === undefined ? {} : { scorer: describedScorer(scorer, [...place, 'scorer'], reading) }),
  }
}

/** With the workspaces that `sandbox` and `setup` describe. */
async function provisioned(
  { sandbox, setup, ...value }: Described,
  place: Place,
  reading: Reading,
): Promise<Described> {
  if (sandbox === undefined && setup === undefined) return value
  return { ...value, provision: await provisionIn({ sandbox, setup }, place, reading) }
}

async function experiment(given: unknown, place: Place, reading: Reading): Promise<unknown> {
  if (!isPlainObject(given)) return given
  const value = await provisioned(given, place, reading)
  const { agent, jury, variants, matrix } = value
  for (const [at, name] of modelNames(value)) reportUnknownModel(name, [...place, ...at], agent, reading)
  const read = async (entry: unknown, at: Place) => {
    if (!isPlainObject(entry) || entry.agent === undefined) return entry
    return { ...entry, agent: await describedAgent(entry.agent, [...at, 'agent'], reading) }
  }
  const entries = isPlainObject(variants) ? Object.entries(variants) : []
  const overrides = await Promise.all(
    entries.map(async ([name, entry]) => [name, await read(entry, [...place, 'variants', name])] as const),
  )
  return {
    ...value,
    ...(agent === undefined ? {} : { agent: await describedAgent(agent, [...place, 'agent'], reading) }),
    ...(jury === undefined ? {} : { jury: await describedJury(jury, [...place, 'jury'], reading) }),
    ...(isPlainObject(variants) ? { variants: Object.fromEntries(overrides) } : {}),
    ...(isPlainObject(matrix) ? { matrix: await describedMatrix(matrix, [...place, 'matrix'], reading) } : {}),
  }
}

async function describedMatrix(matrix: Described, place: Place, reading: Reading): Promise<Described> {
  if (!isPlainObject(matrix['agent'])) return matrix
  const agents = Object.entries(matrix['agent']).map(async ([name, agent]) => {
    return [name, await describedAgent(agent, [...place, 'agent', name], reading)] as const
  })
  return { ...matrix, agent: Object.fromEntries(await Promise.all(agents)) }
}

type Described = Readonly<Record<string, unknown>>

/** Returns the names of models in an experiment, its variants and its matrix, with their places. */
function modelNames({ model, variants, matrix }: Described): readonly (readonly [Place, unknown])[] {
  const axis = isPlainObject(matrix) ? Object(matrix['model']) : {}
  const ofVariants = isPlainObject(variants) ? Object.entries(variants) : []
  return [
    [['model'], model] as const,
    ...ofVariants.map(([name, variant]) => [['variants', name, 'model'], Object(variant).model] as const),
    ...Object.entries(axis).map(([key, name]) => [['matrix', 'model', key], name] as const),
  ].filter(([, name]) => name !== undefined)
}

/** An agent that is a named model can be replaced only by another model of the config. */
function reportUnknownModel(name: unknown, place: Place, agent: unknown, { models = {}, report }: Reading): void {
  if (!isPlainObject(agent) || typeof agent['model'] !== 'string' || Object.hasOwn(models, String(name))) return
  report(place, ...unknownProblem('model', name, Object.keys(models)))
}
