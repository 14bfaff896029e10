import type { Part } from '../declaration.js'
import type { Group, Unit } from '../items.js'
import { canonicalModifier, isModifier, modifierEnd } from './canonical.js'
import type { JavaSource } from './java-source.js'

/** The modifiers and annotations of a declaration and where they end. */
export interface Modifiers {
  readonly group: Group
  readonly end: number
  has(word: string): boolean
}

/** Reads the modifiers and annotations that begin at `index`, contextual words (`sealed`, `non-sealed`) included. */
export function readModifiers(source: JavaSource, index: number): Modifiers {
  const units: Unit[] = []
  let end = index
  for (;;) {
    const next = nextModifierEnd(source, end)
    if (next === undefined) break
    const items = canonicalModifier(source, end, next)
    units.push({ key: items.map((token) => source.texts[token]).join('\0'), items })
    end = next
  }
  const keys = new Set(units.map(({ key }) => key))
  return { group: { units }, end, has: (word) => keys.has(word) }
}

function nextModifierEnd(source: JavaSource, index: number): number | undefined {
  const { texts } = source
  if (isModifier(source, index)) return modifierEnd(source, index)
  if (texts[index] === 'sealed' && beginsTypeOrModifier(source, index + 1)) return index + 1
  const nonSealed = texts[index] === 'non' && texts[index + 1] === '-' && texts[index + 2] === 'sealed'
  return nonSealed ? index + 3 : undefined
}

function beginsTypeOrModifier(source: JavaSource, index: number): boolean {
  return isModifier(source, index) || ['class', 'interface'].includes(source.texts[index] ?? '')
}

/** The header part of a member that is not a type: its modifiers and annotations. */
export function modifierHeader(modifiers: Modifiers): Part {
  return { kind: 'header', label: 'header', items: [modifiers.group], end: modifiers.end }
}
