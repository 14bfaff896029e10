import { JuristError } from '@jurist/core'
import { printed } from '@jurist/core/internal'

/** One thing that is wrong with a dataset, or suspicious about it. */
export interface DatasetProblem {
  /** The file or directory, relative to the dataset. */
  readonly file: string
  /** The id of the item; `null` when the problem is not about one item. */
  readonly item: string | null
  /** Where in the file, such as `items[3].status` or `line 7`; `null`: the file as a whole. */
  readonly field: string | null
  readonly problem: string
  /** The action that solves the problem. */
  readonly remedy: string
  /** With an `error` no run starts; with a `warning` it does. */
  readonly severity: 'error' | 'warning'
}

/** Reports a problem with the severity `error` unless it has another one. */
export type Report = (problem: Omit<DatasetProblem, 'severity'> & Partial<Pick<DatasetProblem, 'severity'>>) => void

/** Where a value is, and how its problems are reported. */
export interface Spot {
  readonly file: string
  readonly item: string | null
  /** Prefix of field names, such as `items[3]`; `''` for the whole file. */
  readonly prefix: string
  readonly report: Report
  /** How problems name a field, where it is not by its path after the prefix. */
  readonly fieldOf?: (keys: readonly unknown[]) => string
}

/** Collects problems: an array, and the function that adds to it. */
export function collectProblems(): { readonly problems: readonly DatasetProblem[]; readonly report: Report } {
  const problems: DatasetProblem[] = []
  return { problems, report: (problem) => void problems.push(Object.freeze({ severity: 'error', ...problem })) }
}

/** The problems by file, then field; numbers in fields count as numbers. */
export function sortedProblems(problems: readonly DatasetProblem[]): readonly DatasetProblem[] {
  const keyed = problems.map((problem) => ({ problem, key: `${problem.file}\0${ordered(problem.field ?? '')}` }))
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  return Object.freeze(keyed.map(({ problem }) => problem))
}

function ordered(field: string): string {
  return field.replace(/\d+/g, (digits) => digits.padStart(12, '0'))
}

const shown = 20

/** Throws `dataset-invalid` with all errors among `problems`, if there are any. */
export function refuseErrors(path: string, problems: readonly DatasetProblem[]): void {
  const errors = problems.filter(({ severity }) => severity === 'error')
  if (errors.length === 0) return
  const issues = sortedProblems(errors)
  const lines = issues.slice(0, shown).map(({ file, field, problem, remedy }) => {
    return `  ${field === null ? file : `${file} ${field}`}: ${problem} ${remedy}`
  })
  if (issues.length > shown) lines.push(`  … and ${issues.length - shown} more`)
  const count = issues.length === 1 ? '1 error' : `${issues.length} errors`
  throw new JuristError('dataset-invalid', `The dataset ${path} has ${count}:\n${lines.join('\n')}`, { path, issues })
}

/** An identifier that must be unique. `undefined`: it is invalid, which is reported elsewhere. */
export interface Identity {
  readonly id: string | undefined
  /** `undefined` also when the manifest gives none: the id is the slug then. */
  readonly slug: string | undefined
  readonly path: string | undefined
}

type Key = keyof Identity

const remedies: { readonly [key in Key]: string } = {
  id: 'Give each item its own id.',
  slug: 'Give each item its own slug; upper and lower case count as equal.',
  path: 'Give each item its own directory.',
}

/** Reports each id, slug or path of `dataset.json` that an earlier entry already has. */
export function reportDuplicates(file: string, identities: readonly Identity[], report: Report): void {
  for (const key of ['id', 'slug', 'path'] as const) {
    for (const [value, indices] of users(identities, key)) {
      for (const index of indices.slice(1)) {
        const { id = null } = identities[index] ?? {}
        const times = indices.length === 2 ? 'twice' : `${indices.length} times`
        const others = indices.filter((other) => other !== index).map((other) => `items[${other}]`)
        const problem = `${printed(value)} is used ${times} (${others.join(', ')}).`
        report({ file, item: id, field: `items[${index}].${key}`, problem, remedy: remedies[key] })
      }
    }
  }
}

/** The places that use a value, by the value. */
function users(identities: readonly Identity[], key: Key): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>()
  const ids = new Set<string>()
  for (const [index, identity] of identities.entries()) {
    const value = key === 'slug' ? slugOf(identity, ids) : identity[key]
    if (identity.id !== undefined) ids.add(identity.id)
    if (value === undefined) continue
    const places = found.get(value)
    if (places === undefined) found.set(value, [index])
    else places.push(index)
  }
  return found
}

/** A slug that repeats only because the id does is not reported again. */
function slugOf({ id, slug }: Identity, earlierIds: ReadonlySet<string>): string | undefined {
  if (slug !== undefined) return slug.toLowerCase()
  return id === undefined || earlierIds.has(id) ? undefined : id.toLowerCase()
}
