import { useEffect, useState } from 'preact/hooks'

/** Where the reader is: a path and a query behind the `#` of the address, so that every state has a link. */
export interface Place {
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

/** Reads the place out of an address's hash; what cannot be decoded is nowhere. */
function placeOf(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  try {
    const parts = path.split('/').filter((part) => part !== '')
    return { path: parts.map(decodeURIComponent), query: new URLSearchParams(query) }
  } catch {
    return { path: ['nowhere'], query: new URLSearchParams() }
  }
}

/** The link to a place; parameters that are `undefined` or empty are left out. */
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

/** The place, whenever it changes. */
export function usePlace(): Place {
  const [place, setPlace] = useState(() => placeOf(location.hash))
  useEffect(() => {
    const listen = () => setPlace(placeOf(location.hash))
    addEventListener('hashchange', listen)
    return () => removeEventListener('hashchange', listen)
  }, [])
  return place
}

/** Changes parameters of the present place without a new entry in the history; `undefined` takes one away. */
export function changeQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const { path, query } = placeOf(location.hash)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') query.delete(name)
    else query.set(name, value)
  }
  history.replaceState(null, '', linkTo(path, Object.fromEntries(query)))
  dispatchEvent(new HashChangeEvent('hashchange'))
}
