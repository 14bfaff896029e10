import { closeSync, constants, openSync, readSync } from 'node:fs'
import { readWithoutWaiting } from './directory-tree.js'

const bufferBytes = 256 * 1024

/**
 * A quick test of two directories: whether the regular files at a path that a walk has just listed are small and equal
 * byte for byte. `false` says nothing: the file may be large, changed, or no longer there.
 */
export function equalFiles(referenceRoot: string, actualRoot: string): (path: string) => boolean {
  const expected = Buffer.allocUnsafe(bufferBytes)
  const found = Buffer.allocUnsafe(bufferBytes)
  return (path) => {
    const length = readInto(expected, `${referenceRoot}/${path}`)
    if (length < 0 || length === bufferBytes) return false
    // Compared without the copies that subarrays would be.
    return readInto(found, `${actualRoot}/${path}`) === length && expected.compare(found, 0, length, 0, length) === 0
  }
}

/** How many bytes of a file went into the buffer; -1 when it cannot be read. */
function readInto(buffer: Buffer, place: string): number {
  let descriptor: number
  try {
    descriptor = openSync(place, readWithoutWaiting | constants.O_NOFOLLOW)
  } catch {
    return -1
  }
  try {
    return readSync(descriptor, buffer, 0, bufferBytes, 0)
  } catch {
    return -1
  } finally {
    closeSync(descriptor)
  }
}
