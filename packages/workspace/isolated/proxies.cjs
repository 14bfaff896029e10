'use strict'
// The replacements that the tests get for the functions, classes and values that the code under test exports.

const { dirname, sep } = require('node:path')
const { realpathSync } = require('node:fs')
const { fileURLToPath } = require('node:url')

const roots = [dirname(__dirname), realpathSync(dirname(__dirname))]
const mostFrames = 30

/**
 * Whether an assertion, a runner or another library calls rather than a test: the code must not answer their questions
 * about a value, such as whether it equals another one. If the stack contains no file, the language itself calls.
 */
function isAskedByLibrary() {
  const { prepareStackTrace, stackTraceLimit } = Error
  Error.prepareStackTrace = (_, sites) => sites.map((site) => site.getFileName() ?? '')
  Error.stackTraceLimit = mostFrames
  const { stack } = new Error()
  Object.assign(Error, { prepareStackTrace, stackTraceLimit })
  const files = stack.map((name) => (name.startsWith('file:') ? fileURLToPath(name) : name))
  const caller = files.find((name) => /[/\\:]/.test(name) && !name.startsWith(__dirname + sep))
  return caller !== undefined && !isOfTests(caller)
}

function isOfTests(file) {
  const root = roots.find((one) => file.startsWith(one + sep))
  return root !== undefined && !file.slice(root.length).split(sep).includes('node_modules')
}

/** Every realm has them. */
const errorClasses = ['Error', 'TypeError', 'RangeError', 'SyntaxError', 'ReferenceError', 'URIError', 'EvalError']

/**
 * Methods whose answer is about another value. The code must not give it: an array-like object of its own could claim
 * to include whatever a test looks for.
 */
const aboutOthers = new Set(
  (
    'includes indexOf lastIndexOf has hasOwnProperty isPrototypeOf propertyIsEnumerable startsWith endsWith match matchAll ' +
    'search localeCompare compare equals test exec isSubsetOf isSupersetOf isDisjointFrom valueOf toString toLocaleString toJSON'
  ).split(' '),
)

/** Names that only the language reads, and names that test libraries read on values that define their own equality. */
const ofTheLanguage = ['constructor', 'then']
const ofLibraries = ['asymmetricMatch', '$$typeof', 'nodeType']

/**
 * @param session the process of the code
 * @param target the export: its module, and the names that lead to it
 * @param description the export as the process describes it
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
    if (description.kind !== 'value' && [...ofTheLanguage, ...ofLibraries].includes(name)) continue
    const value = proxyOf(session, { ...target, path: [...target.path, name] }, description)
    Object.defineProperty(made, name, { value, enumerable: true, writable: true, configurable: true })
  }
  return made
}

function functionOf(session, target, { name, length, isAsync }) {
  const { realm, request, refuse } = session
  const last = target.path.at(-1)
  const call = (self, args) => {
    const isMethod = self !== undefined && self !== null && Object(self)[last] === made
    if (isMethod && isAskedByLibrary()) return refuse(`a call of ${last} by something else than a test`)
    return request({ verb: 'call', ...target }, args)
  }
  // An async function never throws while it is called.
  const made = isAsync
    ? function (...args) {
        return new realm.Promise((resolve) => resolve(call(this, args)))
      }
    : function (...args) {
        return new.target === undefined ? call(this, args) : constructed(session, target, args, new.target.prototype)
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

/** An object in the process of the code. Only the code could answer what the object is equal to, so it is not asked. */
function handlerOf({ request, refuse }, object) {
  const compared = () => refuse('a comparison or a listing of an object of a class')
  const isOwn = (name) =>
    typeof name === 'symbol' || ofTheLanguage.includes(name) || (ofLibraries.includes(name) && isAskedByLibrary())
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

/**
 * An object that the code returned: a test may call its methods, as in `list.add(1).add(2)`. It is not a value, and not
 * the object itself either, so anything that only a value could answer is refused.
 */
function chained(session, number) {
  const known = session.chained.get(number)
  if (known !== undefined) return known
  const handler = handlerOf(session, number)
  const asked = (own, name) => {
    if (aboutOthers.has(name)) session.refuse(`${name} of an object that the code gave back`)
    return handler.get(own, name)
  }
  const refused = () => session.refuse('a look into an object that the code gave back')
  const made = new Proxy(Object.create(null), {
    ...handler,
    get: asked,
    has: refused,
    set: refused,
    getPrototypeOf: refused,
  })
  session.chained.set(number, made)
  session.numbers.set(made, number)
  return made
}

function named(made, name, length) {
  Object.defineProperty(made, 'name', { value: name, configurable: true })
  return Object.defineProperty(made, 'length', { value: length, configurable: true })
}

/** An export that is not a value: it may be imported, but not used. */
function unusable(refuse, what) {
  const traps = ['get', 'set', 'has', 'ownKeys', 'apply', 'construct', 'getOwnPropertyDescriptor', 'defineProperty']
  return new Proxy(() => {}, Object.fromEntries(traps.map((trap) => [trap, () => refuse(what)])))
}

module.exports = { chained, errorClasses, isAskedByLibrary, proxyOf }
