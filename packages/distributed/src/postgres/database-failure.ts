import { JuristError } from '@jurist/core'
import { failureOf, optionInvalid } from '@jurist/core/internal'
import { commandLine } from '@jurist/kit/command-line'

export interface DatabaseName {
  /** The address without the password. */
  readonly address: string
  /** Returns a string without the password. */
  readonly blank: (text: string) => string
}

/**
 * The address of a database without its password and its parameters, which may hold one.
 *
 * @throws `option-invalid`, without the address, when it is not one
 */
export function blankedAddress(url: string): DatabaseName {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^postgres(ql)?:$/.test(parsed.protocol))
    optionInvalid(
      'url',
      'The address of a database looks like postgres://user@host:5432/name. Characters such as @ or / in a password are written as %40 and %2F.',
    )
  const secrets = [parsed.password, ...parsed.searchParams.getAll('password')].filter((secret) => secret !== '')
  const all = secrets.flatMap((secret) => [secret, decoded(secret)])
  parsed.password = ''
  parsed.search = ''
  return {
    address: parsed.href,
    blank: (text) => all.reduce(withoutPassword, text),
  }
}

/** Shorter passwords are part of ordinary words. */
const shortest = 4

/** A short password is replaced only inside an address. */
function withoutPassword(text: string, password: string): string {
  if (password.length >= shortest) return text.replaceAll(password, '***')
  return text.replaceAll(`:${password}@`, ':***@').replaceAll(`password=${password}`, 'password=***')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function databaseFailure({ address, blank }: DatabaseName, thrown: unknown): JuristError {
  if (JuristError.is(thrown)) return thrown
  const [problem, remedy] = wordsOf(thrown)
  return new JuristError('store-failed', blank(`${problem} (${address}). ${remedy}`), { path: address })
}

const tooMany = [
  'The database has no connection free',
  'Run fewer trials side by side (-j), raise max_connections, or put a connection pooler in front of it.',
] as const

function wordsOf(thrown: unknown): readonly [string, string] {
  const code = codeOf(thrown)
  const message = failureOf(thrown).message
  switch (code) {
    case 'ECONNREFUSED':
    case 'ENOTFOUND':
    case 'EHOSTUNREACH':
    case 'ETIMEDOUT':
    case 'ECONNRESET':
    case 'EAI_AGAIN':
    case 'ENOENT':
      return [`The database cannot be reached: ${message || code}`, 'Start it, or correct the address.']
    case '28P01':
    case '28000':
      return [`The database refused the user: ${message}`, 'Correct the user or the password.']
    case '3D000':
      return [`There is no such database: ${message}`, 'Create it, for example with createdb.']
    case '53300':
      return tooMany
    case '53100':
      return ['The disk of the database is full', 'Make room there; what was stored before is safe.']
    case '42501':
      return [
        `The user lacks a permission: ${message}`,
        `Grant it, or run as another user: ${commandLine('store', 'migrate')}`,
      ]
    default:
      if (/timeout exceeded when trying to connect/i.test(message)) return tooMany
      return [`The database failed: ${message}`, 'What was stored before is safe. Try again.']
  }
}

/** Whether a statement may succeed when it is sent again over another connection. */
export function isPassing(thrown: unknown): boolean {
  const code = codeOf(thrown) ?? ''
  if (/^(08...|57P0[123]|25P03|53300|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOENT)$/.test(code)) return true
  return hasBroken(thrown) || /timeout exceeded when trying to connect/i.test(failureOf(thrown).message)
}

/** Whether a connection that was open has broken. */
export function hasBroken(thrown: unknown): boolean {
  return /Connection terminated|Client has encountered/i.test(failureOf(thrown).message)
}

function codeOf(thrown: unknown): string | undefined {
  const { code, errors } = thrown as { readonly code?: unknown; readonly errors?: readonly unknown[] }
  if (typeof code === 'string') return code
  return errors?.[0] === undefined ? undefined : codeOf(errors[0])
}
