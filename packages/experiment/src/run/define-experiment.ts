import { type JsonObject, JuristError } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { nearestOrAll } from '@jurist/kit/did-you-mean'
import * as v from 'valibot'
import type { ExperimentIssue } from '../errors.js'
import { adds, checkFields, type FoundIssue } from '../fields.js'
import { baselineVariant } from '../result/run-kind.js'
import { isReservedName, isSafeName } from '../store/names.js'
import type { Experiment, ExperimentOptions, VariantOverrides } from './experiment.js'
import { experimentFields, experimentRemedies, mostVariants } from './experiment-options.js'

const experimentSchema = v.pipe(experimentFields, adds(matrixIssues), adds(baselineIssues))

/**
 * Checks an experiment as far as it can be checked without the disk, and returns it frozen.
 *
 * `Input` is the type of `task.input` of its agents: by default that of the `input` of its items in the program. For rows
 * and directories, name it: `defineExperiment<{ city: string }>({ … })`. It is not checked.
 *
 * @throws `experiment-invalid` naming every issue with its remedy
 *
 * @example
 * import { completed, defineExperiment } from '@jurist/experiment'
 *
 * export default defineExperiment({
 *   name: 'sums',
 *   dataset: [{ id: 'two', task: 'What is 1 + 1?', expectedOutput: '2' }],
 *   agent: async () => completed('2'),
 *   repetitions: 3,
 * })
 */
export function defineExperiment<Input = JsonObject | undefined, const Variant extends string = never>(
  options: ExperimentOptions<Variant, Input>,
): Experiment<Variant> {
  const issues = experimentIssues(options)
  if (issues.length > 0) refuseIssues(options, issues)
  const given = Object.entries(withMatrix(options)).filter(([, value]) => value !== undefined)
  return Object.freeze({ ...Object.fromEntries(given), kind: 'experiment' }) as Experiment<Variant>
}

/** Everything that is wrong with the options of an experiment, as far as it can be checked without the disk. */
export function experimentIssues(options: unknown): readonly ExperimentIssue[] {
  return checkFields(experimentSchema, options, {
    whole: 'options',
    remedies: experimentRemedies,
    remedy: 'Correct it, or leave it out.',
  }).issues
}

/** @throws `experiment-invalid` */
export function refuseIssues(options: unknown, issues: readonly ExperimentIssue[]): never {
  const name = isPlainObject(options) ? options['name'] : undefined
  const what = typeof name === 'string' ? `The experiment ${JSON.stringify(name.slice(0, 80))}` : 'The experiment'
  const count = issues.length === 1 ? 'has an issue' : `has ${issues.length} issues`
  const lines = issues.map(({ field, problem, remedy }) => `  ${field}: ${problem} ${remedy}`)
  throw new JuristError('experiment-invalid', `${what} ${count}:\n${lines.join('\n')}`, { issues })
}

const axes = ['agent', 'model', 'prompt', 'systemPrompt'] as const

type Axis = (typeof axes)[number]

/** One value of an axis with its name. */
interface Value {
  readonly axis: Axis
  readonly name: string
  readonly value: unknown
}

/** The variants that a matrix makes, in order; the last axis changes fastest. */
interface Grid {
  readonly variants: Readonly<Record<string, VariantOverrides>>
  readonly issues: readonly FoundIssue[]
}

/**
 * Replaces the matrix of an experiment with the variants that it generates. Returns an experiment with an invalid matrix
 * unchanged: `experimentIssues` reports it.
 */
export function withMatrix<Options extends object>(options: Options): Options {
  const { matrix, variants, ...rest } = Object(options) as { readonly matrix?: unknown; readonly variants?: object }
  if (!isPlainObject(matrix) || matrixIssues({ matrix, variants }).length > 0) return options
  return { ...rest, variants: { ...variants, ...gridOf(matrix).variants } } as unknown as Options
}

