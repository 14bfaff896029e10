/** A part of a source, given by offsets. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** The kinds of code that operators distinguish, in every language. */
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
  /** The sign or keyword of an operator, or the name of the called function. */
  readonly name?: string
  /** The position of `name`. */
  readonly nameAt?: Span
  /**
   * The operands of an operator, the value of a `return`, the elements of an array, or the object and arguments of a
   * call.
   */
  readonly parts: readonly Span[]
  /** For a call: whether the first part is the object of the method. */
  readonly isMethod?: boolean
}

/** The notation of a language for what mutants contain. */
export interface Words {
  readonly true: string
  readonly false: string
  /** The value that a `return` without a value returns. */
  readonly nothing: string
  /** A statement without effect. */
  readonly noStatement: string
}

/** A source with the places where it can be changed. */
export interface ReadSource {
  readonly constructs: readonly Construct[]
  /** The functions, with outer ones first. */
  readonly functions: readonly Span[]
  /** Equal for sources that differ only in layout and comments. */
  readonly normalForm: string
}

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
