import type { Span } from '../mutate/language/construct.js'
import type { SourceEdit } from '../mutate/operators.js'

/** A change that keeps the behaviour of a right solution. */
export type VariantKind =
  | 'layout'
  | 'comments'
  | 'rename-local'
  | 'rename-private'
  | 'order-declarations'
  | 'order-keys'
  | 'order-imports'
  | 'message'
  | 'error-subtype'
  | 'extract'
  | 'inline'
  | 'loop-form'
  | 'equal-expression'
  | 'equal-algorithm'
  | 'collection-kind'
  | 'async-form'
  | 'file-form'

/** A source that behaves like another one. */
export interface Variant {
  readonly kind: VariantKind
  /** In the order of the source, without overlaps. */
  readonly edits: readonly SourceEdit[]
  /**
   * `form`: the syntax tree or the scope proves that it behaves alike. `inputs`: it must also give the same answers on
   * inputs.
   */
  readonly equality: 'form' | 'inputs'
  /** A short description, such as `total → total2`. */
  readonly what: string
  /** The names of the old form: a task that contains one of these may demand it. */
  readonly words: readonly string[]
}

/** Applies the edits of a variant. */
export function varied(source: string, { edits }: Pick<Variant, 'edits'>): string {
  let [text, at] = ['', 0]
  for (const edit of edits) {
    text += source.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return text + source.slice(at)
}

/** The variant of some edits; none if they overlap or if there are none. */
export function variantOf(
  kind: VariantKind,
  equality: Variant['equality'],
  what: string,
  edits: readonly SourceEdit[],
  words: readonly string[] = [],
): readonly Variant[] {
  const sorted = edits.toSorted((a, b) => a.start - b.start || a.end - b.end)
  const isApart = sorted.every((edit, index) => index === 0 || edit.start >= (sorted[index - 1]?.end ?? 0))
  return isApart && sorted.length > 0 ? [{ kind, equality, what, words, edits: sorted }] : []
}

/** Whether a part of a source contains another one. */
export function holds(outer: Span, inner: Span): boolean {
  return outer.start <= inner.start && inner.end <= outer.end
}

/** Exchanges two parts of a source. */
export function swapped(source: string, first: Span, second: Span): readonly SourceEdit[] {
  return [
    { start: first.start, end: first.end, text: source.slice(second.start, second.end) },
    { start: second.start, end: second.end, text: source.slice(first.start, first.end) },
  ]
}

/** Returns a name that does not occur in the source. */
export function freshName(source: string, name: string): string {
  for (let number = 2; ; number++) if (!isWordIn(source, `${name}${number}`)) return `${name}${number}`
}

/** Whether a string contains a word or a phrase, and not as part of a longer word. */
export function isWordIn(text: string, word: string): boolean {
  const letter = /[\w$]/
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1))
    if (
      !(letter.test(word[0] ?? '') && letter.test(text[at - 1] ?? '')) &&
      !(letter.test(word.at(-1) ?? '') && letter.test(text[at + word.length] ?? ''))
    )
      return true
  return false
}

/** The parts of the layout of a source. */
export interface Layout {
  readonly comments: readonly Span[]
  /** Parts that span lines and in which spaces count. */
  readonly fixed: readonly Span[]
  /** String literals whose quotes may change. */
  readonly strings: readonly Span[]
}