/** A baseline that names a variant names one of the experiment. */
function baselineIssues(options: object): readonly FoundIssue[] {
  const { baseline, variants } = withMatrix(options) as { readonly baseline?: unknown; readonly variants?: unknown }
  const named = baselineVariant(typeof baseline === 'string' ? baseline : null)
  const known = isPlainObject(variants) ? Object.keys(variants) : []
  if (named === undefined || known.includes(named)) return []
  const problem = `names ${JSON.stringify(named)}, which is not a variant of the experiment`
  const remedy = known.length === 0 ? 'Name a run, or "latest".' : nearestOrAll(named, known)
  return [{ keys: ['baseline'], problem, remedy }]
}

function matrixIssues({
  matrix,
  variants,
}: {
  readonly matrix?: unknown
  readonly variants?: unknown
}): readonly FoundIssue[] {
  if (!isPlainObject(matrix)) return []
  const grid = gridOf(matrix)
  const taken = Object.keys(grid.variants).find((name) => isPlainObject(variants) && Object.hasOwn(variants, name))
  if (taken === undefined) return grid.issues
  const problem = `makes a variant "${taken}", and "variants" has one of that name`
  return [...grid.issues, { keys: ['matrix'], problem, remedy: 'Rename one of them.' }]
}

function gridOf(matrix: Readonly<Record<string, unknown>>): Grid {
  const given = axes.filter((axis) => Reflect.get(matrix, axis) !== undefined)
  const values = given.map((axis) => valuesOf(axis, Reflect.get(matrix, axis)))
  const twice = values.flatMap(repeated)
  const count = values.reduce((product, { length }) => product * length, 1)
  if (count > mostVariants) {
    const problem = `makes ${count} variants, more than ${mostVariants}`
    return {
      variants: {},
      issues: [{ keys: ['matrix'], problem, remedy: 'Leave values out, or split the experiment.' }],
    }
  }
  const cells = values.reduce<readonly (readonly Value[])[]>(
    (before, axis) => before.flatMap((cell) => axis.map((value) => [...cell, value])),
    [[]],
  )
  const named = cells.map((cell) => [cell.map(({ name }) => name).join('_'), overridesOf(cell)] as const)
  const unusable = named.flatMap(([name]) => (isSafeName(name) && !isReservedName(name) ? [] : [unusableName(name)]))
  return { variants: Object.fromEntries(named), issues: [...twice, ...unusable] }
}

/** The values of an axis, by name or as an array. Models in an array are named by their id, other entries are numbered. */
function valuesOf(axis: Axis, given: unknown): readonly Value[] {
  if (isPlainObject(given)) return Object.entries(given).map(([name, value]) => ({ axis, name, value }))
  if (!Array.isArray(given)) return []
  return given.map((value: unknown, index) => {
    const name = axis === 'model' ? String(value).replace(/[^A-Za-z0-9._-]+/g, '-') : `${axis}-${index + 1}`
    return { axis, name, value }
  })
}

function repeated(values: readonly Value[]): readonly FoundIssue[] {
  const twice = values.find(({ name, value }, index) =>
    values.slice(0, index).some((other) => other.name === name || other.value === value),
  )
  if (twice === undefined) return []
  return [{ keys: ['matrix', twice.axis], problem: `has "${twice.name}" twice`, remedy: 'Give each value once.' }]
}

function unusableName(name: string): FoundIssue {
  const problem = `makes a variant "${name}", which cannot be a name`
  const remedy = 'Name the values, such as prompt: { short: "…" }; at most 64 letters, digits, ".", "_", "-" together.'
  return { keys: ['matrix'], problem, remedy }
}

/** The overrides of a generated variant. Its position in the matrix is recorded as a condition. */
function overridesOf(cell: readonly Value[]): VariantOverrides {
  return {
    ...Object.fromEntries(cell.map(({ axis, value }) => [axis, value])),
    conditions: { matrix: Object.fromEntries(cell.map(({ axis, name }) => [axis, name])) },
  }
}
