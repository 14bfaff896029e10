import { extname } from 'node:path'
import { failureOf } from '@jurist/core/internal'
import { isOverLimit, withProcessorLimit } from '@jurist/kit/processor-limit'
import { isRefusedFile, regularFileText } from '@jurist/kit/regular-file'
import { yamlSizeProblem } from '@jurist/kit/yaml-size'
import type { Document, Node, Pair } from 'yaml'
import { configInvalid, type Place } from './problems.js'

/** A YAML or JSON config, with the position of each part in the file. */
export interface ConfigDocument {
  readonly value: unknown
  /** Returns ` (line 3, column 5)` of the nearest existing part. */
  readonly at: (place: Place) => string
}

const mostBytes = 16 * 1024 * 1024
/** Processor time. The search for repeated keys takes quadratic time. */
const mostMs = 5_000

/**
 * Reads a YAML or JSON file.
 *
 * @throws `config-invalid` with line and column for each duplicate key, each alias without an anchor, and the first
 * other syntax error, since later ones mostly follow from it; also for a file that is too large, nested too deeply, or
 * takes longer than 5 seconds of processor time
 */
export async function readDocument(file: string): Promise<ConfigDocument> {
  const yaml = await import('yaml')
  const text = await configText(file)
  const lines = new yaml.LineCounter()
  const where = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return ` (line ${line}, column ${col})`
  }
  const { document, value } = inTime(file, () => {
    const tooLarge = yamlSizeProblem(new yaml.Lexer().lex(text))
    if (tooLarge !== undefined) {
      const [path, problem] = [`(line ${tooLarge.line})`, `cannot be read: ${tooLarge.message}.`]
      throw configInvalid(file, [{ path, problem, remedy: 'Use fewer and shorter parts.' }])
    }
    const document = yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false })
    const errors = syntaxErrors(yaml, document)
    if (errors.length > 0)
      throw configInvalid(
        file,
        errors.map(({ problem, offset }) => ({
          path: where(offset).trim(),
          problem: `${problem}.`,
          remedy: file.endsWith('.json') ? 'Write valid JSON.' : 'Write valid YAML.',
        })),
      )
    try {
      return { document, value: document.toJS() as unknown }
    } catch (thrown) {
      // Aliases of aliases can expand to too many values.
      const problem = `cannot be read: ${failureOf(thrown).message}.`
      throw configInvalid(file, [{ path: '', problem, remedy: 'Use fewer aliases.' }], thrown)
    }
  })
  return {
    value,
    at(place) {
      const offset = offsetOf(yaml, document.contents, place)
      return offset === undefined ? '' : where(offset)
    },
  }
}

/** Whether a config is a YAML or JSON document rather than a program. */
export function isDocument(file: string): boolean {
  return /^\.(ya?ml|json)$/.test(extname(file))
}

/**
 * Returns the value of a config document; `undefined` for a program, which would have to run, and for an unreadable
 * file.
 */
export async function documentValue(file: string): Promise<unknown> {
  return isDocument(file) ? (await readDocument(file).catch(() => undefined))?.value : undefined
}

async function configText(file: string): Promise<string> {
  try {
    return await regularFileText(file, mostBytes)
  } catch (thrown) {
    if (!isRefusedFile(thrown)) throw thrown
    throw configInvalid(file, [{ path: '', problem: `${thrown.message}.`, remedy: 'Put a config file there.' }], thrown)
  }
}

function inTime<Result>(file: string, read: () => Result): Result {
  try {
    return withProcessorLimit(mostMs, read)
  } catch (thrown) {
    if (!isOverLimit(thrown)) throw thrown
    const problem = `takes longer than ${mostMs / 1_000} seconds to read.`
    throw configInvalid(file, [
      { path: '', problem, remedy: 'Put items into a file of rows, and use fewer keys and aliases.' },
    ])
  }
}

type Yaml = typeof import('yaml')

interface SyntaxError {
  readonly problem: string
  readonly offset: number
}

function syntaxErrors({ visit }: Yaml, document: Document): readonly SyntaxError[] {
  const first = document.errors.find(({ code }) => code !== 'DUPLICATE_KEY')
  const found = document.errors
    .filter((error) => error === first || error.code === 'DUPLICATE_KEY')
    .map(({ message, pos }) => ({ problem: message, offset: pos[0] }))
  if (found.length > 0) return found
  const aliases: SyntaxError[] = []
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document) !== undefined) return
      const problem = `There is no anchor "&${alias.source}" before "*${alias.source}"`
      aliases.push({ problem, offset: alias.range?.[0] ?? 0 })
    },
  })
  return aliases
}

/** The pairs of mappings by key, cached because every problem of a config needs its position. */
const pairsByKey = new WeakMap<object, ReadonlyMap<string, Pair>>()

/** Returns the start of the nearest existing part of a place. */
function offsetOf({ isMap, isNode, isPair, isSeq }: Yaml, contents: unknown, place: Place): number | undefined {
  let [part, offset] = [contents, undefined as number | undefined]
  const begin = (node: unknown) => (isNode(node) ? (node as Node).range?.[0] : undefined)
  for (const key of place) {
    if (isMap(part)) {
      const pairs = pairsByKey.get(part) ?? new Map(part.items.filter(isPair).map((pair) => [String(pair.key), pair]))
      pairsByKey.set(part, pairs)
      const pair = pairs.get(String(key))
      if (pair === undefined) break
      offset = begin(pair.key) ?? begin(pair.value) ?? offset
      part = pair.value
    } else if (isSeq(part)) {
      part = part.items[Number(key)]
      offset = begin(part) ?? offset
    } else break
  }
  return offset
}
