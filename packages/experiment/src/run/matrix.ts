import { isPlainObject } from '@jurist/core/internal'
import type { FoundIssue } from '../fields.js'
import { isReservedName, isSafeName } from '../store/names.js'
import type { VariantOverrides } from './experiment.js'

/** How many variants a matrix may make. */
export const mostVariants = 64

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
 * The experiment with the variants of its matrix beside its own, and without the matrix. An experiment whose matrix is
 * wrong is returned unchanged: `experimentIssues` says why.
 */
export function withMatrix<Options extends object>(options: Options): Options {
  const { matrix, variants, ...rest } = Object(options) as { readonly matrix?: unknown; readonly variants?: object }
  if (!isPlainObject(matrix) || matrixIssues({ matrix, variants }).length > 0) return options
  return { ...rest, variants: { ...variants, ...gridOf(matrix).variants } } as unknown as Options
}

/** What is wrong with the matrix of an experiment, and with its variants beside it. */
export function matrixIssues({
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

/** The values of an axis: a list, or values by name. Texts of a list are numbered. */
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

/** What a variant of a matrix overrides; its place in the matrix is one of its conditions. */
function overridesOf(cell: readonly Value[]): VariantOverrides {
  return {
    ...Object.fromEntries(cell.map(({ axis, value }) => [axis, value])),
    conditions: { matrix: Object.fromEntries(cell.map(({ axis, name }) => [axis, name])) },
  }
}
