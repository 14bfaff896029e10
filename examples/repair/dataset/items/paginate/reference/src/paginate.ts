export interface Page<T> {
  readonly items: readonly T[]
  readonly page: number
  readonly pages: number
}

/** One page of a list; pages count from 1, and a page outside the list is moved to the nearest one. */
export function paginate<T>(items: readonly T[], page: number, size: number): Page<T> {
  const pages = Math.max(1, Math.ceil(items.length / size))
  const current = Math.min(Math.max(page, 1), pages)
  const start = (current - 1) * size
  return { items: items.slice(start, start + size), page: current, pages }
}
