/** A value that is there already, or a promise of it. Most judges answer at once, and waiting costs more than they do. */
export type Soon<Value> = Value | Promise<Value>

/**
 * `next` of a value: now when it is there, else when its promise is kept. `failed` is for what the promise rejects with;
 * what `next` throws is thrown.
 *
 * @example
 * soon(judge(context), (answer) => answer === true)
 */
export function soon<Value, Next>(
  value: Value | PromiseLike<Value>,
  next: (value: Value) => Soon<Next>,
  failed?: (thrown: unknown) => Soon<Next>,
): Soon<Next> {
  return isThenable(value) ? Promise.resolve(value).then(next, failed) : next(value)
}

/**
 * Whether a value is a promise, or is like one.
 *
 * @example
 * const answer = judge(context)
 * const judgment = isThenable(answer) ? await answer : answer
 */
export function isThenable<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function'
}
