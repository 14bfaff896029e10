// The process of the code under test: it loads modules, calls their exports, and answers with values. It knows nothing
// of the tests except the arguments that they pass.
import { createRequire, register } from 'node:module'
import { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)
const { Unfit, decode, encode } = require('./values.cjs')
register('./load-types.mjs', import.meta.url)

const modules = new Map()
const objects = []
const numberOf = (value) => objects.indexOf(value)

const refer = (value) => (numberOf(value) < 0 ? undefined : { $: 'object-of-test', is: numberOf(value) })
const encoded = (value) => encode(value, refer)
const decoded = (form) => decode(form, globalThis, ({ $, is }) => ($ === 'object-of-test' ? objects[is] : undefined))

async function load(path) {
  const url = new URL(encodeURI(path), new URL('..', import.meta.url))
  const [file, loaded] = [fileURLToPath(url), await import(url.href)]
  const isCommon = require.cache[file] !== undefined
  modules.set(path, isCommon ? require(file) : loaded)
  return { format: isCommon ? 'commonjs' : 'module', exports: descriptionOf(modules.get(path), isCommon ? 0 : 1) }
}

const isClass = (value) => typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value))
const isAsync = (value) => Object.prototype.toString.call(value) === '[object AsyncFunction]'
const deepestMember = 3

/** Describes an export for its proxy among the tests. */
function descriptionOf(value, depth) {
  if (typeof value === 'function') {
    const members = depth < deepestMember ? membersOf(value, depth, ['length', 'name', 'prototype']) : {}
    const { name, length } = value
    const isErrors = value.prototype instanceof Error
    const known = { name: String(name), length: Number(length), members }
    if (isClass(value) || isErrors) return { kind: 'class', isErrors, base: builtinName(value.prototype), ...known }
    return { kind: 'function', isAsync: isAsync(value), ...known }
  }
  const isNamespace = Object.prototype.toString.call(value) === '[object Module]'
  if (!isNamespace)
    try {
      return { kind: 'value', value: encoded(value) }
    } catch (thrown) {
      if (!(thrown instanceof Unfit)) throw thrown
      if (typeof value !== 'object' || value === null || depth >= deepestMember)
        return { kind: 'unfit', what: thrown.message }
      const prototype = Object.getPrototypeOf(value)
      if (prototype !== null && prototype !== Object.prototype) return { kind: 'unfit', what: thrown.message }
    }
  return { kind: 'object', members: membersOf(value, depth, []) }
}

function membersOf(value, depth, without) {
  const names = Object.getOwnPropertyNames(value).filter((name) => !without.includes(name))
  return Object.fromEntries(names.map((name) => [name, descriptionOf(value[name], depth + 1)]))
}

const builtins = ['TypeError', 'RangeError', 'SyntaxError', 'ReferenceError', 'URIError', 'EvalError', 'Error']
/** Returns the nearest error class that every realm has. */
function builtinName(prototype) {
  return builtins.find((name) => prototype === globalThis[name].prototype || prototype instanceof globalThis[name])
}

/** Finds the value at a path of names, and the object that has it. */
function found(module, path) {
  let owner
  let value = modules.get(module)
  for (const name of path) [owner, value] = [value, value[name]]
  return { owner, value }
}

/** Encodes an error as data, and other thrown things as values. */
function thrownForm(error) {
  if (!(error instanceof Error)) return { value: encoded(error) }
  const own = {}
  for (const key of Object.keys(error))
    try {
      own[key] = encoded(error[key])
    } catch (thrown) {
      if (!(thrown instanceof Unfit)) throw thrown
    }
  const { name, message } = error
  const at = classOf(error)
  return { name: String(name), message: String(message), builtin: builtinName(error), own, ...(at && { at }) }
}

/** Finds where the class of an error is exported. */
function classOf(error) {
  for (const [module, value] of modules)
    for (const path of [[], ...Object.keys(value).map((name) => [name])])
      if (found(module, path).value === error.constructor && error.constructor.prototype instanceof Error)
        return { module, path }
  return undefined
}

/** Encodes the answer to a call, with the arguments if the call has changed them. */
function answerOf(result, args, before) {
  const at = typeof result === 'object' && result !== null ? args.indexOf(result) : -1
  const after = JSON.stringify(args.map(encoded))
  const changed = after === before ? {} : { args: JSON.parse(after) }
  return { ...(at < 0 ? { value: encoded(result) } : { argument: at }), ...changed }
}

function failed(thrown) {
  if (thrown instanceof Unfit) return { unfit: thrown.message }
  try {
    return { thrown: thrownForm(thrown) }
  } catch (inner) {
    return { unfit: inner instanceof Unfit ? `thrown: ${inner.message}` : 'an error that cannot be read' }
  }
}

const verbs = {
  call({ module, path, args }) {
    const { owner, value } = found(module, path)
    return Reflect.apply(value, owner, args)
  },
  construct({ module, path, args }) {
    const made = Reflect.construct(found(module, path).value, args)
    objects.push(made)
    return made
  },
  invoke: ({ object, name, args }) => Reflect.apply(objects[object][name], objects[object], args),
  get: ({ object, name }) => objects[object][name],
  set({ object, name, args }) {
    objects[object][name] = args[0]
  },
  has: ({ object, name }) => name in objects[object],
}

/** Carries out a request. The answer may come in two parts. */
function act(request, send) {
  const args = (request.args ?? []).map(decoded)
  const before = JSON.stringify(args.map(encoded))
  const result = verbs[request.verb]({ ...request, args })
  if (request.verb === 'get' && typeof result === 'function') return { method: true }
  if (typeof result?.then !== 'function' || numberOf(result) >= 0) return answerOf(result, args, before)
  const { id } = request
  Promise.resolve(result)
    .then((value) => answerOf(value, args, before))
    .catch(failed)
    .then((answer) => send({ settled: id, ...answer }))
  return { pending: id }
}

async function answer(request, send) {
  try {
    if (request.load !== undefined) return send(await load(request.load))
    send(act(request, send))
  } catch (thrown) {
    send(failed(thrown))
  }
}

const channel = new Socket({ fd: 3, readable: true, writable: true })
const write = channel.write.bind(channel)
const send = (message) => {
  write(`${JSON.stringify(message)}\n`)
}
let text = ''
// No request waits for the result of something that was left running.
process.on('unhandledRejection', () => {})
channel.on('error', () => process.reallyExit(1))
channel.on('end', () => process.reallyExit(0))
channel.setEncoding('utf8')
channel.on('data', (data) => {
  text += data
  const lines = text.split('\n')
  text = lines.pop() ?? ''
  for (const line of lines) answer(JSON.parse(line), send)
})
