import { BlockList, isIP } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'
import { isPlainObject, type OptionRule, optionInvalid, printed } from '@jurist/core/internal'

/** A host that commands may reach with a protocol other than TLS or HTTP. */
export interface RawHost {
  readonly host: string
  readonly port: number
  /** The name of the host inside the connection is not checked. */
  readonly raw: true
}

/**
 * The hosts that commands may reach; everything else is closed. Needs Linux.
 *
 * @example
 * import { bubblewrapSandbox } from '@jurist/workspace'
 *
 * bubblewrapSandbox({ network: { allow: ['api.anthropic.com', '*.wheels.example.org', 'localhost:11434'] } })
 */
export interface NetworkAllowList {
  /**
   * `host` or `*.host` (the names below it), with TLS at port 443 or `:port`; `http://host` for clear text at port 80 or
   * `:port`; `localhost:port` for a server of this machine; an address with its port, such as `10.0.0.5:8080`. An empty
   * array allows nothing and records what was asked for.
   */
  readonly allow: readonly (string | RawHost)[]
  /** Whether `*.host` may cover names that anyone can register, such as `*.github.io`. Default `false`. */
  readonly wide?: boolean
  /**
   * Whether an agent may run in this process, outside of the sandbox. The list then holds only for the commands of the
   * workspace. Default `false`: such agents are refused.
   */
  readonly unsandboxedAgent?: boolean
}

/** How much may pass: TLS whose server name is checked, checked HTTP in clear text, or anything. */
type Kind = 'tls' | 'http' | 'raw'

interface Entry {
  /** In lower case, as ASCII; for `*.host` with the dot in front. */
  readonly host: string
  readonly port: number
  readonly kind: Kind
  /** Names must resolve to public addresses; an entry that is an address, or `localhost`, is meant as it is. */
  readonly isName: boolean
}

/** A checked allow-list. */
export interface AllowList {
  /** The entries as text, sorted: the condition `network` of a run. */
  readonly hosts: readonly string[]
  readonly unsandboxedAgent: boolean
  /** The ports of this machine that commands find on their own loopback. */
  readonly localPorts: readonly number[]
  /** Whether a host, in lower case, may be reached at a port. */
  allows(host: string, port: number): boolean
  /** Returns the entry for a host, in lower case without a final dot; `undefined` if it is not allowed. */
  find(host: string, port: number, kinds: readonly Kind[]): Entry | undefined
}

export const allowListRule: OptionRule = {
  schema: {
    type: 'object',
    properties: {
      allow: {
        type: 'array',
        items: { type: ['string', 'object'] },
        description: 'The hosts that commands may reach.',
      },
      wide: { type: 'boolean', description: 'Whether patterns may cover names that anyone can register.' },
      unsandboxedAgent: { type: 'boolean', description: 'Whether the agent may run outside of the sandbox.' },
    },
    required: ['allow'],
    additionalProperties: false,
  },
  wants: '{ allow: an array of hosts }, with "wide" and "unsandboxedAgent" true or false',
  holds: (value) =>
    isPlainObject(value) &&
    Array.isArray(value['allow']) &&
    Object.keys(value).every((key) => ['allow', 'wide', 'unsandboxedAgent'].includes(key)) &&
    [value['wide'], value['unsandboxedAgent']].every((one) => one === undefined || typeof one === 'boolean'),
}

/** Suffixes below which everyone can have a name. Countries have more of them: see `isShared`. */
const sharedSuffixes: ReadonlySet<string> = new Set(
  (
    'amazonaws.com awsapprunner.com azureedge.net azurefd.net azurestaticapps.net azurewebsites.net appspot.com ' +
    'blob.core.windows.net bitbucket.io cloudapp.azure.com cloudapp.net cloudfront.net cloudfunctions.net deno.dev ' +
    'digitaloceanspaces.com fastly.net firebaseapp.com fly.dev ghcr.io github.dev github.io githubusercontent.com ' +
    'gitlab.io glitch.me googleapis.com googleusercontent.com herokuapp.com hf.space netlify.app ngrok.app ngrok.io ' +
    'ngrok-free.app onrender.com pages.dev pythonanywhere.com r2.dev railway.app readthedocs.io repl.co replit.app ' +
    'replit.dev run.app storage.googleapis.com supabase.co surge.sh trafficmanager.net trycloudflare.com vercel.app ' +
    'web.app windows.net workers.dev'
  ).split(' '),
)

