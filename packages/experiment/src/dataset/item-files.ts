import type { Json } from '@jurist/core'
import { isPlainObject, printed } from '@jurist/core/internal'
import { containedPath } from './contained.js'
import { sha256 } from './hash.js'
import type { ItemFiles } from './item.js'
import type { Spot } from './problem.js'

const maxFiles = 100
const maxBytes = 256 * 1024

/**
 * Returns file contents by path, frozen. Reports entries that cannot be files of a workspace, and then returns `null`.
 */
export function readItemFiles(value: unknown, field: string, { file, item, report }: Spot): ItemFiles | null {
  const found = filesProblem(value)
  if (typeof found !== 'string') return found
  const remedy = 'Write {"src/a.js": "…"}; larger workspaces are directories of a dataset with a dataset.json.'
  report({ file, item, field, problem: found, remedy })
  return null
}

/** The files, or the problem with them. */
export function filesProblem(value: unknown): ItemFiles | string {
  if (!isPlainObject(value)) return 'must be an object with a string for each path.'
  const entries = Object.entries(value)
  if (entries.length > maxFiles) return `holds ${entries.length} files; at most ${maxFiles} are allowed.`
  const files = new Map<string, string>()
  let bytes = 0
  for (const [given, text] of entries) {
    const contained = containedPath(given)
    if (!contained.ok || contained.path.split('/').some((part) => ['', '.', '.git'].includes(part)))
      return `${printed(given)} is not a path of a workspace.`
    if (typeof text !== 'string') return `${printed(given)} must be a string (got ${printed(text)}).`
    if (files.has(contained.path)) return `${printed(given)} occurs twice.`
    files.set(contained.path, text)
    bytes += Buffer.byteLength(text)
  }
  if (bytes > maxBytes) return `holds ${Math.ceil(bytes / 1024)} KB; at most ${maxBytes / 1024} are allowed.`
  const below = [...files.keys()].find((path) => parentsOf(path).some((parent) => files.has(parent)))
  return below === undefined ? { type: 'files', files: freeze(files) } : `${printed(below)} is below another file.`
}

function freeze(files: ReadonlyMap<string, string>): ItemFiles['files'] {
  return Object.freeze(Object.fromEntries(files))
}

function parentsOf(path: string): readonly string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** The contents as `treeContents` describes a directory with these files. */
export function contentsOfFiles({ files }: ItemFiles): Json {
  return Object.entries(files)
    .map(([path, text]) => [path, Buffer.byteLength(text), sha256(text)])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
}
