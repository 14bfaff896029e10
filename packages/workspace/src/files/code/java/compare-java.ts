import { type Finding, maxDepth, maxNodes, outOfTime, type Sources, type SyntaxProblem } from '../../comparator.js'
import { declarationFinding } from '../compare-declarations.js'
import type { Member } from '../declaration.js'
import { grammarProblem } from '../grammar.js'
import {
  countUpTo,
  firstDifferentToken,
  lineFinder,
  problemNotes,
  type TokenStream,
  tokenFinding,
} from '../token-stream.js'
import { findOutside, isWord, type JavaSource, javaSource } from './java-source.js'
import { modifierHeader, range, readMembers, readModifiers, unorderedClause } from './members.js'

/**
 * A word, a number, an operator (`>` always alone, because `>>` may close two type argument lists) or any character.
 */
const token = new RegExp(
  [
    String.raw`[A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff]*`,
    String.raw`(?:0[xX][\da-fA-F_]*(?:\.[\da-fA-F_]*)?(?:[pP][+-]?[\d_]+)?|0[bB][01_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?[\d_]+)?)[lLfFdD]?`,
    String.raw`>>>=|>>=|>=|<<=|<<|<=|->|--|-=|\+\+|\+=|&&|&=|\|\||\|=|==|!=|\*=|\/=|%=|\^=|::|\.\.\.|[^]`,
  ].join('|'),
  'y',
)
const stringRun = /[^"\\\n]*/y
const characterRun = /[^'\\\n]*/y
const blockRun = /[^"\\]*/y
const blockOpening = /"""[ \t\f]*\n/y

/**
 * Tokenizes a Java source with LF line ends. It never fails: unknown characters become tokens, and an unclosed literal
 * reaches to the end of its line. A text block is represented by its value.
 */
export function javaTokens(source: string): TokenStream {
  const { text, writtenOffset } = translateUnicodeEscapes(source)
  const texts: string[] = []
  const starts: number[] = []
  for (let at = nextToken(text, 0); at < text.length; ) {
    const end = tokenEnd(text, at)
    texts.push(isTextBlock(text, at) ? blockToken(text, at, end) : text.slice(at, end))
    starts.push(at)
    at = nextToken(text, end)
  }
  const lineAt = lineFinder(source)
  return { texts, lineOf: (index) => lineAt(writtenOffset(starts[index] ?? 0)) }
}

/** Finds the next token after white space and comments. An unclosed comment is not skipped. */
function nextToken(text: string, from: number): number {
  let at = from
  for (;;) {
    const code = text.charCodeAt(at)
    if (code === 32 || code === 10 || code === 9 || code === 12 || code === 13 || code === 26) at++
    else if (code !== 47) return at
    else {
      const end = commentEnd(text, at)
      if (end === undefined) return at
      at = end
    }
  }
}

function commentEnd(text: string, at: number): number | undefined {
  const second = text.charCodeAt(at + 1)
  if (second !== 47 && second !== 42) return undefined
  const end = second === 47 ? text.indexOf('\n', at) : text.indexOf('*/', at + 2)
  if (second === 47) return end === -1 ? text.length : end
  return end === -1 ? undefined : end + 2
}

function tokenEnd(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code === 34) return isTextBlock(text, at) ? blockEnd(text, at) : literalEnd(text, at, '"', stringRun)
  if (code === 39) return literalEnd(text, at, "'", characterRun)
  matchesAt(token, text, at)
  return token.lastIndex
}

function isTextBlock(text: string, at: number): boolean {
  return text.charCodeAt(at) === 34 && matchesAt(blockOpening, text, at)
}

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at
  return pattern.test(text)
}

function literalEnd(text: string, start: number, quote: string, run: RegExp): number {
  let at = start + 1
  for (;;) {
    matchesAt(run, text, at)
    at = run.lastIndex
    if (text[at] === quote) return at + 1
    if (text[at] !== '\\' || text[at + 1] === '\n') return at
    at = Math.min(at + 2, text.length)
  }
}

function blockEnd(text: string, start: number): number {
  let at = start + 3
  while (at < text.length) {
    matchesAt(blockRun, text, at)
    at = blockRun.lastIndex
    if (text.startsWith('"""', at)) return at + 3
    at += text[at] === '\\' ? 2 : 1
  }
  return text.length
}

/**
 * Combines the opening quotes and the value, so that the token never equals a plain string, which has no second quote.
 */
function blockToken(text: string, start: number, end: number): string {
  return `"""${textBlockValue(text.slice(text.indexOf('\n', start) + 1, end - 3))}`
}

/**
 * Computes the value of a Java text block from the part between its opening line and the closing quotes: it strips
 * incidental indentation and trailing space, then translates escapes, as the language defines it.
 */
function textBlockValue(content: string): string {
  const lines = content.split('\n')
  const indent = incidentalIndent(lines)
  const stripped = lines.map((line) => (isBlank(line) ? '' : withoutTrailingSpace(line.slice(indent))))
  return translated(stripped.join('\n'))
}

/** This scans from the end: a regular expression would take quadratic time for long runs of space inside a line. */
function withoutTrailingSpace(line: string): string {
  let end = line.length
  while (end > 0 && ' \t\f'.includes(line.charAt(end - 1))) end--
  return line.slice(0, end)
}

function isBlank(line: string): boolean {
  return /^[ \t\f]*$/.test(line)
}

/**
 * Returns the least indentation of the lines that are not blank and of the last line, which counts even if it is blank.
 */
function incidentalIndent(lines: readonly string[]): number {
  let least = Number.POSITIVE_INFINITY
  for (const [index, line] of lines.entries()) {
    if (isBlank(line) && index < lines.length - 1) continue
    least = Math.min(least, line.search(/[^ \t\f]|$/))
  }
  return least
}

const named: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['s', ' '],
  ['t', '\t'],
  ['n', '\n'],
  ['f', '\f'],
  ['r', '\r'],
  ['\n', ''],
])

