/** `Object.freeze` under a short name: everything that leaves this package is frozen, so the word stands often. */
export const freeze: typeof Object.freeze = Object.freeze

/**
 * A mark that no stranger can put on a value: `put` marks and freezes, `isOn` tells whether it was put there. It is
 * neither seen nor copied with the value. A weak set would say the same, but thousands of entries burden every garbage
 * collection.
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
