import type { JavaSource } from './java-source.js'

/**
 * The index of the first `import` or `package` that stands where Java has none: imports behind a type, a package behind
 * either. The grammar takes the declarations of a file in any order.
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
