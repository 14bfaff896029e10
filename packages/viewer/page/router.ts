import { useLayoutEffect, useState } from 'preact/hooks'

/** The current route: the path and the query after the `#` of the address, so that every state of the page has a link. */
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

/** The path of a trial, or of one of its views. It is the path of the document as well. */
export function trialPath({ run, itemId, repetition }: TrialRoute, part?: string): readonly string[] {
  return ['runs', run, 'items', itemId, String(repetition), ...(part === undefined ? [] : [part])]
}

/** Reads a route from the hash of an address. A hash that cannot be decoded gives a route that does not exist. */
export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  try {
    const parts = path.split('/').filter((part) => part !== '')
    return { path: parts.map(decodeURIComponent), query: new URLSearchParams(query) }
  } catch {
    return { path: ['not-found'], query: new URLSearchParams() }
  }
}

/** The link to a route. Parameters that are `undefined` or empty are omitted. */
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

/** The current route, updated when it changes. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.hash))
  // No address may change unseen between the first drawing and an effect that comes later.
  useLayoutEffect(() => {
    const listen = () => setRoute(routeOf(location.hash))
    addEventListener('hashchange', listen)
    return () => removeEventListener('hashchange', listen)
  }, [])
  return route
}

/** The link to the current route with other parameters. `undefined` removes a parameter. */
export function changedAddress(changes: Readonly<Record<string, string | undefined>>): string {
  const { path, query } = routeOf(location.hash)
  return linkTo(path, { ...Object.fromEntries(query), ...changes })
}

/** Changes parameters of the current route without adding a history entry. `undefined` removes a parameter. */
export function changeQuery(changes: Readonly<Record<string, string | undefined>>): void {
  history.replaceState(history.state, '', changedAddress(changes))
  dispatchEvent(new HashChangeEvent('hashchange'))
}

/** The names in a parameter that holds several, in their order. */
export function namesIn(query: URLSearchParams, parameter: string): readonly string[] {
  return (query.get(parameter) ?? '').split(',').filter((name) => name !== '')
}

/** A list with one more name, or without it where it has it. */
export function toggled<Name>(names: readonly Name[], name: Name): readonly Name[] {
  return names.includes(name) ? names.filter((one) => one !== name) : [...names, name]
}

/** Rows by the column that `sort` names, reversed for `order=desc`. Rows without a value come last in both orders. */
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
