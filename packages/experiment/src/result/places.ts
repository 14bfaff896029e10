/** A place in a file: its path below the workspace, and where in the file, counted from 1. */
export interface Place {
  /** Relative, with `/`, never with `..`. Whether there is such a file is not known. */
  readonly path: string
  readonly line: number
  readonly column: number | null
}

/** A place, and the part of the text that names it. */
export interface FoundPlace extends Place {
  readonly start: number
  readonly end: number
}

const longestText = 200_000
const mostPlaces = 200

/**
 * A path with a line as tools print it: `a.js:7:3` (most), `a.ts(7,3)` (TypeScript), `A.java:[7,3]` (Maven),
 * `"a.py", line 7` (Python). A path holds no blank, quote, bracket or colon, so that the search stays linear.
 */
const pattern =
  /(?<![^\s"'`([{<=,;|])(?:file:\/\/)?(?<path>[^\s"'`()<>[\]{}|\\:;,*?=]{1,300})(?:"?, line (?<line>\d{1,7})|:\[(?<mavenLine>\d{1,7}),(?<mavenColumn>\d{1,7})\]|\((?<tsLine>\d{1,7}),(?<tsColumn>\d{1,7})\)|:(?<at>\d{1,7})(?::(?<column>\d{1,7}))?)(?!\w|[.-]\d)/g

/** Where a workspace was while its trial ran: a temporary directory of ours. Test runners print whole paths. */
const temporary = /^\/(?:[^/]+\/)*?jurist-[0-9a-f]{8}-[0-9a-z]{1,8}-[0-9a-z]{1,12}-\w{6}\//

/**
 * The places that a string names, in order of appearance: `src/orders.js:7:3` and the other forms of compilers and test
 * runners, also inside a stack. Only relative paths that stay below the workspace and have an ending; the first 200 of
 * them in the first 200,000 characters. The text is untrusted: a place need not exist.
 */
export function placesIn(text: string): readonly FoundPlace[] {
  const found: FoundPlace[] = []
  for (const match of text.slice(0, longestText).matchAll(pattern)) {
    const place = placeOf(match.groups ?? {})
    if (place === undefined) continue
    found.push({ ...place, start: match.index, end: match.index + match[0].length })
    if (found.length === mostPlaces) break
  }
  return found
}

function placeOf({ path: given = '', ...numbers }: { readonly [name: string]: string | undefined }): Place | undefined {
  const path = given.replace(temporary, '').replace(/^(?:\.\/)+/, '')
  const line = Number(numbers['at'] ?? numbers['line'] ?? numbers['mavenLine'] ?? numbers['tsLine'])
  const column = numbers['column'] ?? numbers['mavenColumn'] ?? numbers['tsColumn']
  if (!isContained(path) || line === 0) return undefined
  return { path, line, column: column === undefined || Number(column) === 0 ? null : Number(column) }
}

/** Whether a path is relative, stays below its root, and ends like the name of a file. */
function isContained(path: string): boolean {
  const segments = path.split('/')
  return (
    !path.startsWith('~') &&
    segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..') &&
    /\.[a-z]\w{0,15}$/i.test(path)
  )
}
