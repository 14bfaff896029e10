import type { Json } from '@jurist/core'
import type { Input } from './recorded-inputs.js'
import { isError, type ServedFunction, type ServedModule } from './served-module.js'

/** An input for a function. */
export interface Question extends ServedFunction {
  readonly input: Input
  /** Whether a test asks it, so that more time is worth spending on it. */
  readonly isRecorded: boolean
}

/** A question with the answer of the reference. */
export interface Asked extends Question {
  readonly expected: Json
}

/** What the reference answers, and what it was not asked. */
export interface SteadyAnswers {
  /** The smallest inputs first: they make the best tests. */
  readonly asked: readonly Asked[]
  /** How many inputs have no answer, since the reference took too long or ended its process too often. */
  readonly leftOut: number
  /** Whether a clock left some of them out; else a count did. */
  readonly isCutByClock: boolean
}

/** How long a reference may take for an input of a test, and for another one. */
const recordedMs = 1_000
const variedMs = 250
const mostRestarts = 20
/** How many inputs are asked a second time, with more time: a busy machine may have paused the first. */
const mostSecondTries = 3

/**
 * The answers of a reference that stay the same when it is asked again. The inputs of a function are asked until they have
 * taken `budgetMs`.
 */
export async function steadyAnswers(
  questions: readonly (readonly Question[])[],
  open: () => Promise<ServedModule>,
  budgetMs: number,
): Promise<SteadyAnswers> {
  let [leftOut, isCutByClock] = [0, false]
  const answered: Asked[] = []
  for (const own of questions) {
    const found = await answersTo(own, open, budgetMs)
    answered.push(...found.asked.filter(({ expected }) => !isError(expected)))
    leftOut += found.leftOut
    isCutByClock ||= found.isCutByClock
  }
  const lengthOf = ({ input }: Question) => JSON.stringify(input).length
  answered.sort((a, b) => lengthOf(a) - lengthOf(b))
  // In one process and in this order, as mutants are asked: a module that remembers calls answers otherwise now.
  const again = await answersTo(answered, open, budgetMs * Math.max(1, questions.length))
  const same = new Map(again.asked.map((one) => [keyOf(one), JSON.stringify(one.expected)]))
  return {
    asked: answered.filter((one) => same.get(keyOf(one)) === JSON.stringify(one.expected)),
    leftOut: leftOut + again.leftOut,
    isCutByClock: isCutByClock || again.isCutByClock,
  }
}

function keyOf({ name, input }: Question): string {
  return `${name} ${JSON.stringify(input)}`
}

/** Asks in turn, in a new process after each call that does not return or ends its process. */
async function answersTo(
  questions: readonly Question[],
  open: () => Promise<ServedModule>,
  budgetMs: number,
): Promise<SteadyAnswers> {
  const asked: Asked[] = []
  const endsAt = performance.now() + budgetMs
  let [late, restarts, at, secondTries] = [0, 0, 0, 0]
  let isSecond = false
  let module = questions.length === 0 ? undefined : await open()
  while (module !== undefined && at < questions.length && performance.now() < endsAt) {
    const question = questions[at] as Question
    const limitMs = question.isRecorded || isSecond ? recordedMs : variedMs
    const { value, isOver, isLate } = await module.ask(question.target, question.input, limitMs)
    isSecond = isLate && !isSecond && ++secondTries <= mostSecondTries
    if (!isSecond) at += 1
    if (isLate && !isSecond) late += 1
    else if (!isLate && value !== undefined) asked.push({ ...question, expected: value })
    if (!isOver) continue
    await module.close()
    module = ++restarts > mostRestarts ? undefined : await open()
  }
  await module?.close()
  const unasked = questions.length - at
  return { asked, leftOut: late + unasked, isCutByClock: late > 0 || (unasked > 0 && restarts <= mostRestarts) }
}
