/** Stacks by name and message of their error; `undefined`: none are kept. */
let kept: Map<string, string> | undefined

const mostKept = 200
const longest = 4_000

/**
 * From now on the stacks of errors that become failures are kept in this process, the last 200 of them, for `stackOf`. For
 * debugging: they are never stored.
 *
 * @example
 * keepStacks()
 */
export function keepStacks(): void {
  kept ??= new Map()
}

/** Keeps the stack of an error that becomes a failure, when stacks are kept. */
export function noteStack({ name, message }: { readonly name: string; readonly message: string }, error: Error): void {
  if (kept === undefined || typeof error.stack !== 'string') return
  const key = `${name}\n${message}`
  kept.delete(key)
  kept.set(key, error.stack.slice(0, longest))
  const [oldest] = kept.keys()
  if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
}

/**
 * The stack of the latest error that became a failure of this name and message, where `keepStacks` was called before;
 * otherwise `undefined`.
 *
 * @example
 * const where = item.failure === null ? undefined : stackOf(item.failure)
 */
export function stackOf({ name, message }: { readonly name: string; readonly message: string }): string | undefined {
  return kept?.get(`${name}\n${message}`)
}
