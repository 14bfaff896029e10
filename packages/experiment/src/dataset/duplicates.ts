import { printed } from '@jurist/core/internal'
import type { Report } from './problem.js'

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
