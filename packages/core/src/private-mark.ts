/** A mark that only this package can put on a value. It is invisible, and a copy of the value does not have it. */
export function privateMark<Value extends object>(): {
  put(value: object): Value
  isOn(value: unknown): value is Value
} {
  const mark = Symbol()
  return {
    put: (value) => Object.freeze(Object.defineProperty(value, mark, {})) as Value,
    isOn: (value): value is Value => Object(value) === value && Object.hasOwn(value as object, mark),
  }
}
