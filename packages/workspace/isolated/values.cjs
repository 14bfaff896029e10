'use strict'
// The format of values between the tests and the code under test: JSON, with a `$` for what JSON cannot express.
// Anything else, such as a function or an object of a class, cannot leave its process.

/** A value that cannot leave its process. */
class Unfit extends Error {}

const deepest = 200
const numbers = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
  ['-0', -0],
])

/**
 * Encodes a value.
 *
 * @param {unknown} value
 * @param {(value: object) => object | undefined} refer returns the form of an object that both sides know, `undefined`
 * for others
 * @throws Unfit
 */
function encode(value, refer = () => undefined, above = []) {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      if (Number.isFinite(value) && !Object.is(value, -0)) return value
      return { $: 'number', is: Object.is(value, -0) ? '-0' : String(value) }
    case 'undefined':
      return { $: 'undefined' }
    case 'bigint':
      return { $: 'bigint', is: String(value) }
    case 'symbol':
      throw new Unfit('a symbol')
    default:
      break
  }
  if (value === null) return null
  const known = refer(value)
  if (known !== undefined) return known
  if (typeof value === 'function') throw new Unfit(`a function${value.name === '' ? '' : ` (${value.name})`}`)
  if (above.includes(value)) throw new Unfit('an object that contains itself')
  if (above.length >= deepest) throw new Unfit(`a value deeper than ${deepest}`)
  return encodeObject(value, (part) => encode(part, refer, [...above, value]))
}

function encodeObject(value, part) {
  switch (Object.prototype.toString.call(value)) {
    case '[object Array]':
      return encodeArray(value, part)
    case '[object Date]':
      return { $: 'date', is: part(Date.prototype.getTime.call(value)) }
    case '[object RegExp]':
      return { $: 'regexp', is: [String(value.source), String(value.flags)] }
    case '[object Map]':
      return { $: 'map', is: [...Map.prototype.entries.call(value)].map((pair) => pair.map(part)) }
    case '[object Set]':
      return { $: 'set', is: [...Set.prototype.values.call(value)].map(part) }
    case '[object Uint8Array]':
      return { $: Buffer.isBuffer(value) ? 'buffer' : 'bytes', is: Buffer.from(value).toString('base64') }
    default:
      return encodeRecord(value, part)
  }
}

function encodeArray(value, part) {
  const names = Object.keys(value)
  if (names.some((name) => !(String(Number(name)) === name))) throw new Unfit('an array with properties of its own')
  return Array.from({ length: value.length }, (_, index) => (index in value ? part(value[index]) : { $: 'hole' }))
}

function encodeRecord(value, part) {
  const prototype = Object.getPrototypeOf(value)
  const isPlain =
    prototype === null || (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf'))
  if (!isPlain) throw new Unfit(`an object of ${String(value.constructor?.name || 'a class')}`)
  if (Object.getOwnPropertySymbols(value).length > 0) throw new Unfit('an object with symbols')
  const is = Object.fromEntries(Object.keys(value).map((key) => [key, part(value[key])]))
  if (prototype === null) return { $: 'bare', is }
  return Object.hasOwn(value, '$') ? { $: 'object', is } : is
}

/**
 * Decodes a form into objects of a realm: a runner may run tests in a realm of their own.
 *
 * @param {unknown} form
 * @param {typeof globalThis} realm
 * @param {(form: object) => unknown} known returns the object that a form refers to
 */
function decode(form, realm, known = () => undefined) {
  if (form === null || typeof form !== 'object') return form
  const part = (inner) => decode(inner, realm, known)
  if (Array.isArray(form)) {
    const made = new realm.Array(form.length)
    for (const [index, inner] of form.entries()) if (inner?.$ !== 'hole') made[index] = part(inner)
    return made
  }
  if (!Object.hasOwn(form, '$')) return record(new realm.Object(), form, part)
  const { $: kind, is } = form
  switch (kind) {
    case 'undefined':
    case 'hole':
      return undefined
    case 'number':
      return numbers.get(is)
    case 'bigint':
      return realm.BigInt(is)
    case 'date':
      return new realm.Date(part(is))
    case 'regexp':
      return new realm.RegExp(is[0], is[1])
    case 'map':
      return new realm.Map(is.map((pair) => pair.map(part)))
    case 'set':
      return new realm.Set(is.map(part))
    case 'bytes':
      return realm.Uint8Array.from(Buffer.from(is, 'base64'))
    case 'buffer':
      return Buffer.from(is, 'base64')
    case 'bare':
      return record(Object.create(null), is, part)
    case 'object':
      return record(new realm.Object(), is, part)
    default:
      return known(form)
  }
}

function record(made, form, part) {
  for (const [key, inner] of Object.entries(form))
    Object.defineProperty(made, key, { value: part(inner), writable: true, enumerable: true, configurable: true })
  return made
}

module.exports = { Unfit, decode, encode }
