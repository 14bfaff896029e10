import { countUpTo, lineFinder, type TokenStream } from '../token-stream.js'
import type { LayoutFacts } from './layout-facts.js'
import type { ParsedScript, ScriptToken } from './parse-script.js'

/** The tokens of a script without matters of style, and a mapping from offsets to tokens. */
export interface ScriptStream extends TokenStream {
  /** Returns the first token at or after an offset. An inserted semicolon belongs to what it ends. */
  indexAt(offset: number): number
  /** The tokens that concern the whole file, wherever they are: pragmas and the line `#!…`. */
  readonly fileWide: ReadonlySet<number>
}

/**
 * Returns the tokens of a script in one style: strings by value, every semicolon written, no trailing comma, JSX text
 * as it is shown. Comments are dropped unless they are pragmas.
 */
export function scriptTokens({ source, tokens }: ParsedScript, facts: LayoutFacts): ScriptStream {
  const texts: string[] = []
  const starts: number[] = []
  const fileWide = new Set<number>()
  const add = (text: string, start: number) => {
    texts.push(text)
    starts.push(start)
  }
  for (const [index, token] of tokens.entries()) {
    const pragma = isComment(token) ? pragmaIn(String(token.value), token.type === 'CommentBlock') : undefined
    if (pragma !== undefined) {
      if (pragma.scope === 'file') fileWide.add(texts.length)
      add(pragma.text, token.start)
    }
    if (isComment(token) || labelOf(token) === 'eof' || facts.idle.has(token.start)) continue
    if (labelOf(token) === '#!...') fileWide.add(texts.length)
    const text = styleless(source, token, facts)
    if (text === '' || isIdlePunctuation(text, texts.at(-1), next(tokens, index), facts)) continue
    add(text, token.start)
    if (facts.ended.has(token.end) && text !== ';') add(';', token.start)
  }
  const lineAt = lineFinder(source)
  return {
    texts,
    fileWide,
    lineOf: (index) => lineAt(starts[index] ?? 0),
    indexAt: (offset) => countUpTo(starts, offset - 1),
  }
}

function isComment({ type }: ScriptToken): boolean {
  return type === 'CommentBlock' || type === 'CommentLine'
}

function labelOf({ type }: ScriptToken): string {
  return typeof type === 'string' ? type : type.label
}

function next(tokens: readonly ScriptToken[], index: number): ScriptToken | undefined {
  let at = index + 1
  for (let token = tokens[at]; token !== undefined && isComment(token); token = tokens[at]) at++
  return tokens[at]
}

function styleless(source: string, token: ScriptToken, facts: LayoutFacts): string {
  const written = source.slice(token.start, token.end)
  if (written === ',' && facts.separators.has(token.start)) return ';'
  const label = labelOf(token)
  if (label === 'jsxText') return shownJsxText(written)
  if (label !== 'string') return written
  return facts.directives.has(token.start) ? `'${written.slice(1, -1)}'` : JSON.stringify(token.value)
}

/** Whether a comma or semicolon before a closing bracket is only style. In `[1,,]`, it is a hole. */
function isIdlePunctuation(
  text: string,
  before: string | undefined,
  after: ScriptToken | undefined,
  facts: LayoutFacts,
): boolean {
  if (after === undefined) return false
  if (text === ';') return facts.mapped.has(after.start)
  const label = labelOf(after)
  if (text !== ',') return false
  if (label === ']') return before !== ',' && before !== '['
  return label === ')' || label === '}' || label === '</>/<=/>='
}

/**
 * Returns JSX text as it will be shown: inner line ends are trimmed, blank lines are dropped, and the rest is joined by
 * a space. Text on one line stays as it is. An empty string means that nothing is shown.
 */
function shownJsxText(text: string): string {
  const lines = text.split('\n')
  const last = lines.length - 1
  return lines
    .map((line, index) => trimmed(line, index > 0, index < last))
    .filter((line) => line !== '')
    .join(' ')
}

function trimmed(line: string, start: boolean, end: boolean): string {
  const begun = start ? line.replace(/^[ \t]+/, '') : line
  let length = begun.length
  while (end && length > 0 && ' \t'.includes(begun.charAt(length - 1))) length--
  return begun.slice(0, length)
}

/** A comment that instructs a tool: the instruction, and whether it applies to the whole file or the next line. */
interface Pragma {
  readonly text: string
  readonly scope: 'file' | 'next'
}

const typeScriptOrder = /^[ \t*/]*@(ts-(?:expect-error|ignore|nocheck))\b/m
const jsxOrder = /@(jsx(?:Frag|ImportSource|Runtime)?)\s+(\S+)/g

/**
 * Returns the pragma in a comment. `content` is the comment without its delimiters; explanations after the pragma do
 * not count.
 */
function pragmaIn(content: string, isBlock: boolean): Pragma | undefined {
  if (!content.includes('@')) return undefined
  const order = typeScriptOrder.exec(content)?.[1]
  if (order !== undefined) return { text: `@${order}`, scope: order === 'ts-nocheck' ? 'file' : 'next' }
  if (!isBlock) return undefined
  const orders = [...content.matchAll(jsxOrder)].map(([, name, value]) => `@${name} ${value}`)
  return orders.length === 0 ? undefined : { text: orders.join(' '), scope: 'file' }
}
