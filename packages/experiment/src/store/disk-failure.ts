import { isAbsolute, relative } from 'node:path'
import { JuristError } from '@jurist/core'

const elsewhere = 'Make it writable for this user, or choose another results directory.'

/** What the operating system says, and what to do about it. */
const reasons: { readonly [code: string]: readonly [reason: string, remedy: string] } = {
  ENOSPC: ['no space left', 'Make room, then go on.'],
  EDQUOT: ['the disk quota is used up', 'Make room, then go on.'],
  EACCES: ['permission denied', elsewhere],
  EPERM: ['permission denied', elsewhere],
  EROFS: ['the file system is read-only', 'Choose another results directory.'],
  ENOTDIR: ['a part of the path is a file', 'Choose a directory for the results, or move the file away.'],
  EEXIST: ['there is a file of this name', 'Choose a directory for the results, or move the file away.'],
  EISDIR: ['there is a directory of this name', 'Move it away.'],
  ENAMETOOLONG: ['the path is too long', 'Choose a results directory with a shorter path.'],
  EMFILE: ['too many files are open', 'Raise the limit (ulimit -n), or lower the concurrency.'],
  ENFILE: ['too many files are open on this machine', 'Lower the concurrency.'],
}

/** The error code of the operating system in anything thrown. */
export function systemCode(thrown: unknown): string | undefined {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  return typeof code === 'string' ? code : undefined
}

/** Whether something thrown says that a file or a directory is not there. */
export function isMissing(thrown: unknown): boolean {
  return systemCode(thrown) === 'ENOENT'
}

/** Whether there can be nothing at a path: it is not there, or leads through a file. */
export function isNowhere(thrown: unknown): boolean {
  return isMissing(thrown) || systemCode(thrown) === 'ENOTDIR'
}

/**
 * What a refusal of the disk becomes: `store-failed` with the path, the reason and the remedy. An error of Jurist
 * stays what it is.
 *
 * @param verb what was tried, such as `'write'`
 * @param note a further sentence, such as what is safe
 */
export function diskFailure(verb: string, path: string, thrown: unknown, note?: string): JuristError {
  if (JuristError.is(thrown)) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  const [reason, remedy] = reasons[systemCode(thrown) ?? ''] ?? [message, 'Look at the disk, then go on.']
  const sentences = [`Could not ${verb} ${shown(path)}: ${reason}.`, note, remedy]
  return new JuristError('store-failed', sentences.filter(Boolean).join(' '), { path }, { cause: thrown })
}

/** Runs `action`; what the disk refuses becomes `store-failed`. */
export async function onDisk<Value>(verb: string, path: string, action: () => Promise<Value>): Promise<Value> {
  try {
    return await action()
  } catch (thrown) {
    throw diskFailure(verb, path, thrown)
  }
}

/** A path as people know it: from where they are, when it is below. */
export function shown(path: string): string {
  const short = relative(process.cwd(), path)
  return short === '' || short.startsWith('..') || isAbsolute(short) ? path : short
}
