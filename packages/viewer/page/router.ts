import { useLayoutEffect, useState } from 'preact/hooks'

/**
 * What the browser or the tab remembers under a name. A page from a file or in a frame may have no storage: then nothing
 * is remembered.
 */
export function remembered(of: 'localStorage' | 'sessionStorage', name: string): string | null {
  try {
    return globalThis[of].getItem(name)
  } catch {
    return null
  }
}

export function remember(of: 'localStorage' | 'sessionStorage', name: string, value: string): void {
  try {
    globalThis[of].setItem(name, value)
  } catch {}
}

/** The current route: the path and the query after the `#` of the address. Every state of the page has a link. */
export interface Route {
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

/** The route of a trial. `repetition` is a string if it comes from an address. */
export interface TrialRoute {
  readonly run: string
  readonly itemId: string
  readonly repetition: string | number
  readonly tried?: string
}

/** Returns the path of a trial, or of one of its views. The document has the same path. */
export function trialPath({ run, itemId, repetition }: TrialRoute, part?: string): readonly string[] {
  return ['runs', run, 'items', itemId, String(repetition), ...(part === undefined ? [] : [part])]
}

/** Reads a route from the hash of an address. A hash that cannot be decoded becomes a route that does not exist. */
export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  try {
    const parts = path.split('/').filter((part) => part !== '')
    return { path: parts.map(decodeURIComponent), query: new URLSearchParams(query) }
  } catch {
    return { path: ['not-found'], query: new URLSearchParams() }
  }
}

/** Returns the link to a route. Parameters that are `undefined` or empty are omitted. */
export function linkTo(
  path: readonly (string | number)[],
  parameters: Readonly<Record<string, string | undefined>> = {},
): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== '') query.set(name, value)
  const text = query.toString()
  return `#/${path.map((part) => encodeURIComponent(part)).join('/')}${text === '' ? '' : `?${text}`}`
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.hash))
  // A layout effect, since the address may change between the first drawing and a later effect.
  useLayoutEffect(() => {
    const listen = () => setRoute(routeOf(location.hash))
    addEventListener('hashchange', listen)
    return () => removeEventListener('hashchange', listen)
  }, [])
  return route
}

/** Returns the link to the current route with other parameters. `undefined` removes a parameter. */
export function changedAddress(changes: Readonly<Record<string, string | undefined>>): string {
  const { path, query } = routeOf(location.hash)
  return linkTo(path, { ...Object.fromEntries(query), ...changes })
}

/** Changes parameters of the current route without adding a history entry. `undefined` removes a parameter. */
export function changeQuery(changes: Readonly<Record<string, string | undefined>>): void {
  history.replaceState(history.state, '', changedAddress(changes))
  dispatchEvent(new HashChangeEvent('hashchange'))
}

/** Returns the names in a parameter with several values, in their order. */
export function namesIn(query: URLSearchParams, parameter: string): readonly string[] {
  return (query.get(parameter) ?? '').split(',').filter((name) => name !== '')
}

/** Adds a name to a list, or removes it if the list has it. */
export function toggled<Name>(names: readonly Name[], name: Name): readonly Name[] {
  return names.includes(name) ? names.filter((one) => one !== name) : [...names, name]
}

/**
 * Sorts rows by the column that `sort` names, reversed for `order=desc`. Rows without a value come last in both orders.
 */
export function sortedRows<Row>(
  rows: readonly Row[],
  query: URLSearchParams,
  columns: Readonly<Record<string, (row: Row) => string | number | null>>,
): readonly Row[] {
  const sort = query.get('sort') ?? ''
  const sortValue = Object.hasOwn(columns, sort) ? columns[sort] : undefined
  if (sortValue === undefined) return rows
  const direction = query.get('order') === 'desc' ? -1 : 1
  return rows.toSorted((one, other) => {
    const [left, right] = [sortValue(one), sortValue(other)]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    return left < right ? -direction : left > right ? direction : 0
  })
}
