import { realpathSync } from 'node:fs'
import { halves, pathOf } from './byte-path.js'

// Apart from `byte-path`, since declarations that users read may name no type of Node.

/** What the system is given for a path. */
export function systemPath(path: string): string | Buffer {
  const [only, ...others] = path.split(halves)
  if (others.length === 0) return path
  const parts = [only ?? '', ...others].map((part, index) =>
    index % 2 === 0 ? Buffer.from(part) : Buffer.of(part.charCodeAt(0) - 0xdc00),
  )
  return Buffer.concat(parts)
}

/** Where a path leads once every link is followed. */
export function realPath(path: string): string {
  return pathOf(realpathSync.native(systemPath(path), 'buffer'))
}
