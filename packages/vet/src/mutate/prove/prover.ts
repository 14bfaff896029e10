import { posix } from 'node:path'
import type { Json, JsonObject, Workspace } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { seededRandom } from '@jurist/experiment/internal'
import { localWorkspace } from '@jurist/workspace'
import {
  type CodeProcess,
  type CodeSession,
  codeProcess,
  codeSession,
  type IsolatedLanguage,
} from '@jurist/workspace/internal'
import { type Input, recordedInputs } from './recorded-inputs.js'

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

/** Formats a value for comparison: to a test, 0 and -0 are the same number, and keys have no order. */
function comparable(value: Json): string {
  return JSON.stringify(value, (_, part) => (isPlainObject(part) ? sortedKeys(part as JsonObject) : part)).replaceAll(
    '{"$":"number","is":"-0"}',
    '0',
  )
}

function sortedKeys(record: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
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

/**
 * Generates more inputs of the same types: values of recorded inputs are changed, removed, repeated and exchanged, as
 * in EvalPlus (Liu, Xia, Wang, Zhang 2023, "Is Your Code Generated by ChatGPT Really Correct?", section 2.1, type-aware
 * mutation).
 *
 * @param random uniform in [0, 1); the same numbers give the same inputs
 * @returns the recorded inputs first, then others, without duplicates; fewer than `count` if no more are found
 */
export function variedInputs(recorded: readonly Input[], count: number, random: () => number): readonly Input[] {
  const all = new Map(recorded.map((input) => [JSON.stringify(input), input]))
  if (recorded.length === 0) return []
  const pool = valuesIn(recorded)
  const vary = variation(pool, random)
  const kept = [...all.values()]
  for (let tries = 0; all.size < count && tries < 4 * count; tries++) {
    const input = kept[Math.floor(random() * kept.length)] ?? []
    const changed = input.map((value) => (input.length === 1 || random() < 0.6 ? vary(value, 0) : value))
    const key = JSON.stringify(changed)
    if (all.has(key) || key.length > longest) continue
    all.set(key, changed)
    kept.push(changed)
  }
  return [...all.values()].slice(0, count)
}

const longest = 5_000
const deepest = 20

interface Pool {
  readonly numbers: readonly number[]
  readonly strings: readonly string[]
}

/** Returns the numbers and strings of all inputs, which often include those that a program compares with. */
function valuesIn(inputs: readonly Input[]): Pool {
  const numbers = new Set<number>([0, 1, -1, 2, 10])
  const strings = new Set<string>([''])
  const visit = (value: Json): void => {
    if (typeof value === 'number') numbers.add(value)
    else if (typeof value === 'string') strings.add(value)
    else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) visit(part)
  }
  for (const input of inputs) visit(input)
  return { numbers: [...numbers], strings: [...strings] }
}

interface Draw {
  readonly below: (count: number) => number
  readonly one: <Value>(values: readonly Value[]) => Value | undefined
}

function variedNumber(value: number, { numbers }: Pool, { below, one }: Draw): number {
  const delta = [1, -1, 0.5, -value, value, below(20) - 10, -2 * value][below(7)] ?? 0
  const next = below(10) < 3 ? (one(numbers) ?? value) : value + delta
  return Number.isInteger(value) ? Math.trunc(next) + 0 : next
}

function variedString(value: string, { strings }: Pool, { below, one }: Draw): string {
  const [first, second] = [below(value.length + 1), below(value.length + 1)]
  const [at, to] = [Math.min(first, second), Math.max(first, second)]
  const letter = one([...(one(strings) ?? ''), ...value, 'a', 'Z', '0', ' ']) ?? 'a'
  const made = [
    value.slice(0, at) + value.slice(to),
    value.slice(0, to) + value.slice(at),
    value.slice(0, at) + letter + value.slice(at),
    one(strings) ?? value,
    [...value].reverse().join(''),
    value === value.toLowerCase() ? value.toUpperCase() : value.toLowerCase(),
  ]
  return made[below(made.length)] ?? value
}

/** Creates a function that changes a value to another one of its type. */
function variation(pool: Pool, random: () => number) {
  const below = (count: number): number => Math.floor(random() * count)
  const one = <Value>(values: readonly Value[]): Value | undefined => values[below(values.length)]
  function list(values: readonly Json[], depth: number): readonly Json[] {
    const at = below(values.length)
    const value = values[at]
    if (value === undefined) return []
    const others = values.filter((_, index) => index !== at)
    const made = [
      others,
      values.toSpliced(at, 0, value),
      values.with(at, vary(value, depth + 1)),
      values.with(at, vary(value, depth + 1)),
      values.toSpliced(below(values.length + 1), 0, vary(value, depth + 1)),
      values.toReversed(),
      values.slice(0, at),
    ]
    return made[below(made.length)] ?? values
  }
  function record(value: { readonly [key: string]: Json }, depth: number): Json {
    if (typeof value['$'] === 'string')
      return value['$'] === 'tuple' && Array.isArray(value['is'])
        ? { ...value, is: value['is'].map((part) => (random() < 0.5 ? vary(part, depth + 1) : part)) }
        : value
    const key = one(Object.keys(value))
    if (key === undefined) return value
    const { [key]: changed = null, ...rest } = value
    return random() < 0.2 ? rest : { ...value, [key]: vary(changed, depth + 1) }
  }
  function vary(value: Json, depth: number): Json {
    if (depth > deepest || value === null) return value
    if (typeof value === 'number') return variedNumber(value, pool, { below, one })
    if (typeof value === 'string') return variedString(value, pool, { below, one })
    if (typeof value === 'boolean') return !value
    return Array.isArray(value) ? list(value, depth) : record(value as { readonly [key: string]: Json }, depth)
  }
  return vary
}

