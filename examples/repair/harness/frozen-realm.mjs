import vm from 'node:vm'

/**
 * Freezes what a language brings along in the realm where it is evaluated. Names that objects often have of their own,
 * such as `toString`, can still be assigned to objects that inherit them.
 */
const freezing = `(() => {
  'use strict'
  const { defineProperty, freeze, getOwnPropertyDescriptor, getPrototypeOf } = Object
  const { ownKeys } = Reflect
  const own = new Set(['constructor', 'toString', 'toLocaleString', 'valueOf', 'name', 'message', 'toJSON'])
  const names = (
    'Object Function Array Number Boolean String Symbol BigInt Math JSON Reflect Proxy Promise Date RegExp Error ' +
    'EvalError RangeError ReferenceError SyntaxError TypeError URIError AggregateError Map Set WeakMap WeakSet WeakRef ' +
    'FinalizationRegistry ArrayBuffer SharedArrayBuffer DataView Atomics Int8Array Uint8Array Uint8ClampedArray ' +
    'Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array BigInt64Array BigUint64Array Intl Iterator ' +
    'eval parseInt parseFloat isNaN isFinite encodeURI encodeURIComponent decodeURI decodeURIComponent escape unescape'
  ).split(' ')
  const hidden = [
    function* () {}, async function () {}, async function* () {}, (function* () {})(), (async function* () {})(),
    [][Symbol.iterator](), new Map()[Symbol.iterator](), new Set()[Symbol.iterator](), ''[Symbol.iterator](),
    'a'.matchAll(/a/g),
  ].map(getPrototypeOf)
  const settable = (object, key, value) => ({
    get: freeze(() => value),
    set: freeze(function (next) {
      if (this === object) throw new TypeError('what the language brings along cannot be changed')
      defineProperty(this, key, { value: next, writable: true, enumerable: true, configurable: true })
    }),
  })
  const seen = new Set()
  const fix = (start) => {
    for (const waiting = [start]; waiting.length > 0; ) {
      const object = waiting.pop()
      if (object === null || (typeof object !== 'object' && typeof object !== 'function') || seen.has(object)) continue
      seen.add(object)
      waiting.push(getPrototypeOf(object))
      for (const key of ownKeys(object)) {
        const { value, get, set, configurable, writable } = getOwnPropertyDescriptor(object, key)
        waiting.push(value, get, set)
        const isInherited = typeof object !== 'function' && (object === Object.prototype || own.has(key))
        if (isInherited && writable && configurable) defineProperty(object, key, settable(object, key, value))
      }
      freeze(object)
    }
  }
  return () => {
    for (const start of hidden) fix(start)
    for (const name of names) fix(globalThis[name])
  }
})()`

/**
 * What programs have beside the language: timers and a console. Made in the realm, and nothing that comes from outside is
 * handed out: ids of timers are numbers.
 */
const globalsProgram = `((outside) => {
  'use strict'
  const { start, stop, print } = outside
  const { apply } = Reflect
  const { defineProperty, freeze } = Object
  const S = String
  class Timer {
    #id
    constructor(id) { this.#id = id }
    static idOf(timer) { return typeof timer === 'object' && timer !== null && #id in timer ? timer.#id : -1 }
    ref() { return this }
    unref() { return this }
    hasRef() { return true }
  }
  const timer = (repeats) => (callback, delay = 0, ...given) => {
    if (typeof callback !== 'function') throw new TypeError('a timer needs a function')
    return new Timer(start(() => { apply(callback, undefined, given) }, +delay, repeats))
  }
  const clear = (timer) => { stop(Timer.idOf(timer)) }
  const say = (...values) => {
    let line = ''
    for (let at = 0; at < values.length; at++) line += (at === 0 ? '' : ' ') + S(values[at])
    print(line)
  }
  const given = {
    setTimeout: timer(false), setInterval: timer(true),
    setImmediate: (callback, ...rest) => given.setTimeout(callback, 0, ...rest),
    clearTimeout: clear, clearInterval: clear, clearImmediate: clear,
    queueMicrotask: (callback) => { Promise.resolve().then(() => { callback() }) },
    console: { log: say, info: say, warn: say, error: say, debug: say, trace: say },
  }
  freeze(Timer.prototype)
  freeze(Timer)
  for (const name of Object.keys(given)) {
    const value = given[name]
    freeze(value)
    for (const part of Object.values(value)) freeze(part)
    defineProperty(globalThis, name, { value, enumerable: true })
  }
  return () => {
    delete globalThis.WebAssembly
    for (const name of Object.getOwnPropertyNames(globalThis)) {
      const { value, configurable } = Object.getOwnPropertyDescriptor(globalThis, name)
      if (configurable) defineProperty(globalThis, name, { value, writable: false, configurable: false })
    }
  }
})`

/**
 * A separate realm for tests and the code under test. It has the language, timers and a console, all frozen, and neither
 * modules of Node nor a way to make code of texts.
 *
 * @param {(text: string) => void} print
 * @returns {object} its context
 */
export function frozenRealm(print) {
  const context = vm.createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } })
  const fixLanguage = vm.runInContext(freezing, context)
  const fixGlobals = vm.runInContext(globalsProgram, context)({ ...timers(), print })
  fixLanguage()
  fixGlobals()
  return context
}

/** Timers by number. */
function timers() {
  const running = new Map()
  let last = 0
  const start = (callback, delay, repeats) => {
    const id = ++last
    running.set(id, repeats ? setInterval(callback, delay) : setTimeout(callback, delay))
    return id
  }
  return { start, stop: (id) => clearTimeout(running.get(id)) }
}

/**
 * Freezes the language of the realm that this is called in, too, and forbids it to make code of texts: an error or a promise
 * that gets from here into the other realm must lead to nothing.
 */
export function freezeOwnRealm() {
  const refuse = Object.freeze(() => {
    throw new EvalError('code cannot be made of texts here')
  })
  const kinds = [() => {}, async () => {}, function* () {}, async function* () {}]
  for (const kind of kinds) Object.defineProperty(Object.getPrototypeOf(kind), 'constructor', { value: refuse })
  vm.runInThisContext(freezing)()
}
