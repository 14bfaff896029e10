import type { Found } from './rule.js'

/**
 * The findings that an experiment allows: those of a rule that fit one of its words, paths, hosts or commands.
 * Without any of these, every finding of the rule.
 */
export interface ScanAllowance {
  readonly rule: string
  /** Words, one of which the evidence contains. */
  readonly words?: readonly string[]
  /** Files: `docs/**` is everything below `docs`, and `*` is any part of a name. */
  readonly paths?: readonly string[]
  /** Hosts of addresses, such as `docs.example.com`; `*.example.com` is every name below it. */
  readonly hosts?: readonly string[]
  /** Beginnings of commands, word by word, such as `git log`. */
  readonly commands?: readonly string[]
  readonly reason: string
}

/** Whether a finding fits what is allowed. */
export function isAllowed(
  { words, paths, hosts, commands }: Omit<ScanAllowance, 'rule' | 'reason'>,
  { place, evidence, names = [] }: Pick<Found, 'place' | 'evidence' | 'names'>,
): boolean {
  if ([words, paths, hosts, commands].every((list) => list === undefined)) return true
  const files = [...('path' in place ? [place.path] : []), ...names]
  const found = [evidence, ...names].flatMap(hostsIn)
  return (
    words?.some((word) => evidence.includes(word)) === true ||
    paths?.some((glob) => files.some((file) => fits(glob, file))) === true ||
    hosts?.some((host) => found.some((one) => isHost(host, one))) === true ||
    commands?.some((command) => `${evidence.trim()} `.startsWith(`${command.trim()} `)) === true
  )
}

function hostsIn(text: string): readonly string[] {
  return [...text.matchAll(/\b[a-z]+:\/\/(?:[^\s/@]*@)?([\w.-]+)/gi)].map(([, host = '']) => host.toLowerCase())
}

function isHost(wanted: string, host: string): boolean {
  const name = wanted.toLowerCase()
  return name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name
}

/** Matches by the parts of the path, so that no pattern takes long. */
function fits(glob: string, path: string): boolean {
  return partsFit(glob.split('/'), path.replace(/^\.\//, '').split('/'))
}

function partsFit([first, ...globs]: readonly string[], parts: readonly string[]): boolean {
  if (first === undefined) return parts.length === 0
  if (first === '**') return globs.length === 0 || parts.some((_, at) => partsFit(globs, parts.slice(at)))
  const [part, ...others] = parts
  return part !== undefined && partFits(first, part) && partsFit(globs, others)
}

function partFits(glob: string, part: string): boolean {
  const pieces = glob.split('*')
  const [start = ''] = pieces
  if (pieces.length === 1) return glob === part
  if (!part.startsWith(start)) return false
  let at = start.length
  for (const piece of pieces.slice(1, -1)) {
    const found = part.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  const end = pieces.at(-1) ?? ''
  return part.length >= at + end.length && part.endsWith(end)
}