/** An exported function, as the process of its language describes it. */
interface ServedFunction {
  readonly name: string
  readonly target: JsonObject
}

/** A file of a workspace, loaded by a separate process. */
interface ServedModule {
  readonly functions: readonly ServedFunction[]
  ask(target: JsonObject, input: Input, limitMs: number): Promise<Answer>
  /**
   * Ends the session. If a call did not return in time, the process is stopped with all of its children and replaced.
   */
  close(): Promise<void>
}

interface Answer {
  /** `undefined` if the value cannot be compared. */
  readonly value: Json | undefined
  /** Whether nothing more can be asked. */
  readonly isOver: boolean
  /** Whether it did not return in time. */
  readonly isLate: boolean
}

const loadMs = 30_000
/** In characters. No test would contain a longer answer. */
const longestAnswer = 20_000

/** Creates a function that loads the current version of the file. Only one of its modules can be used at a time. */
async function moduleLoader(
  code: CodeProcess,
  { workspace, path, language }: { workspace: Workspace; path: string; language: IsolatedLanguage },
): Promise<() => Promise<ServedModule>> {
  const loading = await loadingOf(workspace, path)
  let served = await code.serve(language)
  return async () => {
    const session = codeSession(code.root, language)
    const reply = await session.ask({ load: loading.name, path: loading.path }, loadMs)
    let isLate = reply['late'] !== undefined
    return {
      functions: functionsIn(loading.name, isPlainObject(reply['exports']) ? (reply['exports'] as JsonObject) : {}),
      async ask(target, input, limitMs) {
        const answer = await answerOf(session, { target, input, limitMs })
        isLate ||= answer.isLate
        return answer
      },
      async close() {
        session[Symbol.dispose]()
        if (!isLate) return
        // Code in a loop does not notice that the session has ended.
        await served[Symbol.asyncDispose]()
        served = await code.serve(language)
      },
    }
  }
}

interface Loading {
  readonly name: string
  readonly path: readonly string[]
}

/** Returns the module name for the process of its language. */
async function loadingOf(workspace: Workspace, path: string): Promise<Loading> {
  if (!path.endsWith('.py')) return { name: path, path: [] }
  let [directory, name] = [posix.dirname(path), posix.basename(path, '.py')]
  while (directory !== '.' && (await workspace.isFile(`${directory}/__init__.py`))) {
    name = `${posix.basename(directory)}.${name}`
    directory = posix.dirname(directory)
  }
  return { name, path: [directory, '.'] }
}

/** Returns the exported functions, including the module itself if it is a function. */
function functionsIn(module: string, exports: JsonObject): readonly ServedFunction[] {
  const named = module.includes('.') || isPlainObject(exports['members']) ? exports['members'] : exports
  const isFunction = (value: unknown) => isPlainObject(value) && value['kind'] === 'function'
  if (isFunction(exports)) return [{ name: String(exports['name']), target: { module, path: [] } }]
  const members = isPlainObject(named) ? named : exports
  return Object.entries(members).flatMap(([key, member]) => {
    if (!isFunction(member)) return []
    const own = (member as JsonObject)['name']
    return [{ name: key === 'default' && typeof own === 'string' ? own : key, target: { module, path: [key] } }]
  })
}

async function answerOf(
  session: CodeSession,
  { target, input, limitMs }: { readonly target: JsonObject; readonly input: Input; readonly limitMs: number },
): Promise<Answer> {
  const reply = await session.ask({ verb: 'call', ...target, args: input }, limitMs)
  const isLate = reply['late'] !== undefined
  if (isLate || reply['ended'] !== undefined)
    return { value: error(isLate ? 'does not return' : 'ends its process'), isOver: true, isLate }
  return { value: valueIn(reply, input), isOver: false, isLate }
}

function valueIn({ thrown, unfit, value, argument, args }: JsonObject, input: Input): Json | undefined {
  if (unfit !== undefined) return undefined
  if (isPlainObject(thrown)) return error(`throws ${nameOf(thrown as JsonObject)}`)
  const returned = typeof argument === 'number' ? (Array.isArray(args) ? args[argument] : input[argument]) : value
  // A changed argument is part of the answer.
  const answer = args === undefined ? (returned ?? null) : { returned: returned ?? null, arguments: args }
  return JSON.stringify(answer).length > longestAnswer ? error('returns a value that is too long to state') : answer
}

function nameOf(thrown: JsonObject): string {
  const kind = thrown['name'] ?? (Array.isArray(thrown['class']) ? thrown['class'][1] : undefined)
  return String(kind ?? 'a value')
}

const error = (is: string): Json => ({ $: 'error', is })

/** Whether a function threw, ended its process or did not return. */
function isError(value: Json): boolean {
  return isPlainObject(value) && value['$'] === 'error'
}
