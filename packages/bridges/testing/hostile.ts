/** Values that no framework should return, by their problem. */
export const hostileValues: readonly (readonly [what: string, value: unknown])[] = [
  ['a cycle', cycle()],
  ['getters that throw', throwing()],
  ['a text of 10 MB', 'x'.repeat(10_000_000)],
  ['10,000 levels', nested(10_000)],
  ['a key __proto__', JSON.parse('{"__proto__":{"polluted":true},"text":"x"}')],
  ['a lone surrogate', '\ud800'],
  ['a function', () => 'x'],
  ['a symbol', Symbol('x')],
  ['NaN', Number.NaN],
  ['a bigint', 12n],
  ['a negative number', -1],
  ['null', null],
  ['a list of nothing', [undefined, null]],
  ['an empty object', {}],
  ['a list with holes', withHoles()],
  ['a list that throws', throwingList()],
  ['an object that was revoked', revoked({})],
  ['a list that was revoked', revoked([])],
]

function cycle(): object {
  const ring: { [key: string]: unknown } = { type: 'text', text: 'x' }
  ring['content'] = [ring]
  ring['self'] = ring
  return ring
}

function throwing(): object {
  return new Proxy(
    {},
    {
      get: () => {
        throw new Error('unreadable')
      },
    },
  )
}

function withHoles(): readonly unknown[] {
  const list: unknown[] = ['x']
  list[3] = { type: 'text', text: 'x' }
  return list
}

function throwingList(): readonly unknown[] {
  const get = () => {
    throw new Error('unreadable')
  }
  return Object.defineProperty([1, 2], 0, { get, enumerable: true })
}

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

function nested(levels: number): object {
  let value: object = {}
  for (let level = 0; level < levels; level += 1) value = { content: value }
  return value
}

/** Replaces a different part, at any depth, in each copy. */
export function* withOnePart(value: unknown, replacement: unknown, depth = 6): Iterable<unknown> {
  yield replacement
  if (depth === 0 || typeof value !== 'object' || value === null) return
  for (const key of Object.keys(value)) {
    const part = (value as { readonly [key: string]: unknown })[key]
    for (const changed of withOnePart(part, replacement, depth - 1)) yield withPart(value, key, changed)
  }
}

/** Keeps the class of the object. */
function withPart(value: object, key: string, part: unknown): object {
  if (Array.isArray(value)) return value.map((member, index) => (String(index) === key ? part : member))
  const replaced = { value: part, enumerable: true, configurable: true, writable: true }
  const parts = { ...Object.getOwnPropertyDescriptors(value), [key]: replaced }
  return Object.create(Object.getPrototypeOf(value), parts) as object
}
