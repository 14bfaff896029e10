/** A part of a source, by offsets. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** What operators know of code, in every language. */
export type ConstructKind =
  | 'array'
  | 'assignment'
  | 'binary'
  | 'boolean'
  | 'call'
  | 'condition'
  | 'number'
  | 'return'
  | 'statement'
  | 'text'
  | 'unary'
  | 'update'

/** A piece of code that an operator can change. */
export interface Construct extends Span {
  readonly kind: ConstructKind
  /** The sign or word of an operator, or the name of what is called. */
  readonly name?: string
  /** Where `name` is. */
  readonly nameAt?: Span
  /** The operands of an operator, the value of a `return`, the elements of an array, the object and arguments of a call. */
  readonly parts: readonly Span[]
  /** A call: whether the first part is the object that has the method. */
  readonly isMethod?: boolean
}

/** How a language writes what mutants need. */
export interface Words {
  readonly true: string
  readonly false: string
  /** What a `return` returns that has nothing to return. */
  readonly nothing: string
  /** A statement that does nothing. */
  readonly noStatement: string
}

/** A source with the places where it can be changed. */
export interface ReadSource {
  readonly constructs: readonly Construct[]
  /** The functions, outer ones first. */
  readonly functions: readonly Span[]
  /** Equal for sources that differ in layout and comments only. */
  readonly normalForm: string
}

/** Why a source cannot be read. */
export interface Unreadable {
  readonly problem: string
}

/** A language whose sources can be mutated. */
export interface MutableLanguage {
  readonly name: string
  readonly words: Words
  isSource(path: string): boolean
  isTest(path: string): boolean
  read(source: string, path: string): Promise<ReadSource | Unreadable>
}
