import { resolve } from 'node:path'
import { JuristError } from '@jurist/core'
import { failureOf, isPlainObject, option, type Place } from '@jurist/core/internal'
import type { Provision, WorkspaceSetup } from '@jurist/experiment'
import type { DockerOptions, Sandbox } from '@jurist/workspace'
import { describedAgent } from './described-agent.js'
import { describedScorer, describedVote } from './described-choices.js'
import { describedJury, describedTiers } from './described-jury.js'
import { modelIssues } from './model-schema.js'
import { modelOf } from './models.js'
import { type Described, type Read, type Reading, reads, readsEach, withRead } from './parts.js'
import { unknownProblem } from './problems.js'

/**
 * Builds the config that a YAML or JSON document describes: agents, juries and votes become functions, and the rest
 * stays unchanged. Reports and leaves out invalid parts.
 */
export async function configFromDocument(
  value: unknown,
  given: Pick<Reading, 'directory' | 'report' | 'loading' | 'plugins' | 'lacksPlugins'>,
): Promise<unknown> {
  if (!isPlainObject(value)) return value
  const models: Record<string, unknown> = {}
  const votes: Record<string, unknown> = {}
  const agents: Record<string, unknown> = {}
  const juries: Record<string, unknown> = {}
  const reading: Reading = { ...given, juries, agents, votes, models }
  // The order matters: a jury may use a model and a vote, and a later jury an earlier one.
  const named = [
    ['models', describedModel, models],
    ['votes', describedVote, votes],
    ['agents', describedAgent, agents],
    ['juries', describedJury, juries],
  ] as const
  for (const [kind, read, into] of named)
    for (const [name, one] of Object.entries(isPlainObject(value[kind]) ? value[kind] : {}))
      into[name] = await read(one, [kind, name], reading)
  const made = named.filter(([kind]) => isPlainObject(value[kind])).map(([kind, , into]) => [kind, into])
  return withRead({ ...value, ...Object.fromEntries(made) }, configReads, [], reading)
}

const describedModel: Read<unknown> = (value, place, { report }) => {
  const issues = modelIssues(value)
  for (const { keys, problem, remedy } of issues) report([...place, ...keys], `${problem}.`, remedy ?? '')
  return issues.length === 0 ? modelOf(String(place.at(-1)), value) : undefined
}

const experimentParts = reads({
  agent: describedAgent,
  jury: describedJury,
  variants: readsEach(reads({ agent: describedAgent })),
  matrix: reads({ agent: readsEach(describedAgent) }),
})

const configReads = {
  experiments: readsEach(async (given, place, reading) => {
    const value = await provisioned(given, place, reading)
    if (!isPlainObject(value)) return value
    for (const [at, name] of modelNames(value)) reportUnknownModel(name, [...place, ...at], value.agent, reading)
    return experimentParts(value, place, reading)
  }),
  lift: readsEach(provisioned),
  calibrations: readsEach(
    reads({
      candidate: describedJury,
      judges: readsEach(describedJury),
      tiers: describedTiers,
      scorer: describedScorer,
    }),
  ),
}

/** With the workspaces that `sandbox` and `setup` describe. */
async function provisioned(value: unknown, place: Place, reading: Reading): Promise<unknown> {
  if (!isPlainObject(value)) return value
  const { sandbox, setup, ...rest } = value
  if (sandbox === undefined && setup === undefined) return value
  return { ...rest, provision: await provisionIn({ sandbox, setup }, place, reading) }
}

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

/**
 * Provides copies whose commands run in a sandbox, with the installations of a setup. Paths are relative to the config.
 */
async function provisionIn(
  { sandbox = 'none', setup }: Described,
  place: Place,
  reading: Reading,
): Promise<Provision | undefined> {
  const { copyWorkspaces } = await import('@jurist/experiment')
  const { directory } = reading
  try {
    return copyWorkspaces({
      sandbox: await sandboxOf(sandbox, directory),
      ...(setup === undefined ? {} : { setup: withCache(setup, directory) }),
    })
  } catch (thrown) {
    const isSetup = JuristError.is(thrown, 'option-invalid') && setup !== undefined
    const remedy = isSetup
      ? 'Write {command: npm ci, inputs: [package-lock.json], keeps: [node_modules]}.'
      : 'Correct it, or remove it for no isolation.'
    reading.report([...place, isSetup ? 'setup' : 'sandbox'], failureOf(thrown).message, remedy)
    return undefined
  }
}

/** Adds a cache next to the config to the setup. Invalid values are left for its own check. */
function withCache(setup: unknown, directory: string): WorkspaceSetup | readonly WorkspaceSetup[] {
  if (Array.isArray(setup)) return setup.flatMap((one) => withCache(one, directory))
  if (!isPlainObject(setup)) return setup as WorkspaceSetup
  const { cacheDirectory = '.jurist/setups' } = setup
  const place = typeof cacheDirectory === 'string' ? resolve(directory, cacheDirectory) : cacheDirectory
  return { ...setup, cacheDirectory: place } as unknown as WorkspaceSetup
}

async function sandboxOf(given: unknown, directory: string): Promise<'none' | 'auto' | 'bubblewrap' | Sandbox> {
  const [{ bubblewrapSandbox, dockerSandbox }, { namedSandbox }] = await Promise.all([
    import('@jurist/workspace'),
    import('@jurist/workspace/internal'),
  ])
  if (!isPlainObject(given)) return namedSandbox(given as string)
  const [[name, options] = ['', undefined], ...others] = Object.entries(given)
  if (others.length > 0 || !isPlainObject(options)) return namedSandbox(JSON.stringify(given))
  if (name === 'bubblewrap') return bubblewrapSandbox(withPaths(options, directory))
  if (name === 'docker' || name === 'podman')
    return dockerSandbox({ cli: name, ...withPaths(options, directory) } as unknown as DockerOptions)
  return namedSandbox(name)
}

function withPaths(options: Described, directory: string): Described {
  const resolved = ['readable', 'writable'].flatMap((name) => {
    const paths = options[name]
    return option.strings.holds(paths) ? [[name, (paths as string[]).map((path) => resolve(directory, path))]] : []
  })
  return { ...options, ...Object.fromEntries(resolved) }
}
