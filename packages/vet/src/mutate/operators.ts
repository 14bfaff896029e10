import { checkRequired, nonBlank, type OptionRule, option } from '@jurist/core/internal'
import type { Construct, Words } from './language/construct.js'

/** A place where an operator may change a source. */
export interface MutationSite extends Construct {
  /** The name of the language, such as `javascript`, `python`, `java`, `go`. */
  readonly language: string
  /** The source of the construct. */
  readonly text: string
  /** The sources of its `parts`. */
  readonly partTexts: readonly string[]
  /** The notation of the language for what mutants contain. */
  readonly words: Words
}

/** The replacement of a part of a source. Offsets are those of the site. */
export interface SourceEdit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A small mistake of the kind that people make. */
export interface Operator {
  /** Letters, digits, `-`. */
  readonly name: string
  /** A sentence that describes the change. */
  readonly what: string
  /**
   * Returns the changes of a piece of code. A string replaces all of it. An empty array means that the operator does
   * not apply.
   */
  edits(site: MutationSite): readonly (string | SourceEdit)[]
}

const rules: { readonly [part in keyof Required<Operator>]: OptionRule } = {
  name: {
    wants: 'letters, digits and "-"',
    holds: (value) => typeof value === 'string' && /^[\w-]{1,64}$/.test(value),
  },
  what: { ...nonBlank, wants: 'a sentence' },
  edits: option.function,
}

/**
 * Checks and freezes a custom operator for `mutants` and `runMutants`.
 *
 * @throws `option-invalid` with the missing or invalid part
 *
 * @example
 * import { defineOperator } from '@jurist/vet'
 *
 * const rounding = defineOperator({
 *   name: 'rounding',
 *   what: 'Math.round becomes Math.floor.',
 *   edits: ({ kind, name, nameAt }) =>
 *     kind === 'call' && name === 'round' && nameAt !== undefined ? [{ ...nameAt, text: 'floor' }] : [],
 * })
 */
export function defineOperator(operator: Operator): Operator {
  return Object.freeze(checkRequired('defineOperator', operator, rules, ['name', 'what', 'edits']))
}

type Table = ReadonlyMap<string, readonly string[]>

/** Pairs `a⇄b` are exchanged; `a→b` is replaced in one direction only. */
function table(pairs: string): Table {
  const found = new Map<string, string[]>()
  const add = (from: string, to: string) => found.set(from, [...(found.get(from) ?? []), to])
  for (const pair of pairs.split(' ')) {
    const [from = '', sign, to = ''] = pair.split(/(⇄|→)/)
    add(from.replaceAll('_', ' '), to.replaceAll('_', ' '))
    if (sign === '⇄') add(to.replaceAll('_', ' '), from.replaceAll('_', ' '))
  }
  return found
}

/** Replaces the sign or the name of a construct. */
function renamed({ name, nameAt }: MutationSite, names: Table): readonly SourceEdit[] {
  if (name === undefined || nameAt === undefined) return []
  return (names.get(name) ?? []).map((text) => ({ ...nameAt, text }))
}

const arithmetic = table('+⇄- *⇄/ %→* **→* //→*')
const boundary = table('<⇄<= >⇄>=')
const relation = table('===⇄!== ==⇄!= <→>= <=→> >→<= >=→< is⇄is_not in⇄not_in')
const logic = table('&&⇄|| ??→&& and⇄or')
const update = table('++⇄--')
const assignment = table('+=⇄-= *=⇄/= %=→*= **=→*= //=→*= &&=⇄||= ??==→=')
const methods = table(
  'min⇄max every⇄some any⇄all push⇄unshift pop⇄shift startsWith⇄endsWith startswith⇄endswith toUpperCase⇄toLowerCase ' +
    'upper⇄lower indexOf⇄lastIndexOf find⇄rfind findLast→find trimStart⇄trimEnd lstrip⇄rstrip padStart⇄padEnd floor⇄ceil ' +
    'anyMatch⇄allMatch addFirst⇄addLast containsKey⇄containsValue',
)
/** Methods that can be dropped, which leaves their object. */
const droppedMethods = new Set(
  (
    'sort toSorted sorted reverse toReversed reversed trim strip trimStart trimEnd lstrip rstrip filter distinct slice ' +
    'flat toUpperCase toLowerCase upper lower concat map unique limit skip'
  ).split(' '),
)
/** Functions that can be dropped, which leaves their argument. */
const droppedFunctions = new Set('abs sorted reversed list set str int round floor ceil Number String'.split(' '))

