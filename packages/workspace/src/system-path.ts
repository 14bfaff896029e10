import { realpathSync } from 'node:fs'
import { halves, pathOf } from './byte-path.js'

// Separate from `byte-path`, since declarations that users read must not contain types of Node.

/** Returns the path in the form that the system needs. */
export function systemPath(path: string): string | Buffer {
  const [only, ...others] = path.split(halves)
  if (others.length === 0) return path
  const parts = [only ?? '', ...others].map((part, index) =>
    index % 2 === 0 ? Buffer.from(part) : Buffer.of(part.charCodeAt(0) - 0xdc00),
  )
  return Buffer.concat(parts)
}

/** Returns the target of a path after every link is followed. */
export function realPath(path: string): string {
  return pathOf(realpathSync.native(systemPath(path), 'buffer'))
}
