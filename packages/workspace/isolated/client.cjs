'use strict'
// Replaces the code under test where the tests run, and asks the process in which the code runs. Only values come back,
// so nothing of the code can reach the assertions or the runner.
const { appendFileSync } = require('node:fs')
const { join } = require('node:path')
const { chained, proxyOf, errorClasses, isAskedByLibrary } = require('./proxies.cjs')
const { Unfit, decode, encode } = require('./values.cjs')
const { transport } = require('./transport.cjs')

/** One session for each realm: runners with realms create one for every file of tests. */
const sessions = new WeakMap()

function moduleOf(path, realm) {
  if (!sessions.has(realm)) sessions.set(realm, sessionOf(realm))
  const session = sessions.get(realm)
  if (!session.modules.has(path)) session.modules.set(path, load(session, path))
  return session.modules.get(path)
}

/** A module whose import was not found in the source of the tests. */
const unknown = (path) => refuse(`${path}, whose import is not found in the text of the tests,`)

/** Notes what cannot be passed on, where the judge finds it, even if the test catches the error. */
function refuse(what) {
  appendFileSync(join(__dirname, 'unfit.jsonl'), `${JSON.stringify(what)}\n`)
  throw new Error(`not isolatable: ${what} cannot be passed between the tests and the code under test`)
}

function sessionOf(realm) {
  const session = {
    realm,
    ...transport(join(__dirname, 'js')),
    modules: new Map(),
    /** Objects that the tests have constructed, by number, and their numbers. */
    objects: new Map(),
    numbers: new WeakMap(),
    /** Objects that methods returned, by number. */
    chained: new Map(),
    classes: new Map(),
    refuse,
  }
  session.request = (message, args) => request(session, message, args)
  session.decoded = (form) =>
    decode(form, realm, ({ $, is }) => {
      if ($ === 'object-of-test' && session.objects.has(is)) return chained(session, is)
      return refuse('an unknown form')
    })
  session.encoded = (args) => encoded(session, args)
  session.settled = (reply, message, args) => settled(session, reply, message, args)
  return session
}

function encoded({ numbers }, args) {
  const refer = (value) => (numbers.has(value) ? { $: 'object-of-test', is: numbers.get(value) } : undefined)
  try {
    return args.map((value) => encode(value, refer))
  } catch (thrown) {
    if (thrown instanceof Unfit) return refuse(`an argument that is or has ${thrown.message}`)
    throw thrown
  }
}

/** Sends a request and returns a value, throws an error, or returns a promise, as the code does. */
function request(session, message, args = []) {
  const reply = session.ask({ ...message, args: session.encoded(args) })
  if (reply.pending === undefined) return settled(session, reply, message, args)
  return new session.realm.Promise((resolve, reject) => {
    session.whenSettled(reply.pending, (later) => {
      try {
        resolve(settled(session, later, message, args))
      } catch (thrown) {
        reject(thrown)
      }
    })
  })
}

function settled(session, reply, message, args) {
  const { realm, decoded } = session
  if (reply.ended !== undefined)
    throw new realm.Error(`The process of the code under test ended (${endOf(reply.ended)}).`)
  if (reply.unfit !== undefined) return refuse(`what ${nameOf(message)} gives: ${reply.unfit}`)
  const { object, name } = message
  if (reply.method === true)
    return (...given) => {
      if (isAskedByLibrary()) return refuse(`a call of ${name} by something else than a test`)
      return request(session, { verb: 'invoke', object, name }, given)
    }
  for (const [index, form] of (reply.args ?? []).entries()) replace(args[index], decoded(form))
  if (reply.thrown !== undefined) throw errorOf(session, reply.thrown)
  return reply.argument === undefined ? decoded(reply.value) : args[reply.argument]
}

/** Creates an error of the same class, if the tests know it, otherwise of the nearest built-in class. */
function errorOf({ realm, decoded, classes }, thrown) {
  if ('value' in thrown) return decoded(thrown.value)
  const { name, message, builtin, own, at } = thrown
  const made = new realm[errorClasses.includes(builtin) ? builtin : 'Error'](String(message))
  const known = at && classes.get(JSON.stringify([at.module, ...at.path]))
  if (known !== undefined) Object.setPrototypeOf(made, known.prototype)
  for (const [key, form] of Object.entries(own)) {
    // The code of an error tells runners about actions of the test itself, such as a skip.
    const value = decoded(form)
    const isRunners = key === 'code' && /^VITEST/.test(String(value))
    if (!isRunners && key !== 'then')
      Object.defineProperty(made, key, { value, enumerable: true, writable: true, configurable: true })
  }
  if (made.name !== name)
    Object.defineProperty(made, 'name', { value: String(name), writable: true, configurable: true })
  return made
}

function load(session, path) {
  const { realm, ask } = session
  const reply = ask({ load: path })
  const failed = (reason) => new realm.Error(`${path} could not be loaded: ${reason}`)
  if (reply.ended !== undefined) throw failed(`its process ended (${endOf(reply.ended)})`)
  if (reply.unfit !== undefined) throw failed(reply.unfit)
  if (reply.thrown !== undefined) throw errorOf(session, reply.thrown)
  return proxyOf(session, { module: path, path: [] }, reply.exports)
}

/** Gives an array or an object of a test the content that the code has given it. */
function replace(target, changed) {
  const kind = Object.prototype.toString.call(target)
  if (kind === '[object Array]') {
    target.length = 0
    target.length = changed.length
    Object.assign(target, changed)
  } else if (kind === '[object Map]' || kind === '[object Set]') {
    target.clear()
    for (const one of changed) kind === '[object Map]' ? target.set(...one) : target.add(one)
  } else if (typeof target === 'object' && target !== null) replaceMembers(target, changed)
}

function replaceMembers(target, changed) {
  for (const key of Object.keys(target)) if (!Object.hasOwn(changed, key)) delete target[key]
  for (const [key, value] of Object.entries(changed))
    if (formOf(target[key]) !== formOf(value))
      Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
}

function formOf(value) {
  try {
    return JSON.stringify(encode(value))
  } catch {
    return ''
  }
}

function nameOf({ module, path = [], name }) {
  return [module, ...path, name].filter((part) => part !== undefined).join(' ')
}

function endOf({ reason, code, signal }) {
  return reason ?? (signal === null ? `exit code ${code}` : String(signal))
}

module.exports = { module: moduleOf, unknown }
