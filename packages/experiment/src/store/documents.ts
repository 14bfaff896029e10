import type { Dirent } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { JuristError } from '@jurist/core'
import { regularFileText } from '@jurist/kit/regular-file'
import { ifThere, makeDirectory, onDisk, replaceFile } from './disk.js'
import { alone } from './lock.js'

/**
 * Named records of one kind, by experiment: the port under sessions and sweeps.
 * Names have been checked before they come here.
 */
export interface Documents<Document> {
  read(experimentName: string, name: string): Promise<Document | undefined>
  /**
   * Replaces a document by the result of `change`. No other process changes it meanwhile; when `change` throws, nothing
   * happens.
   */
  change(
    experimentName: string,
    name: string,
    change: (current: Document | undefined) => Document | Promise<Document>,
  ): Promise<Document>
  /** Removes a document; `false` when it does not exist. */
  remove(experimentName: string, name: string): Promise<boolean>
  /** Every document of an experiment, in no particular order. */
  all(experimentName: string): Promise<readonly Document[]>
}

/** Documents as files: `<results>/<experiment>/<kind>/<name>.json`. */
export function fileDocuments<Document extends object>(options: {
  readonly results: string
  readonly kind: 'sessions' | 'sweeps'
  /** Reads the text of the file at `path`. */
  readonly read: (text: string, path: string) => Document
  readonly sync: boolean
  readonly warn: (message: string) => void
}): Documents<Document> {
  const { results, kind, read, sync, warn } = options
  const directoryOf = (experimentName: string) => join(results, experimentName, kind)

  async function readFrom(path: string): Promise<Document | undefined> {
    const text = await textOf(path)
    return text === undefined ? undefined : read(text, path)
  }

  /** One that is damaged must not hide all others. */
  async function orLeftOut(reading: Promise<Document | undefined>): Promise<Document | undefined> {
    try {
      return await reading
    } catch (thrown) {
      if (!JuristError.is(thrown)) throw thrown
      warn(`A file of ${kind} was left out. ${thrown.message}`)
      return undefined
    }
  }

  return {
    async read(experimentName, name) {
      return await readFrom(join(directoryOf(experimentName), `${name}.json`))
    },
    async change(experimentName, name, change) {
      const directory = directoryOf(experimentName)
      await makeDirectory(directory, sync)
      const path = join(directory, `${name}.json`)
      return await alone(path, async () => {
        const next = await change(await readFrom(path))
        const text = `${JSON.stringify({ schemaVersion: 1, ...next }, undefined, 2)}\n`
        await replaceFile(path, text, { sync, temporary: join(results, experimentName) })
        return next
      })
    },
    async remove(experimentName, name) {
      const path = join(directoryOf(experimentName), `${name}.json`)
      return (await textOf(path)) !== undefined && (await alone(path, () => removed(path)))
    },
    async all(experimentName) {
      const directory = directoryOf(experimentName)
      const files = (await namesIn(directory)).filter((name) => name.endsWith('.json'))
      const documents = await Promise.all(files.map((name) => orLeftOut(readFrom(join(directory, name)))))
      return documents.filter((document) => document !== undefined)
    },
  }
}

/** The names in a directory; none when it is not there. */
export async function namesIn(directory: string): Promise<readonly string[]> {
  return (await entriesIn(directory)).map(({ name }) => name)
}

/** The names of directories, and of links that may lead to one. Other files are skipped. */
export async function directoriesIn(directory: string): Promise<readonly string[]> {
  const entries = await entriesIn(directory)
  return entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink()).map(({ name }) => name)
}

async function entriesIn(directory: string): Promise<readonly Dirent[]> {
  return (await onDisk('read', directory, () => ifThere(readdir(directory, { withFileTypes: true })))) ?? []
}

async function textOf(path: string): Promise<string | undefined> {
  return await onDisk('read', path, () => ifThere(regularFileText(path)))
}

async function removed(path: string): Promise<boolean> {
  return (await onDisk('remove', path, () => ifThere(rm(path).then(() => true)))) ?? false
}