/** Comments that tools read, and those that a licence demands. */
const directive =
  /@|[#!]__|^#!|^\/\/\/|^\/\*!|eslint|biome|prettier|istanbul|c8 |v8 |webpack|vite|sourceMapping|noqa|type:|pragma|pylint|mypy|fmt:|coding[:=]|isort|ruff|nosec|NOSONAR|region|licen[cs]e|copyright|SPDX|todo/i

/** The variants of layout and comments, which every language with a grammar has. */
export function layoutVariants(
  source: string,
  { comments, fixed, strings }: Layout,
  sign: '//' | '#',
): readonly Variant[] {
  const free = comments.filter(({ start, end }) => !directive.test(source.slice(start, end)))
  const remark = `${source.endsWith('\n') ? '' : '\n'}${sign} The end of the file.\n`
  return [
    ...variantOf('layout', 'form', 'wider indentation, other quotes', [
      ...indented(source, [...fixed, ...comments]),
      ...strings.flatMap((span) => requoted(source, span)),
    ]),
    ...variantOf(
      'comments',
      'form',
      free.length > 0 ? 'comments left out' : 'a comment more',
      free.length > 0
        ? free.map((span) => withoutComment(source, span))
        : [{ start: source.length, end: source.length, text: remark }],
    ),
  ]
}

/** Doubles the indentation of every line that does not begin inside a string or a comment. */
function indented(source: string, fixed: readonly Span[]): readonly SourceEdit[] {
  const longer = fixed.filter(({ start, end }) => source.slice(start, end).includes('\n'))
  return [...source.matchAll(/^[ \t]+(?=\S)/gm)].flatMap(({ index, 0: space }) =>
    longer.some(({ start, end }) => start < index + space.length && index < end && start < index)
      ? []
      : [{ start: index, end: index, text: space }],
  )
}

/** Exchanges the quotes of a string that contains neither quotes nor escapes. */
function requoted(source: string, { start, end }: Span): readonly SourceEdit[] {
  const text = source.slice(start, end)
  const other = text[0] === '"' ? "'" : '"'
  return /^(?:"[^"'\\\n]*"|'[^"'\\\n]*')$/.test(text)
    ? [{ start, end, text: `${other}${text.slice(1, -1)}${other}` }]
    : []
}

/** A comment that is alone on its lines goes with them; a line break inside it stays, since it may end a statement. */
function withoutComment(source: string, { start, end }: Span): SourceEdit {
  const from = source.lastIndexOf('\n', start - 1) + 1
  const found = source.indexOf('\n', end)
  const to = found === -1 ? source.length : found + 1
  const isAlone = source.slice(from, start).trim() === '' && source.slice(end, to).trim() === ''
  if (isAlone && from > 0) return { start: from, end: to, text: '' }
  return { start, end, text: source.slice(start, end).includes('\n') ? '\n' : ' ' }
}

const mirrors: Readonly<Record<string, string>> = {
  ...{ '==': '==', '!=': '!=', '===': '===', '!==': '!==' },
  ...{ '<': '>', '>': '<', '<=': '>=', '>=': '<=' },
}

/** A comparison from the other side. Neither side may have an effect. */
export function mirrored(source: string, left: Span, right: Span): readonly Variant[] {
  const between = source.slice(left.end, right.start)
  const sign = between.trim()
  const mirror = mirrors[sign]
  if (mirror === undefined) return []
  const edit = { start: left.end, end: right.start, text: between.replace(sign, mirror) }
  return variantOf('equal-expression', 'form', `${sign} from the other side`, [...swapped(source, left, right), edit])
}

/** A message in other words, if it is a plain string literal. */
export function messageVariants(source: string, { start, end }: Span): readonly Variant[] {
  const [, quote, old = ''] = /^(["'])((?:(?!\1)[^\\\n])*)\1$/.exec(source.slice(start, end)) ?? []
  const other = reworded(old)
  if (quote === undefined || other === undefined) return []
  return variantOf('message', 'inputs', `${old} → ${other}`, [{ start, end, text: `${quote}${other}${quote}` }], [old])
}

/** Other words for a message: "must be" has a synonym, and a full stop may be there or not. */
function reworded(message: string): string | undefined {
  if (!/^[\p{L}][^{}%\\$]* [^{}%\\$]*$/u.test(message)) return undefined
  if (/\bmust be\b/.test(message)) return message.replace(/\bmust be\b/, 'has to be')
  return message.endsWith('.') ? message.slice(0, -1) : `${message}.`
}

/** A file of text with a final line end, or without the one that it has. */
export function dataVariants(source: string): readonly Variant[] {
  const end = source.length
  const [what, edit] = source.endsWith('\n')
    ? ['without the final line end', { start: end - (source.endsWith('\r\n') ? 2 : 1), end, text: '' }]
    : ['with a final line end', { start: end, end, text: '\n' }]
  return source.trim() === '' ? [] : variantOf('file-form', 'form', what, [edit as SourceEdit])
}

/** The text of a file that a program writes, with a final line end or without; none if it may not be text. */
export function finalLineEnd(source: string, { start, end }: Span): readonly Variant[] {
  const written = source.slice(start, end)
  const [, ends] = /^(?:'[^'\n]*?|"[^"\n]*?|`[^`]*?)(\\n)?['"`]$/.exec(written) ?? []
  const isText = /^["'`]|\bJSON\.stringify\([^()]*\)$|\.join\([^()]*\)$|^[fr]?["'][^"']*["']$/.test(written)
  if (!isText) return []
  const plus = / \+ ['"]\\n['"]$/.exec(written)
  const edit =
    plus !== null
      ? { start: end - plus[0].length, end, text: '' }
      : ends === undefined
        ? { start: end, end, text: " + '\\n'" }
        : { start: end - 3, end: end - 1, text: '' }
  const what = edit.text === '' ? 'a file without a final line end' : 'a file with a final line end'
  return variantOf('file-form', 'inputs', what, [edit])
}

/** Indents the lines of a block once more, by the unit of the block. */
export function deeper(text: string, unit: string): string {
  return text.replaceAll(/\n(?=[^\n])/g, `\n${unit}`)
}

/** The space before the line of an offset. */
export function indentAt(source: string, offset: number): string {
  const from = source.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(source.slice(from))?.[0] ?? ''
}

/** Modules of Python's standard library. They can be imported in any order. */
export const standardModules: ReadonlySet<string> = new Set(
  (
    'abc argparse array ast asyncio atexit base64 bisect builtins calendar code collections concurrent configparser ' +
    'contextlib copy csv ctypes dataclasses datetime decimal difflib dis email enum errno fnmatch fractions ' +
    'functools gc getpass glob graphlib gzip hashlib heapq html http importlib inspect io itertools json keyword ' +
    'linecache locale logging math multiprocessing numbers operator os pathlib pickle platform pprint queue random ' +
    're resource secrets select shlex shutil signal socket sqlite3 ssl stat statistics string struct subprocess sys ' +
    'sysconfig tarfile tempfile textwrap threading time timeit tokenize tomllib traceback types typing unicodedata ' +
    'unittest urllib uuid warnings weakref xml zipfile zlib zoneinfo'
  ).split(' '),
)
