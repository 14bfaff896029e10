import { posix } from 'node:path'
import type { Json, JsonObject, Workspace } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { type CodeProcess, type CodeSession, codeSession, type IsolatedLanguage } from '@jurist/workspace/internal'
import type { Input } from './recorded-inputs.js'

/** An exported function, as the process of its language describes it. */
export interface ServedFunction {
  readonly name: string
  readonly target: JsonObject
}

/** A file of a workspace, loaded by a separate process. */
export interface ServedModule {
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
export async function moduleLoader(
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

interface Call {
  readonly target: JsonObject
  readonly input: Input
  readonly limitMs: number
}

async function answerOf(session: CodeSession, { target, input, limitMs }: Call): Promise<Answer> {
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
export function isError(value: Json): boolean {
  return isPlainObject(value) && value['$'] === 'error'
}
