import { failureOf, JuristError } from '../errors.js'

/** Whether `value` is a regular expression or the source of one. */
export function isSearchable(value: unknown): value is RegExp | string {
  return typeof value === 'string' || value instanceof RegExp
}

/**
 * A search for `pattern` that ends within its budget, whatever the text. A text has no flags; `g` and `y` are dropped.
 * Where the host cannot interrupt a match, a pattern that repeats a group that itself repeats is refused.
 *
 * @param budgetMs milliseconds for one search, default 1,000
 * @throws `pattern-invalid` at once; the search throws `regex-timeout`
 *
 * @example
 * const holds = search(/version \d+/)
 * holds('version 3') // true
 */
export function search(pattern: RegExp | string, budgetMs = 1_000): (text: string) => boolean {
  const regex = compile(pattern)
  const interruptible = interruptibleSearch()
  if (interruptible !== undefined) return (text) => interruptible(regex, text, budgetMs)
  return (text) => {
    if (nestedRepetition.test(regex.source)) throw timeout(regex, budgetMs)
    return regex.test(text)
  }
}

/**
 * A regular expression that searches from the start each time.
 *
 * @throws `pattern-invalid`
 */
function compile(pattern: RegExp | string): RegExp {
  try {
    return new RegExp(pattern, typeof pattern === 'string' ? '' : pattern.flags.replace(/[gy]/g, ''))
  } catch (thrown) {
    const { message } = failureOf(thrown)
    throw new JuristError('pattern-invalid', `Not a regular expression: ${message}.`, { pattern: String(pattern) })
  }
}

/** A group with a repetition in it, itself repeated: `(a+)+`, `(?:a*b)*`, `(a|b+){2,}`. */
const nestedRepetition = /\([^()]*[+*}][^()]*\)\s*[+*{]/

function timeout({ source }: RegExp, budgetMs: number): JuristError {
  return new JuristError(
    'regex-timeout',
    `/${source}/ did not end within ${budgetMs} ms on this text. Write it without nested repetition.`,
    { pattern: source, budgetMs },
  )
}

interface VirtualMachine {
  createContext(values: object): object
  readonly Script: new (
    source: string,
  ) => { runInContext(context: object, options: { readonly timeout: number }): unknown }
}

type Search = (regex: RegExp, text: string, budgetMs: number) => boolean

let cached: Search | undefined

/** On Node a match can be interrupted by the virtual machine's timeout, reached without an import. */
function interruptibleSearch(): Search | undefined {
  const { process } = globalThis as {
    readonly process?: { readonly getBuiltinModule?: (name: string) => VirtualMachine | undefined }
  }
  const machine = process?.getBuiltinModule?.('node:vm')
  if (machine !== undefined) cached ??= searchIn(machine)
  return cached
}

function searchIn(machine: VirtualMachine): Search {
  const values: { regex?: RegExp; text?: string } = {}
  const context = machine.createContext(values)
  const script = new machine.Script('regex.test(text)')
  return (regex, text, budgetMs) => {
    Object.assign(values, { regex, text })
    try {
      return script.runInContext(context, { timeout: Math.max(1, Math.ceil(budgetMs)) }) === true
    } catch (thrown) {
      const { code } = thrown as { readonly code?: unknown }
      throw code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? timeout(regex, budgetMs) : thrown
    } finally {
      Object.assign(values, { regex: undefined, text: undefined })
    }
  }
}
