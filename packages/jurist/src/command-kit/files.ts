import { constants, createWriteStream } from 'node:fs'
import { access, lstat, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { JuristError } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { usageInvalid } from '@jurist/experiment/plugin'
import { safeBlock } from '@jurist/kit/terminal'
import type { Host } from './host.js'
import { makeParent } from './results-store.js'

/**
 * Checks that a file can be written, before anything costs money.
 *
 * @throws `usage-invalid` if the path is a directory, its parent is a file, or permission is missing
 */
export async function checkOutputFile({ cwd }: Host, flag: string, name: string): Promise<void> {
  const file = resolve(cwd, name)
  const found = await stat(file).catch(() => undefined)
  if (found?.isDirectory() === true) throw usageInvalid(flag, `${flag} ${name} is a directory. Name a file.`)
  const place = found === undefined ? await nearest(dirname(file)) : file
  if (found === undefined && (await stat(place)).isDirectory() === false)
    throw usageInvalid(flag, `${flag} ${name} cannot be written: ${place} is a file. Name another place.`)
  if (!(await isWritable(place)))
    throw usageInvalid(flag, `${flag} ${name} cannot be written: permission denied. Name another place.`)
}

/** Returns the nearest existing directory: this one or one of its parents. */
async function nearest(directory: string): Promise<string> {
  for (let at = directory; ; at = dirname(at)) {
    const found = await stat(at).catch(() => undefined)
    if (found !== undefined || at === dirname(at)) return at
  }
}

/**
 * Writes to a temporary file and renames it, so that the file is never incomplete. Pipes and devices are written
 * directly.
 *
 * @throws `store-failed`
 */
export async function writeOutput({ cwd }: Host, name: string, text: string | AsyncIterable<string>): Promise<void> {
  const file = resolve(cwd, name)
  try {
    await makeParent(file)
    if (await isReplaceable(file)) await replace(file, text)
    else await pipeline(Readable.from(text), createWriteStream(file))
  } catch (thrown) {
    throw unwritten(name, thrown)
  }
}

/** Writes a report that is also printed. Returns whether it could be written, and prints the reason if not. */
export async function reportWritten(host: Host, name: string, text: string): Promise<boolean> {
  try {
    await writeOutput(host, name, text)
    host.note(`wrote ${name}`)
    return true
  } catch (thrown) {
    const sentence = `${failureOf(thrown).message} The report is printed above.`
    host.terminal.err(`${host.terminal.style.red('Failed')}: ${safeBlock(sentence)}\n`)
    return false
  }
}

async function replace(file: string, text: string | AsyncIterable<string>): Promise<void> {
  const unfinished = `${file}.${process.pid}.tmp`
  try {
    await pipeline(Readable.from(text), createWriteStream(unfinished))
    await rename(unfinished, file)
  } finally {
    await rm(unfinished, { force: true })
  }
}

async function isReplaceable(file: string): Promise<boolean> {
  const found = await lstat(file).catch(() => undefined)
  return (found === undefined || found.isFile()) && (await isWritable(dirname(file)))
}

function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  )
}

const reasons: { readonly [code: string]: string } = {
  ENOSPC: 'no space left',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  EISDIR: 'there is a directory of this name',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'a part of the path is a file',
}

/** Converts an error of the file system to `store-failed`. Returns other errors unchanged. */
export function unwritten(name: string, thrown: unknown): unknown {
  if (!(thrown instanceof Error && 'syscall' in thrown && 'code' in thrown)) return thrown
  const reason = reasons[String(thrown.code)] ?? thrown.message
  return new JuristError(
    'store-failed',
    `Could not write ${name}: ${reason}. Name another file.`,
    { path: name },
    { cause: thrown },
  )
}
