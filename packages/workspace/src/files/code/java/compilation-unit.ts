import type { Member } from '../declaration.js'
import { findOutside, isWord, type JavaSource } from './java-source.js'
import { readMembers } from './members.js'
import { modifierHeader, range, readModifiers, unorderedClause } from './signatures.js'

const semicolon: ReadonlySet<string> = new Set([';'])
const topLevel = { path: '', name: '', kind: 'class' } as const

/** Reads the declarations of a Java file: package, imports (repeated ones once), types or a module. */
export function readCompilationUnit(source: JavaSource): readonly Member[] {
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
export function misplacedDeclaration({ texts, closing }: JavaSource): number | undefined {
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
