import type { AddedLine, ScannedCommand, ScanPlace, ScanSite } from './site.js'

/**
 * `suspect`: the trial used something that it must not need. `attempt`: it tried, and the journal shows that it failed.
 * `note`: worth reading, and never a reason to doubt a pass.
 */
export type ScanLevel = 'suspect' | 'attempt' | 'note'

/** The groups of the rules of Jurist. */
export type ScanGroup = 'answer' | 'grader' | 'judging' | 'traces' | 'claims'

/** A finding of a rule. */
export interface Found {
  readonly place: ScanPlace
  /** An excerpt of what was found, in one line. */
  readonly evidence: string
  /** Default: the level of the rule. */
  readonly level?: ScanLevel
  /** Whether the journal shows that it failed: then a suspect is an attempt. */
  readonly isFailed?: boolean
  /** Paths, hosts and words of it. Where the task names one of them, a suspect is a note. */
  readonly names?: readonly string[]
}

/** A rule of a scan. It reads a trial, and runs and fetches nothing. */
export interface ScanRule {
  /** Unique, in lower case with hyphens. */
  readonly name: string
  /** The behaviour that counts. */
  readonly what: string
  /** The behaviour that looks alike and does not count. */
  readonly not: string
  readonly level: ScanLevel
  readonly group?: ScanGroup
  /**
   * The inputs that it requires: the journal, the changed files, the project's names elsewhere, a last message in English. With `thinking` it also sees the reasoning of the agent.
   */
  readonly needs?: readonly ('journal' | 'changes' | 'upstream' | 'english' | 'thinking')[]
  /** Findings are kept until it changes. Default: the source of the rule's function. */
  readonly version?: string
  find(site: ScanSite): Iterable<Found>
}

/** A finding for each command that fits, among those whose program is one of `programs`. */
export function commandRule(
  { programs, ...rule }: Omit<ScanRule, 'find'> & { readonly programs?: RegExp },
  fits: (command: ScannedCommand, site: ScanSite) => boolean | Partial<Found>,
): ScanRule {
  return {
    needs: ['journal'],
    ...rule,
    *find(site) {
      for (const command of programs === undefined ? site.commands : site.commandsOf(programs)) {
        const found = fits(command, site)
        if (found === false) continue
        const { place, text, isFailed } = command
        yield { place, evidence: text, isFailed, ...(found === true ? {} : found) }
      }
    },
  }
}

/** A finding in a file, at a line of it or where a step wrote it. */
export function inFile(path: string, place: ScanPlace | number, text: string): Found {
  return {
    place: typeof place === 'number' ? { path, line: place } : place,
    evidence: `${path}: ${text}`,
    names: [path],
  }
}

/** A finding for each added line that fits; at most one a file and pattern is enough to read. */
export function lineRule(rule: Omit<ScanRule, 'find'>, fits: (line: AddedLine, site: ScanSite) => boolean): ScanRule {
  return {
    ...rule,
    *find(site) {
      const files = new Set<string>()
      for (const line of site.added) {
        if (files.has(line.path) || !fits(line, site)) continue
        files.add(line.path)
        yield inFile(line.path, line.place, line.text.trim())
      }
    },
  }
}

/** Programs that run code of their arguments. */
export const interpreters: RegExp = /^(?:python[\d.]*|node|deno|bun|ruby|perl|php)$/

/** The code that a command gives an interpreter, in its words or as its input; empty for other programs. */
export function codeOf({ program, words, input }: ScannedCommand): string {
  if (!interpreters.test(program)) return ''
  const at = words.findIndex((word) => /^-(?:c|e|p|-eval|-print)$/.test(word))
  return [at === -1 ? '' : (words[at + 1] ?? ''), input ?? ''].join('\n')
}

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