function isShared(host: string): boolean {
  return (
    !host.includes('.') ||
    sharedSuffixes.has(host) ||
    /^s3[a-z0-9.-]*\.amazonaws\.com$/.test(host) ||
    /^(?:ac|co|com|edu|go|gob|gov|gv|ltd|ne|net|nom|or|org|plc|sch)\.[a-z]{2}$/.test(host)
  )
}

/**
 * Checks an allow-list.
 *
 * @throws `option-invalid` naming every entry that cannot be enforced, with the nearest form that can
 */
export function allowListOf(
  where: string,
  { allow, wide = false, unsandboxedAgent = false }: NetworkAllowList,
): AllowList {
  const read = allow.map((entry) => (typeof entry === 'string' ? readEntry(entry, wide) : readRaw(entry)))
  const problems = read.flatMap((one, index) => (typeof one === 'string' ? [`${printed(allow[index])} ${one}`] : []))
  if (problems.length > 0) optionInvalid('network', `${where}: network.allow: ${problems.join('; ')}.`)
  const entries = read.filter((one) => typeof one !== 'string')
  const local = entries.filter(({ host }) => host === 'localhost').map(({ port }) => port)
  const find: AllowList['find'] = (host, port, kinds) =>
    entries.find(
      (entry) =>
        entry.port === port &&
        kinds.includes(entry.kind) &&
        (entry.host.startsWith('.') ? host.endsWith(entry.host) && host !== entry.host : entry.host === host),
    )
  return Object.freeze<AllowList>({
    hosts: [...new Set(entries.map(shown))].sort(),
    unsandboxedAgent,
    localPorts: [...new Set(local)],
    allows: (host, port) => find(host, port, ['tls', 'http', 'raw']) !== undefined,
    find,
  })
}

function shown({ host, port, kind, isName }: Entry): string {
  const name = host.startsWith('.') ? `*${host}` : isIP(host) === 6 ? `[${host}]` : host
  if (kind === 'http') return `http://${name}${port === 80 ? '' : `:${port}`}`
  if (!isName) return `${name}:${port}`
  return kind === 'raw' ? `raw ${name}:${port}` : `${name}${port === 443 ? '' : `:${port}`}`
}

function readRaw(given: unknown): Entry | string {
  const { host, port, raw, ...others } = isPlainObject(given) ? given : {}
  const isWhole = typeof host === 'string' && Number.isInteger(port) && raw === true && Object.keys(others).length === 0
  if (!isWhole) return 'must be a string or { host, port, raw: true }'
  const read = readEntry(`${isIP(host) === 6 ? `[${host}]` : host}:${port}`, false)
  return typeof read === 'string' ? read : { ...read, kind: 'raw' }
}

