/** `Object.freeze` under a short name: everything that leaves this package is frozen. */
export const freeze: typeof Object.freeze = Object.freeze

/**
 * A mark that only this package can put on a value: `put` marks and freezes, `isOn` checks. The mark is invisible and is
 * not copied with the value. A weak set would do the same, but thousands of entries slow down every garbage collection.
 */
export function brand<Value extends object>(): {
  put(value: object): Value
  isOn(value: unknown): value is Value
} {
  const mark = Symbol()
  return {
    put: (value) => freeze(Object.defineProperty(value, mark, {})) as Value,
    isOn: (value): value is Value => Object(value) === value && Object.hasOwn(value as object, mark),
  }
}
