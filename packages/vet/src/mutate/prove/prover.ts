import type { Json, Workspace } from '@jurist/core'
import { seededRandom } from '@jurist/experiment/internal'
import { localWorkspace } from '@jurist/workspace'
import { codeProcess, type IsolatedLanguage } from '@jurist/workspace/internal'
import { type Input, recordedInputs } from './recorded-inputs.js'
import { isError, moduleLoader, type ServedFunction, type ServedModule } from './served-module.js'
import { variedInputs } from './vary-inputs.js'

/** An input for which a mutant differs from the reference, which proves that the jury passes a wrong program. */
export interface Witness {
  /** The name of the exported function. */
  readonly function: string
  /** The arguments. Values that JSON cannot represent are objects with `$`, as `literal` prints them. */
  readonly input: Input
  /** The value that the reference returns. */
  readonly expected: Json
  /**
   * The value that the mutant returns, or an object with `$: 'error'` if it throws, ends its process or does not
   * return.
   */
  readonly got: Json
}

export interface ProverOptions {
  /** A workspace that contains the reference. It is copied, and its sandbox runs the code. */
  readonly workspace: Workspace & { readonly root: string }
  /** The file that is mutated: JavaScript, TypeScript or Python. */
  readonly path: string
  /** The contents of the visible and hidden tests, whose calls provide the inputs. */
  readonly tests: readonly string[]
  readonly seed: number
  /** The maximum number of inputs per function. Default 1,000. */
  readonly inputs?: number
  /**
   * Milliseconds for the inputs of one function. Each mutant gets as much, plus the time of one call that does not
   * return.
   */
  readonly budgetMs: number
  readonly signal: AbortSignal
}

/** The result of comparing a mutant. */
export interface Comparison {
  /** The smallest input that shows a difference; `undefined` if none does. */
  readonly witness: Witness | undefined
  /** The number of inputs that were compared, up to the witness. */
  readonly inputs: number
  /** The number of inputs that were left out because they exceed the budget. */
  readonly leftOut: number
  /** Whether a time limit left some of them out: another machine may compare more. */
  readonly isCutByClock: boolean
}

/** Compares mutants of one file with the reference. Disposing it ends its processes. */
export interface Prover extends AsyncDisposable, Omit<Comparison, 'witness'> {
  /** The number of inputs for which the reference gave the same answer twice. If it is 0, nothing can be proven. */
  readonly inputs: number
  compare(mutated: string): Promise<Comparison>
}

/** Longer than the limit of the reference: a mutant must not look endless because the machine is busy. */
const mutantMs = 10_000
/** The name by which tests such as those of HumanEval call the function that they receive: `check(candidate)`. */
const givenFunction = 'candidate'

/**
 * Runs the reference on the inputs of its tests and on variations of them.
 *
 * @throws `not-started` if the program of the language is missing
 */
export async function openProver(options: ProverOptions): Promise<Prover> {
  const { workspace, path, budgetMs, signal } = options
  const language: IsolatedLanguage = path.endsWith('.py') ? 'python' : 'javascript'
  const code = await codeProcess({ work: workspace, cwd: '.', env: {}, timeoutMs: 3_600_000, signal })
  try {
    const open = await moduleLoader(code, { workspace, path, language })
    const copy = await localWorkspace(code.root)
    const first = await open()
    await first.close()
    const questions = questionsTo(first.functions, options)
    const steady = await steadyAnswers(questions, open, budgetMs)
    // A process that the signal ended looks like one that its own code ended.
    signal.throwIfAborted()
    const compareMs = budgetMs * Math.max(1, questions.length) + mutantMs
    return {
      inputs: steady.asked.length,
      leftOut: steady.leftOut,
      isCutByClock: steady.isCutByClock,
      async compare(mutated) {
        // Earlier mutants may have put links into the copy. The workspace does not leave its directory.
        await copy.write(path, mutated)
        const found = await comparison(steady, await open(), compareMs)
        signal.throwIfAborted()
        return found
      },
      [Symbol.asyncDispose]: () => code[Symbol.asyncDispose](),
    }
  } catch (thrown) {
    await code[Symbol.asyncDispose]()
    throw thrown
  }
}

/** Returns the inputs of each function, with those of tests first. */
function questionsTo(
  functions: readonly ServedFunction[],
  { tests, seed, inputs = 1_000 }: ProverOptions,
): readonly (readonly Question[])[] {
  const { uniform } = seededRandom(seed)
  const alias = functions.length === 1 ? givenFunction : undefined
  return functions.map((one) => {
    const recorded = recordedInputs(tests, one.name, alias)
    const varied = variedInputs(recorded, inputs, uniform)
    return varied.map((input, index) => ({ ...one, input, isRecorded: index < recorded.length }))
  })
}

/** Formats a value for comparison: 0 and -0 are the same number to a test. */
function comparable(value: Json): string {
  return JSON.stringify(value).replaceAll('{"$":"number","is":"-0"}', '0')
}

async function comparison(
  { asked, leftOut, isCutByClock }: SteadyAnswers,
  module: ServedModule,
  limitMs: number,
): Promise<Comparison> {
  const endsAt = performance.now() + limitMs
  let at = 0
  let witness: Witness | undefined
  while (witness === undefined && at < asked.length && performance.now() < endsAt) {
    const { name, target, input, expected } = asked[at++] as Asked
    const { value: got } = await module.ask(target, input, mutantMs)
    if (got !== undefined && comparable(got) !== comparable(expected))
      witness = { function: name, input, expected, got }
  }
  await module.close()
  const unasked = witness === undefined ? asked.length - at : 0
  return { witness, inputs: at, leftOut: leftOut + unasked, isCutByClock: isCutByClock || unasked > 0 }
}

/** An input for a function. */
interface Question extends ServedFunction {
  readonly input: Input
  /** Whether it comes from a test, so that more time is justified. */
  readonly isRecorded: boolean
}

/** A question with the answer of the reference. */
interface Asked extends Question {
  readonly expected: Json
}

interface SteadyAnswers {
  /** Sorted by size, because the smallest inputs make the best tests. */
  readonly asked: readonly Asked[]
  /** The number of inputs without an answer, because the reference took too long or ended its process too often. */
  readonly leftOut: number
  /** Whether a time limit left some of them out, rather than a count. */
  readonly isCutByClock: boolean
}

/** The time limit of a reference for an input of a test, and for any other input. */
const recordedMs = 1_000
const variedMs = 250
const mostRestarts = 20
/** The number of inputs that get a second try with more time, since a busy machine may have delayed the first. */
const mostSecondTries = 3

/**
 * Returns the answers of a reference that stay the same when it is asked again. The inputs of a function are asked
 * until they have taken `budgetMs`.
 */
async function steadyAnswers(
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
  // The second round uses one process and the same order as for mutants, so that a module that remembers calls gives
  // different answers now.
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

/** Asks one question after another, with a new process after each call that does not return or ends its process. */
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
