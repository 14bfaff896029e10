import { type AbstainJudgment, abstain } from './judgment.js'

export function withoutReference(): AbstainJudgment {
  return abstain(
    'there is no reference to compare with: give the context a "reference" (a directory), or the item the directory "reference"',
  )
}

export function withoutExpectedOutput(): AbstainJudgment {
  return abstain(
    'there is no expected output to compare with: give the context an "expectedOutput", or the item one in "expectedOutput"',
  )
}
