import { isOverLimit, withProcessorLimit } from '@jurist/kit/processor-limit'
import type { Comparator, ComparisonRules, SyntaxProblem } from './comparator.js'
import { doesNotParse, maxNodes, parseBudgetMs } from './comparator.js'
import type { DifferenceLog } from './difference.js'
import { differenceLog, TooMuch } from './difference.js'

/** A language whose files are trees: how to parse one, and how to compare two. */
export interface TreeLanguage<Tree> {
  /** May throw a `SyntaxFault`, or anything that a parser throws. */
  readonly parse: (text: string, note: (text: string) => void) => Tree
  readonly compare: (reference: Tree, actual: Tree, rules: ComparisonRules, log: DifferenceLog) => void
}

/** Thrown while a source is read, with the reason why it is refused. */
class SyntaxFault extends Error {
  readonly line: number | null

  constructor(message: string, line: number | null) {
    super(message)
    this.line = line
  }
}

/** Refuses a source. */
export function refuse(message: string, line: number | null): never {
  throw new SyntaxFault(message, line)
}

/** Creates the comparator of a language whose files are trees. If a side does not parse, the lines are compared. */
export function treeComparator<Tree>(language: TreeLanguage<Tree>): Comparator {
  return function compareTrees({ reference, actual, rules, inTime }) {
    const log = differenceLog(maxNodes)
    const parse = (text: string) =>
      attempt(() => withProcessorLimit(parseBudgetMs(text), () => language.parse(text, log.note)))
    const [expected, found] = [parse(reference), parse(actual)]
    const notes = [
      ...('problem' in expected ? [doesNotParse('reference', expected.problem)] : []),
      ...('problem' in found ? [doesNotParse('workspace', found.problem)] : []),
    ]
    if ('problem' in expected || 'problem' in found) return { by: 'nothing', notes }
    if (!inTime()) return { by: 'nothing', notes: ['compared by lines only: the comparison ran out of time'] }
    const compared = attempt(() => language.compare(expected.value, found.value, rules, log))
    if ('problem' in compared) return { by: 'nothing', notes: [doesNotParse('workspace', compared.problem)] }
    return { by: 'tree', differences: log.differences, notes: [...log.notes] }
  }
}

type Attempt<Value> = { readonly value: Value } | { readonly problem: SyntaxProblem }

function attempt<Value>(run: () => Value): Attempt<Value> {
  try {
    return { value: run() }
  } catch (thrown) {
    return { problem: problemOf(thrown) }
  }
}

function problemOf(thrown: unknown): SyntaxProblem {
  if (thrown instanceof SyntaxFault) return { message: thrown.message, line: thrown.line }
  if (thrown instanceof TooMuch) return { message: thrown.message, line: null }
  if (isOverLimit(thrown)) return { message: 'the parser ran out of time', line: null }
  if (thrown instanceof RangeError) return { message: 'too deep or too large', line: null }
  // A parser may fail in its own way on hostile input. That is a finding about the file.
  return { message: thrown instanceof Error ? (thrown.message.split('\n', 1)[0] ?? '') : String(thrown), line: null }
}
