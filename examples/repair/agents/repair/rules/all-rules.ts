import { anotherMethod, awaited, keptResult, lessOfACall, numericOrder, swappedArguments } from './calls.js'
import { changedCopy, handedCopy, wholeCharacters } from './copies.js'
import { anotherName, anotherProperty } from './names.js'
import { anotherCondition, anotherOperator, noSign, oneOperand, swappedOperands } from './operators.js'
import { anotherBranch, anotherJump, movedBehind, movedInto, noStatement, swappedStatements } from './order.js'
import type { Rule } from './rule.js'
import {
  absoluteValue,
  anotherNumber,
  anotherPattern,
  anotherText,
  oneMoreOrLess,
  otherBoolean,
  resultOffByOne,
  roundedValue,
} from './values.js'

/** All that the repairer knows of how people go wrong. */
export const rules: readonly Rule[] = [
  anotherOperator,
  oneOperand,
  swappedOperands,
  noSign,
  anotherCondition,
  anotherNumber,
  oneMoreOrLess,
  resultOffByOne,
  absoluteValue,
  roundedValue,
  otherBoolean,
  anotherText,
  anotherPattern,
  anotherMethod,
  swappedArguments,
  lessOfACall,
  awaited,
  keptResult,
  numericOrder,
  changedCopy,
  handedCopy,
  wholeCharacters,
  anotherName,
  anotherProperty,
  noStatement,
  swappedStatements,
  movedBehind,
  movedInto,
  anotherBranch,
  anotherJump,
]
