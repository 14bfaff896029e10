import { homedir, hostname, userInfo } from 'node:os'
import { withoutKeys } from '@jurist/bridges/internal'
import { withoutHostSecrets } from '@jurist/workspace/internal'

/** The kinds of replaced values and their places, never the values. */
export interface Removed {
  readonly secrets: readonly string[]
  readonly machine: readonly string[]
  /** Places with e-mail addresses, which stay. */
  readonly addresses: readonly string[]
  /** Files that are left out, since they hold nothing but secrets. */
  readonly files: readonly string[]
}

/** Removes secrets and the names of this machine from texts, and notes where. */
export interface Cleaning {
  /** @param place how the report names the text */
  text(text: string, place: string): string
  /** The same in all strings of a JSON value, keys included. */
  json<Value>(value: Value, place: string): Value
  /** `true`: the file is left out, and noted. */
  isSecretFile(path: string, bytes: Uint8Array): boolean
  removed(): Removed
}

const secretFile =
  /(?:^|\/)(?:\.env(?:\.(?!example$|sample$|template$)[\w.-]+)?|id_(?:rsa|dsa|ecdsa|ed25519)|[\w.-]+\.(?:pem|key|p12|pfx|keystore|jks)|\.netrc|credentials(?:\.json)?)$/i
const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g
/** A value of 32 characters or more in a place that is called a key, a token, a secret or a password. */
const named = /((?:key|token|secret|passw(?:or)?d|credential)["'\]]?\s*(?:[:=]|=>)\s*["'`]?)([A-Za-z0-9+/_=.-]{32,})/gi
const userInfoOfUrl = /(\b[a-z][a-z0-9+.-]*:\/\/[^/@\s:"']*:)([^/@\s"']{3,})(@)/gi
const services =
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bxox[a-z]-[\w-]{10,}|\bglpat-[\w-]{16,}|\bnpm_[A-Za-z0-9]{30,}|\bsk_live_\w{16,}/g
const address = /\b[\w.+-]+@[\w-]+\.[a-z]{2,}\b/i
/** Bits of information a character: hexadecimal hashes have at most 4, random base64 nearly 6. */
const leastEntropy = 3
const shortestName = 4

/** Shannon's entropy of a string in bits per character, by how often each character occurs. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  return [...counts.values()].reduce((sum, count) => {
    const share = count / text.length
    return sum - share * Math.log2(share)
  }, 0)
}

function withoutSecrets(text: string): string {
  return withoutKeys(withoutHostSecrets(text.replaceAll(privateKey, '***')))
    .replaceAll(services, '***')
    .replaceAll(userInfoOfUrl, '$1***$3')
    .replaceAll(named, (whole, before: string, value: string) =>
      entropyOf(value) >= leastEntropy ? `${before}***` : whole,
    )
}

/** The home directory, the user and the host of this machine, where they are long enough to be meant. */
function machineNames(): readonly (readonly [pattern: RegExp, replacement: string])[] {
  const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const word = (text: string) => new RegExp(`(?<![\\w-])${escaped(text)}(?![\\w-])`, 'g')
  const [home, user, host] = [homedir(), userInfo().username, hostname()]
  return [
    ...(home.length >= shortestName ? [[new RegExp(`${escaped(home)}(?![\\w-])`, 'g'), '~'] as const] : []),
    ...(user.length >= shortestName && user !== 'root' ? [[word(user), 'user'] as const] : []),
    ...(host.length >= shortestName && host !== 'localhost' ? [[word(host), 'host'] as const] : []),
  ]
}

export function cleaning(): Cleaning {
  const [secrets, machine, addresses, files] = [
    new Set<string>(),
    new Set<string>(),
    new Set<string>(),
    new Set<string>(),
  ]
  const names = machineNames()
  const known = new Set<string>()
  const clean = (text: string, place: string): string => {
    if (text.length < shortestName) return text
    let rest = text
    for (const value of known) rest = rest.replaceAll(value, '***')
    rest = withoutSecrets(rest)
    if (rest !== text) secrets.add(place)
    const plain = names.reduce((left, [pattern, replacement]) => left.replaceAll(pattern, replacement), rest)
    if (plain !== rest) machine.add(place)
    if (address.test(plain)) addresses.add(place)
    return plain
  }
  const json = (value: unknown, place: string): unknown => {
    if (typeof value === 'string') return clean(value, place)
    if (Array.isArray(value)) return value.map((one) => json(one, place))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [clean(key, place), json(one, place)]))
  }
  return {
    text: clean,
    json: <Value>(value: Value, place: string) => json(value, place) as Value,
    isSecretFile(path, bytes) {
      const content = Buffer.from(bytes).toString('latin1')
      const isNamed = secretFile.test(path)
      // What a file of secrets says is a secret wherever it is said.
      if (isNamed)
        for (const [, value = ''] of content.matchAll(
          /^[\w.-]*(?:key|token|secret|passw)[\w.-]*\s*[=:]\s*["']?([^\s"'#]{8,})/gim,
        ))
          known.add(value)
      const isBinary = bytes.includes(0)
      const found =
        isNamed ||
        (isBinary && (withoutSecrets(content) !== content || [...known].some((value) => content.includes(value))))
      if (found) files.add(path)
      return found
    },
    removed: () => ({
      secrets: [...secrets, ...files],
      machine: [...machine],
      addresses: [...addresses],
      files: [...files],
    }),
  }
}
