import { JuristError } from './errors.js'

const maxLength = 64
const integerLike = /^(0|[1-9]\d*)$/
const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

export function isName(name: unknown): name is string {
  return (
    typeof name === 'string' &&
    name.trim() === name &&
    name !== '' &&
    [...name].length <= maxLength &&
    !unprintable.test(name) &&
    !integerLike.test(name) &&
    name !== '__proto__'
  )
}

/**
 * A name has 1 to 64 characters, no outer white space and no control characters. It is not a whole number (objects
 * would reorder it) and not `__proto__`.
 *
 * @param what the kind of thing that is named, for the message, such as `'a member'`
 * @throws `name-invalid`
 */
export function checkName(name: string, what: string): string {
  if (isName(name)) return name
  throw new JuristError(
    'name-invalid',
    `${JSON.stringify(String(name).slice(0, 80))} cannot name ${what}: use 1 to ${maxLength} characters, without ` +
      'control characters or white space around them, and no bare whole number.',
    { name: String(name) },
  )
}
