import { posix } from 'node:path'
import type { Json, JsonObject, Workspace } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { seededRandom } from '@jurist/experiment/internal'
import { localWorkspace } from '@jurist/workspace'
import { type CodeSession, codeProcess, codeSession, type IsolatedLanguage } from '@jurist/workspace/internal'
import { type Input, recordedInputs } from './recorded-inputs.js'
import { variedInputs } from './vary-inputs.js'

/** An input for which a mutant differs from the reference: the jury lets a wrong program through. */
export interface Witness {
  /** The name of the exported function. */
  readonly function: string
  /** The arguments. What JSON has no word for is an object with `$`, as `literal` prints it. */
  readonly input: Input
  /** What the reference returns. */
  readonly expected: Json
  /** What the mutant returns; an object with `$: 'error'` where it throws, ends its process, or does not return. */
  readonly got: Json
}

/** What is compared, and how thoroughly. */
export interface ProverOptions {
  /** A workspace with the reference in it, which is copied; its sandbox runs the code. */
  readonly workspace: Workspace & { readonly root: string }
  /** The file that is mutated, JavaScript, TypeScript or Python. */
  readonly path: string
  /** The texts of the visible and hidden tests, whose calls give the inputs. */
  readonly tests: readonly string[]
  readonly seed: number
  /** The most inputs for one function. Default 1,000. */
  readonly inputs?: number
  readonly signal: AbortSignal
}

/** Compares mutants of one file with the reference. Disposing it ends its processes. */
export interface Prover extends AsyncDisposable {
  /** How many inputs have an answer of the reference, the same twice. 0: nothing can be proven. */
  readonly inputs: number
  /** An input that shows the difference, the shortest of those found; `undefined` if none does. */
  witness(mutated: string): Promise<Witness | undefined>
}

const loadMs = 30_000
/** An input that keeps the reference busy for longer is not asked of mutants. */
const referenceMs = 1_000
/** Longer than the reference may take: a busy machine must not be taken for a mutant that does not end. */
const mutantMs = 10_000
const mostDifferences = 20
const mostRestarts = 20
/** The name by which tests call the function that they are given, as those of HumanEval do: `check(candidate)`. */
const givenFunction = 'candidate'

interface Question {
  readonly name: string
  readonly target: JsonObject
  readonly input: Input
}
interface Asked extends Question {
  readonly expected: Json
}

/**
 * Runs the reference on the inputs of its tests and on variations of them.
 *
 * @throws `not-started` where the program of the language is missing
 */
export async function openProver(options: ProverOptions): Promise<Prover> {
  const { workspace, path, tests, seed, inputs = 1_000, signal } = options
  const language: IsolatedLanguage = path.endsWith('.py') ? 'python' : 'javascript'
  const code = await codeProcess({ work: workspace, cwd: '.', env: {}, timeoutMs: 3_600_000, signal })
  try {
    await code.serve(language)
    const copy = await localWorkspace(code.root)
    const open = async () => loaded(codeSession(code.root, language), await moduleOf(workspace, path))
    const { uniform } = seededRandom(seed)
    const first = await open()
    const functions = functionsIn(first)
    const alias = functions.length === 1 ? givenFunction : undefined
    const questions = functions.flatMap(({ name, target }) =>
      variedInputs(recordedInputs(tests, name, alias), inputs, uniform).map((input) => ({ name, target, input })),
    )
    first.session[Symbol.dispose]()
    const asked = await steady(questions, open)
    return {
      inputs: asked.length,
      async witness(mutated) {
        // Mutants before it may have put links into the copy: the workspace keeps to its directory.
        await copy.write(path, mutated)
        return await difference(asked, open)
      },
      [Symbol.asyncDispose]: () => code[Symbol.asyncDispose](),
    }
  } catch (thrown) {
    await code[Symbol.asyncDispose]()
    throw thrown
  }
}

interface Module {
  readonly session: CodeSession
  readonly name: string
  readonly exports: JsonObject
  /** What the process said when it loaded the module. */
  readonly reply: JsonObject
}
type Open = () => Promise<Module>

interface Loading {
  readonly name: string
  readonly path?: readonly string[]
}

/** How a module is named to the process of its language. */
async function moduleOf(workspace: Workspace, path: string): Promise<Loading> {
  if (!path.endsWith('.py')) return { name: path }
  let [directory, name] = [posix.dirname(path), posix.basename(path, '.py')]
  while (directory !== '.' && (await workspace.isFile(`${directory}/__init__.py`))) {
    name = `${posix.basename(directory)}.${name}`
    directory = posix.dirname(directory)
  }
  return { name, path: [directory, '.'] }
}

