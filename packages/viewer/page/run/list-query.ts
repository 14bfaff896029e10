/** The parameters of the address that choose and order the rows of the items table. */
const names: readonly string[] = [
  ...['q', 'outcome', 'bucket', 'tag', 'judge'],
  ...['flaky', 'passes', 'fails', 'by', 'sort', 'order'],
]

/** What the server needs of an address to choose the rows, or to find the neighbours of one. */
export function listQuery(query: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...query].filter(([name]) => names.includes(name)))
}