function translated(text: string): string {
  return text.replace(/\\([0-3]?[0-7]{1,2}|.)/gs, (_, code: string) => {
    if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8))
    return named.get(code) ?? code
  })
}

/** A source without Unicode escapes, and a mapping to offsets in the original source. */
interface TranslatedSource {
  readonly text: string
  /** Returns the offset in the original source of the character at `offset` of `text`. */
  writtenOffset(offset: number): number
}

const backslash = /\\(?:u+([0-9a-fA-F]{4})|.)/gs

/**
 * Translates `\\uXXXX` before anything else is read, as the language demands: only after an even number of backslashes,
 * and a translated backslash begins no further escape. So code hidden in an escaped comment end is treated as code.
 */
function translateUnicodeEscapes(source: string): TranslatedSource {
  if (!source.includes('\\u')) return { text: source, writtenOffset: (offset) => offset }
  const ends: number[] = []
  let removed = 0
  const text = source.replace(backslash, (written: string, code: string | undefined, offset: number) => {
    if (code === undefined) return written
    ends.push(offset - removed + 1)
    removed += written.length - 1
    return String.fromCharCode(Number.parseInt(code, 16))
  })
  const removedUpTo = removedSums(source)
  return { text, writtenOffset: (offset) => offset + (removedUpTo[countUpTo(ends, offset)] ?? 0) }
}

/** Returns how many characters the first n escapes remove, for n from 0. */
function removedSums(source: string): readonly number[] {
  const sums = [0]
  for (const [written, code] of source.matchAll(backslash)) {
    if (code !== undefined) sums.push((sums.at(-1) ?? 0) + written.length - 1)
  }
  return sums
}

/**
 * Compares two Java files by tokens and, if these differ, by declarations. Layout, comments, and the order of imports
 * and of members without initialisers do not count. No parser is loaded for files with equal tokens.
 */
export async function compareJava({ reference, actual, inTime }: Sources): Promise<Finding> {
  const expected = javaTokens(reference)
  const found = javaTokens(actual)
  if (firstDifferentToken(expected, found) === undefined) return { by: 'tokens', differences: [], notes: [] }
  if (!inTime()) return tokenFinding(expected, found, [outOfTime])
  const sides = { reference: javaSource(expected), actual: javaSource(found) }
  const notes = problemNotes({
    reference: await javaProblem(sides.reference, reference),
    actual: await javaProblem(sides.actual, actual),
  })
  if (notes.length > 0) return tokenFinding(expected, found, notes)
  if (!inTime()) return tokenFinding(expected, found, [outOfTime])
  return declarationFinding(expected, found, '(file)', (side) => readCompilationUnit(sides[side]))
}

/**
 * Module imports are newer than the grammar, which reads them as imports of types. The offsets of all other code stay
 * the same.
 */
function withoutModuleImports(text: string): string {
  return text.replace(/\bimport(\s+)module(?=\s+[\p{L}_$][\p{L}\p{N}_$.]*\s*;)/gu, 'import$1      ')
}

/** Returns why `text`, whose tokens are `source`, is not Java; `undefined` if it is. */
export async function javaProblem(source: JavaSource, text: string): Promise<SyntaxProblem | undefined> {
  if (source.depth > maxDepth.code) return { message: `nested deeper than ${maxDepth.code}`, line: null }
  if (source.texts.length > maxNodes) return { message: `more than ${maxNodes} tokens`, line: null }
  const misplaced = misplacedDeclaration(source)
  if (misplaced !== undefined)
    return { message: `"${source.texts[misplaced]}" is out of place`, line: source.lineOf(misplaced) }
  const translated = withoutModuleImports(translateUnicodeEscapes(text).text)
  return grammarProblem('java', translated)
}

const semicolon: ReadonlySet<string> = new Set([';'])
const topLevel = { path: '', name: '', kind: 'class' } as const

