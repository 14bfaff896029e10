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

/** A finding for each added line that fits; at most one a file and pattern is enough to read. */
export function lineRule(rule: Omit<ScanRule, 'find'>, fits: (line: AddedLine, site: ScanSite) => boolean): ScanRule {
  return {
    ...rule,
    *find(site) {
      const files = new Set<string>()
      for (const line of site.added) {
        if (files.has(line.path) || !fits(line, site)) continue
        files.add(line.path)
        yield { place: line.place, evidence: `${line.path}: ${line.text.trim()}`, names: [line.path] }
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
