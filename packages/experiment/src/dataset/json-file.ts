import { join } from 'node:path'
import { failureOf } from '@jurist/core/internal'
import { parseOrUndefined } from '@jurist/kit/json'
import { regularFileBytes } from '@jurist/kit/regular-file'
import type { ParseErrorCode } from 'jsonc-parser'
import { leavesThroughLink } from './contained.js'
import type { Spot } from './problem.js'

/**
 * The value of the JSON file that `spot` names below `root`. Reports whatever is wrong with the file, and then returns
 * `undefined`, which no JSON value is.
 */
export async function readJsonFile(root: string, spot: Spot): Promise<unknown> {
  const text = await readTextFile(root, spot)
  if (text === undefined) return undefined
  const value = parseOrUndefined(text)
  if (value !== undefined) return value
  const { line, column, problem } = await jsonFault(text)
  const fault = `is not JSON: line ${line}, column ${column}: ${problem}.`
  spot.report({ file: spot.file, item: spot.item, field: null, problem: fault, remedy: 'Correct it there.' })
  return undefined
}

/** The text of the file that `spot` names below `root`. Reports whatever is wrong with it, and then returns `undefined`. */
export async function readTextFile(root: string, spot: Spot): Promise<string | undefined> {
  const refuse = (problem: string, remedy: string): undefined => {
    spot.report({ file: spot.file, item: spot.item, field: null, problem, remedy })
  }
  const path = join(root, spot.file)
  if (leavesThroughLink(root, path)) return refuse('leaves the dataset through a link.', 'Put the file itself there.')
  const bytes = await regularFileBytes(path).catch((thrown: unknown) => failureOf(thrown))
  if (!(bytes instanceof Uint8Array)) {
    if (bytes.code === 'ENOENT' || bytes.code === 'ENOTDIR')
      return refuse('is missing.', 'Add it, or remove what refers to it.')
    return refuse(`cannot be read: ${bytes.message}.`, 'Make it a readable file.')
  }
  return utf8(bytes) ?? refuse('is not UTF-8.', 'Save it as UTF-8.')
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Bytes as a string, without a leading byte order mark; `undefined` when they are not UTF-8. */
export function utf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** The first place where a string stops being JSON; line and column count from 1. */
export interface JsonFault {
  readonly line: number
  readonly column: number
  /** Such as `expected "," but found "x"`. */
  readonly problem: string
}

/**
 * Locates the first syntax error of a string. The messages of `JSON.parse` differ between engines and lack a line number.
 */
export async function jsonFault(text: string): Promise<JsonFault> {
  const { parse, printParseErrorCode } = await import('jsonc-parser')
  const errors: { readonly error: ParseErrorCode; readonly offset: number; readonly length: number }[] = []
  try {
    parse(text, errors, { disallowComments: true })
  } catch {
    // The parser recurses, so its limit on nesting is also that of datasets.
    return { line: 1, column: 1, problem: 'it is nested too deeply' }
  }
  const [first = { error: 1 as ParseErrorCode, offset: 0, length: 0 }] = errors
  const code = printParseErrorCode(first.error)
  const offset = placeInToken(code, text, first.offset, first.length)
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  const line = text.slice(0, lineStart).split('\n').length
  return { line, column: [...text.slice(lineStart, offset)].length + 1, problem: problemOf(code, text, offset) }
}

/** Faults inside a string are reported for the string as a whole: this finds the character. */
function placeInToken(code: string, text: string, offset: number, length: number): number {
  if (code === 'UnexpectedEndOfString') return offset + length < text.length ? offset + length : offset
  if (code !== 'InvalidCharacter' && code !== 'InvalidEscapeCharacter' && code !== 'InvalidUnicode') return offset
  const fault = code === 'InvalidCharacter' ? /[\u0000-\u001f]/ : /\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})/
  return offset + Math.max(0, text.slice(offset, offset + length).search(fault))
}

const expectedTokens: { readonly [code: string]: string } = {
  PropertyNameExpected: 'a key in double quotes',
  ColonExpected: '":"',
  CommaExpected: '","',
  CloseBraceExpected: '"," or "}"',
  CloseBracketExpected: '"," or "]"',
  EndOfFileExpected: 'nothing more',
}

function problemOf(code: string, text: string, offset: number): string {
  switch (code) {
    case 'UnexpectedEndOfString':
      return text[offset] === '"' ? 'this string has no closing quote' : brokenString
    case 'InvalidCharacter':
      return brokenString
    case 'InvalidEscapeCharacter':
    case 'InvalidUnicode':
      return 'this backslash starts an escape that JSON does not have'
    case 'InvalidCommentToken':
    case 'UnexpectedEndOfComment':
      return 'JSON has no comments'
    case 'InvalidSymbol':
      return `unexpected ${characterAt(text, offset)}`
    default:
      return `expected ${expectedTokens[code] ?? 'a value'} but found ${characterAt(text, offset)}`
  }
}

const brokenString = 'a string cannot hold a line break or a control character'

function characterAt(text: string, offset: number): string {
  const point = text.codePointAt(offset)
  return point === undefined ? 'the end of the text' : JSON.stringify(String.fromCodePoint(point))
}
