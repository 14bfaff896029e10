const name = 'jurist-token'

/**
 * What the page shows the server with each question: the token of the address that `jurist view` printed. The tab keeps
 * it, so that a reload and every link work without it.
 */
export function ownHeaders(): Readonly<Record<string, string>> {
  const token = new URLSearchParams(location.search).get('token') ?? sessionStorage.getItem(name)
  if (token === null) return {}
  sessionStorage.setItem(name, token)
  return { 'x-jurist-token': token }
}