/** Returns the entry, or the problem with it. */
function readEntry(given: string, wide: boolean): Entry | string {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(given)?.[1]?.toLowerCase()
  const rest = scheme === undefined ? given : given.slice(scheme.length + 3)
  const nearest = rest
    .replace(/[/?#].*$/s, '')
    .replace(/^.*@/s, '')
    .trim()
    .toLowerCase()
    .replace(/\.$/, '')
  const hint =
    nearest === '' || nearest.includes('*')
      ? 'Name a host such as "api.example.com"'
      : `Write "${scheme === 'http' ? 'http://' : ''}${nearest}"`
  if (scheme !== undefined && scheme !== 'http') return `names a protocol. ${hint}`
  if (/[/?#@\s]/.test(rest)) return `has a path, a user or a space; only a host and a port are allowed. ${hint}`
  const [, name = '', digits] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(rest) ?? []
  if (name === '') return `is not a host. ${hint}`
  const port = digits === undefined ? (scheme === 'http' ? 80 : 443) : Number(digits)
  if (port < 1 || port > 65_535) return 'has no valid port: it is from 1 to 65535'
  const address = name.startsWith('[') ? name.slice(1, -1) : name
  if (isIP(address) !== 0 && (isIP(address) === 6) === name.startsWith('[')) {
    if (digits === undefined) return `is an address without a port. Write "${name}:443"`
    return { host: canonicalAddress(address), port, kind: 'raw', isName: false }
  }
  if (name.startsWith('[')) return 'is not an IPv6 address'
  const below = name.startsWith('*.')
  const host = hostName(below ? name.slice(2) : name)
  if (host === undefined) return `is not a host name. ${hint}`
  if (host.includes(' ')) return `maps to another name. Write "${below ? '*.' : ''}${host.trim()}"`
  if (host === 'localhost' || host.endsWith('.localhost')) {
    if (host !== 'localhost' || below || digits === undefined) return 'needs its port. Write "localhost:8080"'
    return { host, port, kind: 'raw', isName: false }
  }
  if (below && isShared(host) && !wide)
    return `covers names that anyone can register. Name the hosts, or set "wide: true"`
  return { host: below ? `.${host}` : host, port, kind: scheme === 'http' ? 'http' : 'tls', isName: true }
}

/** Returns the name in lower case as ASCII; with a space in front where it was written as another one. */
function hostName(given: string): string | undefined {
  const lower = given.toLowerCase().replace(/\.$/, '')
  const ascii = domainToASCII(lower)
  const isAscii = /^[\x21-\x7e]*$/.test(lower)
  if (!isDnsName(ascii)) return undefined
  if (isAscii) return isDnsName(lower) ? lower : undefined
  return domainToUnicode(ascii) === lower.normalize('NFC') ? ascii : ` ${ascii}`
}

/** Whether a name can be a DNS name. A name that ends in a number is an address in another notation. */
export function isDnsName(name: string): boolean {
  return (
    name.length <= 253 &&
    name.split('.').every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label)) &&
    !/(?:^|\.)(?:\d+|0x[0-9a-f]*)$/.test(name)
  )
}

/** An IPv6 address can be written in several ways. */
export function canonicalAddress(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address
}

const closed = new BlockList()
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  closed.addSubnet(net, prefix, 'ipv4')
// Of IPv6, only global unicast is public; of that, NAT64, Teredo and 6to4 contain an IPv4 address, which may be private.
const publicSix = new BlockList()
publicSix.addSubnet('2000::', 3, 'ipv6')
const carrying = new BlockList()
carrying.addSubnet('2001::', 32, 'ipv6')
carrying.addSubnet('2002::', 16, 'ipv6')

/** Whether a name may lead to an address: not to this machine, its network, or one that is reserved. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !closed.check(address, 'ipv4')
    case 6:
      return publicSix.check(address, 'ipv6') && !carrying.check(address, 'ipv6')
    default:
      return false
  }
}

/** An attempt of a command to reach a host. Contents, headers and queries are never part of it. */
export interface NetworkAttempt {
  /** The host that was asked for; `null` where the request could not be read. */
  readonly host: string | null
  readonly port: number | null
  /** The address that was connected; `null` without one. */
  readonly address: string | null
  readonly how: 'connect' | 'http'
  readonly outcome: 'allowed' | 'refused'
  /** Why it was refused, or why an allowed connection failed. */
  readonly reason: string | null
  readonly bytesOut: number
  readonly bytesIn: number
  readonly elapsedMs: number
  /** The method and the path without its query, in clear text. */
  readonly method?: string
  readonly path?: string
}
