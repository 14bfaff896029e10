const decode = (text) => decodeURIComponent(text.replace(/\+/g, ' '))

/** The names and values of a query such as `a=1&b=2`; a repeated name becomes a list. */
export function parseQuery(text) {
  const result = {}
  for (const pair of text.replace(/^\?/, '').split('&')) {
    if (pair === '') continue
    const [left, right = ''] = pair.split('=')
    const name = decode(left)
    const value = decode(right)
    if (name in result) result[name] = [result[name], value].flat()
    else result[name] = value
  }
  return result
}
