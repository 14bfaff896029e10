'use strict'
// What the tests get for the functions, classes and values that the code under test exports.

/** Every realm has them. */
const errorClasses = ['Error', 'TypeError', 'RangeError', 'SyntaxError', 'ReferenceError', 'URIError', 'EvalError']

/**
 * @param session the process of the code
 * @param target where the export is: its module, and the names that lead to it
 * @param description what the process says it is
 */
function proxyOf(session, target, description) {
  const { realm, decoded, refuse } = session
  switch (description.kind) {
    case 'value':
      return decoded(description.value)
    case 'function':
      return withMembers(session, functionOf(session, target, description), target, description)
    case 'class':
      return withMembers(session, classOf(session, target, description), target, description)
    case 'object':
      return withMembers(session, new realm.Object(), target, description)
    default:
      return unusable(refuse, `${[target.module, ...target.path].join(' ')}: ${description.what}`)
  }
}

function withMembers(session, made, target, { members = {} }) {
  for (const [name, description] of Object.entries(members)) {
    const value = proxyOf(session, { ...target, path: [...target.path, name] }, description)
    Object.defineProperty(made, name, { value, enumerable: true, writable: true, configurable: true })
  }
  return made
}

function functionOf(session, target, { name, length, isAsync }) {
  const { realm, request } = session
  const call = (args) => request({ verb: 'call', ...target }, args)
  // An async function never throws while it is called.
  const made = isAsync
    ? (...args) => new realm.Promise((resolve) => resolve(call(args)))
    : function (...args) {
        return new.target === undefined ? call(args) : constructed(session, target, args, new.target.prototype)
      }
  return named(Object.setPrototypeOf(made, realm.Function.prototype), name, length)
}

function classOf(session, target, { name, length, isErrors, base }) {
  const { realm, classes, refuse } = session
  const made = function (...args) {
    if (new.target === undefined) throw new realm.TypeError(`Class constructor ${name} cannot be invoked without 'new'`)
    if (new.target !== made) refuse(`a class that extends ${name}`)
    return constructed(session, target, args, made.prototype)
  }
  if (isErrors) {
    const parent = realm[errorClasses.includes(base) ? base : 'Error']
    const own = { constructor: { value: made, writable: true, configurable: true } }
    Object.setPrototypeOf(made, parent).prototype = Object.create(parent.prototype, own)
  }
  classes.set(JSON.stringify([target.module, ...target.path]), made)
  return named(made, name, length)
}

function constructed(session, target, args, prototype) {
  const { ask, encoded, settled, objects, numbers } = session
  const reply = ask({ verb: 'construct', ...target, args: encoded(args) })
  if (reply.value?.$ !== 'object-of-test') return settled(reply, target, args)
  const number = reply.value.is
  const made = new Proxy(Object.create(prototype), handlerOf(session, number))
  objects.set(number, made)
  numbers.set(made, number)
  return made
}

/** An object in the process of the code. Only the code could say what it is equal to, so it is not asked. */
function handlerOf({ request, refuse }, object) {
  const compared = () => refuse('a comparison or a listing of an object of a class')
  const isOwn = (name) => typeof name === 'symbol' || name === 'constructor'
  return {
    get: (own, name) => (isOwn(name) ? Reflect.get(own, name) : request({ verb: 'get', object, name })),
    set: (_, name, value) => {
      request({ verb: 'set', object, name }, [value])
      return true
    },
    has: (own, name) => (isOwn(name) ? name in own : request({ verb: 'has', object, name }) === true),
    ownKeys: compared,
    getOwnPropertyDescriptor: compared,
    deleteProperty: compared,
    defineProperty: compared,
  }
}

function named(made, name, length) {
  Object.defineProperty(made, 'name', { value: name, configurable: true })
  return Object.defineProperty(made, 'length', { value: length, configurable: true })
}

/** An export that is no value: it may be imported, but not used. */
function unusable(refuse, what) {
  const traps = ['get', 'set', 'has', 'ownKeys', 'apply', 'construct', 'getOwnPropertyDescriptor', 'defineProperty']
  return new Proxy(() => {}, Object.fromEntries(traps.map((trap) => [trap, () => refuse(what)])))
}

module.exports = { errorClasses, proxyOf }
