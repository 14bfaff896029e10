import { builtinModule, type VirtualMachine } from '../builtin-module.js'
import { failureOf, JuristError } from '../errors.js'

export function isSearchable(value: unknown): value is RegExp | string {
  return typeof value === 'string' || value instanceof RegExp
}

/**
 * Ends within its time limit, whatever the text. A string has no flags; `g` and `y` are dropped. Where the host cannot
 * interrupt a match, a pattern with nested repetition is refused.
 *
 * @param budgetMs milliseconds for one search, default 1,000
 * @param ignoreCase whether upper and lower case are equal, whatever the flags; default `false`
 * @throws `pattern-invalid`; the search throws `regex-timeout`
 */
export function search(pattern: RegExp | string, budgetMs = 1_000, ignoreCase = false): (text: string) => boolean {
  const regex = compile(pattern, ignoreCase)
  return (text) => within(regex, budgetMs, () => regex.test(text))
}

/**
 * The time limit covers all matches together.
 *
 * @throws `pattern-invalid`; the search throws `regex-timeout`
 */
export function lastMatch(pattern: RegExp | string, budgetMs = 1_000): (text: string) => RegExpExecArray | undefined {
  const once = compile(pattern, false)
  const regex = new RegExp(once, `${once.flags}g`)
  return (text) =>
    within(regex, budgetMs, () => {
      let last: RegExpExecArray | undefined
      for (const match of text.matchAll(regex)) last = match
      return last
    })
}

function within<Found>(regex: RegExp, budgetMs: number, find: () => Found): Found {
  const interruptible = interruptibleRun()
  if (interruptible !== undefined) return interruptible(regex, budgetMs, find) as Found
  if (nestedRepetition.test(regex.source)) throw timeout(regex, budgetMs)
  return find()
}

/**
 * Without `g` and `y`, so that each search begins at the start.
 *
 * @throws `pattern-invalid`
 */
function compile(pattern: RegExp | string, ignoreCase: boolean): RegExp {
  const flags = typeof pattern === 'string' ? '' : pattern.flags.replace(/[gy]/g, '')
  try {
    return new RegExp(pattern, ignoreCase && !flags.includes('i') ? `${flags}i` : flags)
  } catch (thrown) {
    const { message } = failureOf(thrown)
    throw new JuristError('pattern-invalid', `Not a regular expression: ${message}.`, { pattern: String(pattern) })
  }
}

/** Such as `(a+)+`, `(?:a*b)*`, `(a|b+){2,}`. */
const nestedRepetition = /\([^()]*[+*}][^()]*\)\s*[+*{]/

function timeout({ source }: RegExp, budgetMs: number): JuristError {
  return new JuristError(
    'regex-timeout',
    `/${source}/ did not end within ${budgetMs} ms on this text. Write it without nested repetition.`,
    { pattern: source, budgetMs },
  )
}

type Run = (regex: RegExp, budgetMs: number, find: () => unknown) => unknown

let cached: Run | undefined

/** On Node.js the timeout of the virtual machine interrupts a match. */
function interruptibleRun(): Run | undefined {
  const machine = builtinModule('node:vm')
  if (machine !== undefined) cached ??= runIn(machine)
  return cached
}

function runIn(machine: VirtualMachine): Run {
  const values: { find?: (() => unknown) | undefined } = {}
  const context = machine.createContext(values)
  const script = new machine.Script('find()')
  return (regex, budgetMs, find) => {
    values.find = find
    try {
      return script.runInContext(context, { timeout: Math.max(1, Math.ceil(budgetMs)) })
    } catch (thrown) {
      const { code } = thrown as { readonly code?: unknown }
      throw code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? timeout(regex, budgetMs) : thrown
    } finally {
      values.find = undefined
    }
  }
}