/** Reads the declarations of a Java file: package, imports (repeated ones once), types or a module. */
function readCompilationUnit(source: JavaSource): readonly Member[] {
  const { texts } = source
  const members = new Map<string, Member>()
  let at = 0
  for (;;) {
    if (texts[at] === ';') at++
    else {
      const member = readPackage(source, at) ?? readImport(source, at) ?? readModule(source, at)
      if (member === undefined) break
      if (!members.has(member.key)) members.set(member.key, member)
      at = member.last + 1
    }
  }
  return [...members.values(), ...readMembers(source, topLevel, [at, texts.length])]
}

function readPackage(source: JavaSource, first: number): Member | undefined {
  const modifiers = readModifiers(source, first)
  if (source.texts[modifiers.end] !== 'package') return undefined
  const end = findOutside(source, modifiers.end, source.texts.length, semicolon)
  const name = { kind: 'differs', label: 'name', items: range(modifiers.end + 1, end), end } as const
  return { key: 'package', sort: 'package', first, last: end, parts: [modifierHeader(modifiers), name] }
}

function readImport(source: JavaSource, first: number): Member | undefined {
  const { texts } = source
  if (texts[first] !== 'import') return undefined
  const end = findOutside(source, first, texts.length, semicolon)
  const name = isWord(texts[first + 1]) && isWord(texts[first + 2]) ? first + 2 : first + 1
  const words = [...range(first, name), ...[textBetween(source, name, end)]]
  const key = words.map((word) => (typeof word === 'number' ? texts[word] : word)).join(' ')
  return { key, sort: 'import', first, last: end, parts: [] }
}

function readModule(source: JavaSource, first: number): Member | undefined {
  const { texts, closing } = source
  const modifiers = readModifiers(source, first)
  const word = texts[modifiers.end] === 'open' ? modifiers.end + 1 : modifiers.end
  const body = nameEnd(source, word + 1)
  if (texts[word] !== 'module' || !isWord(texts[word + 1]) || texts[body] !== '{') return undefined
  const close = closing(body)
  const items = [modifiers.group, ...range(modifiers.end, body)]
  return {
    key: `module ${textBetween(source, word + 1, body)}`,
    sort: 'module',
    first,
    last: close,
    parts: [{ kind: 'header', label: 'header', items, end: body }],
    members: readDirectives(source, body + 1, close),
  }
}

function readDirectives(source: JavaSource, from: number, to: number): readonly Member[] {
  const directives: Member[] = []
  for (let at = from; at < to; ) {
    const end = findOutside(source, at, to, semicolon)
    if (end > at) directives.push(readDirective(source, at, end))
    at = end + 1
  }
  return directives
}

/** Reads `requires` with its modifiers in any order, and `exports` and `opens` with their targets in any order. */
function readDirective(source: JavaSource, first: number, end: number): Member {
  const { texts } = source
  let name = first + 1
  while (isWord(texts[name]) && isWord(texts[name + 1]) && texts[first] === 'requires') name++
  const behind = nameEnd(source, name)
  const key = `${texts[first]} ${textBetween(source, name, behind)}`
  const units = range(first + 1, name).map((index) => ({ key: texts[index] ?? '', items: [index] }))
  const targets = texts[behind] === 'to' ? unorderedClause(source, behind, end) : range(behind, end)
  return {
    key,
    sort: 'directive',
    first,
    last: end,
    parts: [
      { kind: 'header', label: 'header', items: [{ units }], end: name },
      { kind: 'differs', label: 'targets', items: targets, end },
    ],
  }
}

function nameEnd({ texts }: JavaSource, from: number): number {
  let end = from + 1
  while (texts[end] === '.') end += 2
  return end
}

function textBetween({ texts }: JavaSource, from: number, to: number): string {
  return texts.slice(from, to).join('')
}

/**
 * Returns the index of the first `import` or `package` where Java does not allow it: imports after a type, a package
 * after either. The grammar accepts the declarations of a file in any order.
 */
function misplacedDeclaration({ texts, closing }: JavaSource): number | undefined {
  let reached: 'package' | 'import' | 'type' | undefined
  let isWithin = false
  for (let at = 0; at < texts.length; at++) {
    const text = texts[at]
    if (text === 'import' || text === 'package') {
      if (reached === 'type' || (text === 'package' && reached !== undefined)) return at
      reached = text
      isWithin = false
      at = declarationEnd(texts, at)
    } else if (text === '{' || (text === ';' && isWithin)) {
      reached = 'type'
      isWithin = false
      at = text === '{' ? closing(at) : at
    } else if (text !== ';') {
      // The annotations of a package, or the beginning of a type.
      isWithin = true
      if (text === '(' || text === '[') at = closing(at)
    }
  }
  return undefined
}

function declarationEnd(texts: readonly string[], from: number): number {
  const end = texts.indexOf(';', from)
  return end < 0 ? texts.length : end
}
