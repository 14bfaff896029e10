const decode = (text) => decodeURIComponent(text.replace(/\+/g, ' '))

/** The names and values of a query such as `a=1&b=2`; a repeated name becomes a list. */
export function parseQuery(text) {
  const result = {}
  for (const pair of text.replace(/^\?/, '').split('&')) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    const name = decode(at < 0 ? pair : pair.slice(0, at))
    const value = at < 0 ? '' : decode(pair.slice(at + 1))
    if (name in result) result[name] = [result[name], value].flat()
    else result[name] = value
  }
  return result
}
