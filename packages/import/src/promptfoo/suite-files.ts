import { readFile, realpath, stat } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import type { Json } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { readCsv, readJsonLines } from '@jurist/experiment/internal'
import { isOverLimit, withProcessorLimit } from '@jurist/kit/processor-limit'
import { hostileParts } from '../traces/trace-files.js'
import { filesLike, leaves, magic } from './suite-globs.js'

/** Collects the problems that make a suite unreadable. */
export type Refuse = (path: string, problem: string, remedy: string) => void

/** Reads the files that a suite names. Each method returns `undefined` for a file that it refused. */
export interface SuiteFiles {
  /** @param path the place in the suite, for messages */
  text(name: string, path: string): Promise<string | undefined>
  /** Reads a YAML or JSON file. */
  document(name: string, path: string): Promise<unknown>
  /** Reads the rows of a CSV file, or of a file with JSON on each line. */
  rows(name: string, path: string): Promise<readonly Readonly<Record<string, unknown>>[] | undefined>
  /** Returns the files that a name refers to, in order: the file itself, or the files that match it as a glob. */
  matching(name: string, path: string): Promise<readonly string[]>
}

const maxBytes = 16 * 1024 * 1024
const prefix = 'file://'

export function fileName(given: string): string {
  return given.startsWith(prefix) ? given.slice(prefix.length) : given
}

/**
 * Reads files only below a directory, even through names and links that lead outside: a suite may be untrusted, and the
 * contents of its files go into rows.
 *
 * @param root the outermost directory
 * @param directory the base of relative names
 */
export function suiteFiles(root: string, directory: string, refuse: Refuse): SuiteFiles {
  const bytes = async (name: string, path: string): Promise<Uint8Array | undefined> => {
    const file = resolve(directory, name)
    const real = await realpath(file).catch(() => undefined)
    if (leaves(root, file) || (real !== undefined && leaves(await realpath(root), real)))
      return void refuse(path, `${name} leads out of ${root}.`, 'Import in a directory that holds both.')
    const found = await stat(file).catch(() => undefined)
    if (found?.isFile() !== true) return void refuse(path, `${name} is not a file of the suite.`, 'Check the path.')
    if (found.size <= maxBytes) return readFile(file)
    return void refuse(path, `${name} has ${found.size} bytes; a file may have ${maxBytes}.`, 'Split it.')
  }
  const text = async (name: string, path: string): Promise<string | undefined> => {
    const read = await bytes(name, path)
    try {
      return read && new TextDecoder('utf-8', { fatal: true }).decode(read)
    } catch {
      return void refuse(path, `${name} is not UTF-8 text.`, 'Save it as UTF-8.')
    }
  }
  return {
    text,
    async document(name, path) {
      const read = await text(name, path)
      return read === undefined ? undefined : await parsed(read, (problem) => refuse(path, `${name}: ${problem}`, ''))
    },
    async rows(name, path) {
      const read = await bytes(name, path)
      if (read === undefined) return undefined
      const rows = await (extname(name) === '.csv' ? readCsv : readJsonLines)(read)
      return rows.flatMap((row) => {
        if (row.ok) return [row.values]
        refuse(path, `${name}: ${row.place} ${row.problem}`, row.remedy)
        return []
      })
    },
    async matching(name, path) {
      if (!magic.test(name) || (await stat(resolve(directory, name)).catch(() => undefined))?.isFile() === true)
        return [name]
      const found = await filesLike({ root: await realpath(root), directory: await realpath(directory) }, name)
      if ('problem' in found) return refuse(path, `${name} ${found.problem}`, found.remedy) ?? []
      return found.files
    },
  }
}

/** Processor time. */
const mostReadMs = 5_000

/** Parses YAML or JSON. */
async function parsed(text: string, refuse: (problem: string) => void): Promise<unknown> {
  const [{ Lexer, parseDocument }, { checkYamlSize }] = await Promise.all([
    import('yaml'),
    import('@jurist/workspace/internal'),
  ])
  try {
    const { document, value } = withProcessorLimit(mostReadMs, () => {
      checkYamlSize(new Lexer().lex(text))
      const document = parseDocument(text, { merge: true, prettyErrors: true })
      return { document, value: document.errors.length > 0 ? undefined : document.toJS({ maxAliasCount: 100 }) }
    })
    for (const { message } of document.errors) {
      const isDeep = message.startsWith('Maximum call stack')
      refuse(isDeep ? 'it is nested too deeply.' : `${message.split('\n', 1)[0]?.replace(/:$/, '')}.`)
    }
    if (document.errors.length > 0) return undefined
    const hostile = hostileParts(value as Json, '')
    for (const problem of hostile) refuse(`${problem}.`)
    return hostile.length > 0 ? undefined : value
  } catch (thrown) {
    if (isOverLimit(thrown)) return void refuse(`it takes longer than ${mostReadMs / 1_000} seconds to read.`)
    return void refuse(thrown instanceof RangeError ? 'it is nested too deeply.' : `${failureOf(thrown).message}.`)
  }
}