async function loaded(session: CodeSession, { name, path = [] }: Loading): Promise<Module> {
  const reply = await session.ask({ load: name, path }, loadMs)
  return { session, name, exports: isPlainObject(reply['exports']) ? (reply['exports'] as JsonObject) : {}, reply }
}

/** The functions that a module exports, and the module itself where it is one. */
function functionsIn({ name: module, exports }: Module): readonly Omit<Question, 'input'>[] {
  const named = module.includes('.') || isPlainObject(exports['members']) ? exports['members'] : exports
  const isFunction = (value: unknown) => isPlainObject(value) && value['kind'] === 'function'
  if (isFunction(exports)) return [{ name: String(exports['name']), target: { module, path: [] } }]
  const members = isPlainObject(named) ? named : isPlainObject(exports) ? exports : {}
  return Object.entries(members).flatMap(([key, member]) => {
    if (!isFunction(member)) return []
    const own = (member as JsonObject)['name']
    return [{ name: key === 'default' && typeof own === 'string' ? own : key, target: { module, path: [key] } }]
  })
}

/** The questions that the reference answers, and answers alike when it is asked again. */
async function steady(questions: readonly Question[], open: Open): Promise<readonly Asked[]> {
  const answers = await answersTo(questions, open)
  const answered = questions.flatMap((question, index) => {
    const expected = answers[index]
    return expected === undefined || isError(expected) ? [] : [{ ...question, expected }]
  })
  const again = await answersTo(answered, open)
  return answered.filter(({ expected }, index) => JSON.stringify(expected) === JSON.stringify(again[index]))
}

/** What a module answers; `undefined` where it gives no value that can be compared. */
async function answersTo(questions: readonly Question[], open: Open): Promise<readonly (Json | undefined)[]> {
  const answers: (Json | undefined)[] = []
  let module = await open()
  let restarts = 0
  for (const { target, input } of questions) {
    const answer =
      restarts > mostRestarts ? undefined : await answerOf(module.session, { target, input, limitMs: referenceMs })
    answers.push(answer?.value)
    if (answer?.isOver !== true) continue
    module.session[Symbol.dispose]()
    if (++restarts <= mostRestarts) module = await open()
  }
  module.session[Symbol.dispose]()
  return answers
}

interface Answer {
  readonly value: Json | undefined
  /** Whether nothing more can be asked. */
  readonly isOver: boolean
}

interface Call extends Omit<Question, 'name'> {
  readonly limitMs: number
}

async function answerOf(session: CodeSession, { target, input, limitMs }: Call): Promise<Answer> {
  const reply = await session.ask({ verb: 'call', ...target, args: input }, limitMs)
  const over = reply['late'] === undefined ? reply['ended'] : 'does not return'
  if (over !== undefined)
    return { value: error(reply['late'] === undefined ? 'ends its process' : String(over)), isOver: true }
  const { thrown, unfit, value, argument, args } = reply
  if (unfit !== undefined) return { value: undefined, isOver: false }
  if (isPlainObject(thrown)) return { value: error(`throws ${nameOf(thrown as JsonObject)}`), isOver: false }
  const returned = typeof argument === 'number' ? (Array.isArray(args) ? args[argument] : input[argument]) : value
  // An argument that was changed is a part of the answer.
  return {
    value: args === undefined ? (returned ?? null) : { returned: returned ?? null, arguments: args },
    isOver: false,
  }
}

function nameOf(thrown: JsonObject): string {
  const kind = thrown['name'] ?? (Array.isArray(thrown['class']) ? thrown['class'][1] : undefined)
  return String(kind ?? 'a value')
}

/** A value as it is compared: 0 and -0 are the same number to a test. */
function comparable(value: Json): string {
  return JSON.stringify(value).replaceAll('{"$":"number","is":"-0"}', '0')
}

const error = (is: string): Json => ({ $: 'error', is })
const isError = (value: Json): boolean => isPlainObject(value) && value['$'] === 'error'

async function difference(asked: readonly Asked[], open: Open): Promise<Witness | undefined> {
  const module = await open()
  const found: Witness[] = []
  for (const { name, target, input, expected } of asked) {
    const { value: got, isOver } = await answerOf(module.session, { target, input, limitMs: mutantMs })
    if (got !== undefined && comparable(got) !== comparable(expected))
      found.push({ function: name, input, expected, got })
    if (isOver || found.length >= mostDifferences) break
  }
  module.session[Symbol.dispose]()
  const length = ({ input }: Witness) => JSON.stringify(input).length
  return found.sort((one, other) => length(one) - length(other))[0]
}