const isText = (source: string) => /^[rbfu]*["'`]/i.test(source)

const known = {
  arithmetic: {
    what: '`+` becomes `-`, `*` becomes `/`, and back.',
    edits: (site) => (site.kind === 'binary' && !site.partTexts.some(isText) ? renamed(site, arithmetic) : []),
  },
  boundary: {
    what: '`<` becomes `<=`, `>` becomes `>=`, and back.',
    edits: (site) => (site.kind === 'binary' ? renamed(site, boundary) : []),
  },
  relation: {
    what: 'A relation becomes its opposite.',
    edits: (site) => (site.kind === 'binary' ? renamed(site, relation) : []),
  },
  logic: {
    what: '`and` becomes `or`, and back.',
    edits: (site) => (site.kind === 'binary' ? renamed(site, logic) : []),
  },
  boolean: {
    what: '`true` becomes `false`, and back.',
    edits: ({ kind, text, words }) => (kind === 'boolean' ? [text === words.true ? words.false : words.true] : []),
  },
  number: {
    what: 'A number becomes one more, and one less.',
    edits: ({ kind, text }) => (kind === 'number' ? neighbours(text) : []),
  },
  text: {
    what: 'A string becomes empty, and an empty one does not stay empty.',
    edits: ({ kind, text }) => {
      if (kind !== 'text') return []
      const [, prefix = '', quote] = /^([rbfu]*)("""|'''|["'])/i.exec(text) ?? []
      if (quote === undefined) return []
      const isEmpty = text.length === prefix.length + 2 * quote.length
      return [`${prefix}${quote}${isEmpty ? 'mutant' : ''}${quote}`]
    },
  },
  condition: {
    what: 'A condition is always true, and never.',
    edits: ({ kind, text, words }) =>
      kind === 'condition' ? [words.true, words.false].filter((word) => word !== text) : [],
  },
  unary: {
    what: '`!`, `not`, `-` and `~` are left out.',
    edits: ({ kind, name, partTexts: [operand] }) =>
      kind === 'unary' && operand !== undefined && /^(?:!|not|-|~)$/.test(name ?? '') ? [operand] : [],
  },
  update: {
    what: '`++` becomes `--`, and back.',
    edits: (site) => (site.kind === 'update' ? renamed(site, update) : []),
  },
  assignment: {
    what: '`+=` becomes `-=`, `*=` becomes `/=`, and back.',
    edits: (site) => (site.kind === 'assignment' && !site.partTexts.some(isText) ? renamed(site, assignment) : []),
  },
  return: {
    what: 'Nothing is returned.',
    edits: ({ kind, parts: [value], partTexts: [text], words }) =>
      kind === 'return' && value !== undefined && text !== words.nothing ? [{ ...value, text: words.nothing }] : [],
  },
  statement: {
    what: 'A statement is left out.',
    edits: ({ kind, words }) => (kind === 'statement' ? [words.noStatement] : []),
  },
  array: {
    what: 'An array loses its elements.',
    edits: ({ kind, parts, text }) =>
      kind === 'array' && parts.length > 0 ? [`${text.slice(0, 1)}${text.slice(-1)}`] : [],
  },
  method: {
    what: 'A method or function becomes its counterpart, such as `min` and `max`.',
    edits: (site) => (site.kind === 'call' ? renamed(site, methods) : []),
  },
  call: {
    what: 'A call that changes a value, such as `sort`, is left out.',
    edits: ({ kind, name = '', isMethod, partTexts }) => {
      if (kind !== 'call') return []
      const [first, second] = partTexts
      if (isMethod === true && first !== undefined && droppedMethods.has(name)) return [first]
      // For a function of a namespace such as Math, the argument is the second part.
      const argument = isMethod === true ? (/^[A-Z]\w*$/.test(first ?? '') ? second : undefined) : first
      return argument !== undefined && droppedFunctions.has(name) ? [`(${argument})`] : []
    },
  },
} satisfies Record<string, Omit<Operator, 'name'>>

/**
 * The operators of Jurist: the sufficient operators of Offutt et al. (An Experimental Determination of Sufficient
 * Mutant Operators, TOSEM 1996), and those of Stryker for calls.
 *
 * @example
 * import { operators } from '@jurist/vet'
 *
 * console.log(operators.length) // 16
 */
export const operators: readonly Operator[] = Object.freeze(
  Object.entries(known).map(([name, operator]) => Object.freeze({ name, ...operator })),
)

/** Returns the next whole numbers in the form of the literal. Only decimal literals have neighbours. */
function neighbours(literal: string): readonly string[] {
  const parts = /^(\d+)((?:\.\d+)?)([lLnfFdDjJ]?)$/.exec(literal.replaceAll('_', ''))
  if (parts === null) return []
  const [, whole = '', fraction = '', suffix = ''] = parts
  const next = BigInt(whole) + 1n
  const last = BigInt(whole) - 1n
  return [`${next}${fraction}${suffix}`, last < 0n ? negative(fraction, suffix) : `${last}${fraction}${suffix}`]
}

/** Subtracts one from a number between 0 and 1. */
function negative(fraction: string, suffix: string): string {
  const less = fraction === '' ? '-1' : String(Number(`0${fraction}`) - 1)
  return `(${less}${suffix})`
}
