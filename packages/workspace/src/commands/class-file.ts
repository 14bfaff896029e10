import { JuristError, type Workspace } from '@jurist/core'
import { optionInvalid } from '@jurist/core/internal'
import { readFileStart } from '../file-content.js'
import { directoryOf } from '../workspace-directory.js'

/** The major version of a class file, or the reason why it cannot be read. */
export type ClassFile =
  | { readonly kind: 'class'; readonly path: string; readonly major: number }
  | { readonly kind: 'broken'; readonly path: string; readonly problem: string }

const magic = 0xcafebabe
const headerBytes = 8
const maxClassBytes = 1024 ** 3

/** Reads the header of a class file: its magic number, then the minor and the major version, big-endian. */
export async function readClassFile(workspace: Workspace, path: string): Promise<ClassFile> {
  const broken = (problem: string): ClassFile => ({ kind: 'broken', path, problem })
  try {
    const bytes = await startOf(workspace, path)
    if (bytes.length < headerBytes) return broken(`has ${bytes.length} bytes, too few for a class file`)
    const header = new DataView(bytes.buffer, bytes.byteOffset, headerBytes)
    if (header.getUint32(0) !== magic) return broken('does not begin like a class file')
    return { kind: 'class', path, major: header.getUint16(6) }
  } catch (thrown) {
    if (thrown instanceof JuristError) return broken(`cannot be read: ${thrown.code}`)
    throw thrown
  }
}

/** Reads only the header if the workspace has a directory. Other workspaces return the whole file. */
async function startOf(workspace: Workspace, path: string): Promise<Uint8Array> {
  const root = directoryOf(workspace)
  return root === undefined
    ? await workspace.readBytes(path, { maxBytes: maxClassBytes })
    : readFileStart(root, path, headerBytes)
}

const firstRelease = 5
const offset = 44

/**
 * Returns the major version of the class files of a Java release.
 *
 * @param release 5 or later
 * @throws `option-invalid`
 *
 * @example
 * import { javaClassVersion } from '@jurist/workspace/commands'
 *
 * javaClassVersion(17) // 61
 */
export function javaClassVersion(release: number): number {
  if (Number.isSafeInteger(release) && release >= firstRelease) return release + offset
  optionInvalid('release', `javaClassVersion: the release must be 5 or later (got ${String(release)}).`)
}

export function shownVersion(major: number): string {
  return major < javaClassVersion(firstRelease) ? String(major) : `${major} (Java ${major - offset})`
}
