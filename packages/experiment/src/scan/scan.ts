import { failureOf } from '@jurist/core/internal'
import { safeLine } from '@jurist/kit/terminal'
import type { Found, ScanLevel, ScanRule } from './rule.js'
import { isAllowed, type ScanAllowance } from './rule.js'
import { answerRules } from './rules-answer.js'
import { claimRules } from './rules-claims.js'
import { graderRules } from './rules-grader.js'
import { judgingRules } from './rules-judging.js'
import { traceRules } from './rules-traces.js'
import {
  isSource,
  newLines,
  type ScannedFile,
  type ScannedTrial,
  type ScanPlace,
  type ScanSite,
  scanSite,
} from './site.js'

/**
 * The rules of Jurist, in the order in which they are shown.
 *
 * @example
 * import { scanRules } from '@jurist/experiment/scan'
 *
 * const suspects = scanRules.filter(({ level }) => level === 'suspect')
 */
export const scanRules: readonly ScanRule[] = [
  ...answerRules.map((rule) => ({ ...rule, group: 'answer' as const })),
  ...graderRules.map((rule) => ({ ...rule, group: 'grader' as const })),
  ...judgingRules.map((rule) => ({ ...rule, group: 'judging' as const })),
  ...traceRules.map((rule) => ({ ...rule, group: 'traces' as const })),
  ...claimRules.map((rule) => ({ ...rule, group: 'claims' as const })),
]

/** Something in a trial that a person should look at, with its place. It never changes a verdict. */
export interface ScanFinding {
  readonly itemId: string
  /** Counts from 1. */
  readonly repetition: number
  readonly rule: string
  readonly level: ScanLevel
  readonly place: ScanPlace
  /** One line of at most 300 characters, without control characters and secrets. */
  readonly evidence: string
  /** Why the level is not that of the rule, or how much of the change equals the reference. Absent: there is nothing to say. */
  readonly remark?: string
}

/** How much of a trial could be scanned. `partly`: the journal is cut, missing, or the agent's own report. */
export type ScanCoverage = 'scanned' | 'partly' | 'not-scanned'

/** The findings in one trial. */
export interface TrialScan {
  readonly itemId: string
  readonly repetition: number
  readonly passed: boolean | null
  readonly coverage: ScanCoverage
  readonly findings: readonly ScanFinding[]
  /** Parts of commands that could not be read. */
  readonly unread: number
  /** The rules that could not look, by name, with the reason. */
  readonly notApplicable: Readonly<Record<string, string>>
  /** The rules that threw or took too long, by name, with the message. The absence of their findings proves nothing. */
  readonly errors: Readonly<Record<string, string>>
}

/** How trials are scanned. */
export interface ScanOptions {
  /** Default: `scanRules`. */
  readonly rules?: readonly ScanRule[]
  /** The findings that count as notes, with a reason that stays in the report. Default: nothing. */
  readonly allow?: readonly ScanAllowance[]
}

const longest = 300
const ownRules: ReadonlySet<ScanRule> = new Set(scanRules)
/** How long a rule of a project may look at 10,000 steps. How long those of Jurist take is a benchmark. */
const mostRuleMs = 200
/** Looking without using: below this share of the changed lines, a finding of the group `answer` is an attempt. */
const leastCopied = 0.2

/**
 * Reads what an agent did in a trial, and finds what a person should look at: answers that were looked up, graders that
 * were searched for, changes of what judges, hidden traces, claims against the evidence. It runs and fetches nothing,
 * reads no reasoning except for the names of benchmarks, and changes no verdict. Equal trials have equal findings.
 *
 * @example
 * import { type ScannedTrial, scanTrial } from '@jurist/experiment/scan'
 *
 * const findingsOf = (trial: ScannedTrial) => scanTrial(trial).findings
 */
export function scanTrial(trial: ScannedTrial, { rules = scanRules, allow = [] }: ScanOptions = {}): TrialScan {
  const { itemId, repetition, passed } = trial
  const site = scanSite(trial)
  const isSilent = !site.steps.some(({ content }) => content.kind === 'thinking')
  const silent = isSilent ? site : { ...site, steps: site.steps.filter(({ content }) => content.kind !== 'thinking') }
  const mostMs = mostRuleMs * Math.max(1, Math.ceil(site.steps.length / 10_000))
  const findings: ScanFinding[] = []
  const notApplicable: Record<string, string> = {}
  const errors: Record<string, string> = {}
  const copied = copiedShare(trial)
  for (const rule of rules) {
    const missing = missingFor(rule, site)
    if (missing !== undefined) {
      notApplicable[rule.name] = missing
      continue
    }
    const startedMs = performance.now()
    const inTime = () => ownRules.has(rule) || performance.now() - startedMs < mostMs
    try {
      for (const found of rule.find(rule.needs?.includes('thinking') ? site : silent)) {
        findings.push(findingOf(found, rule, site, { copied, allow }))
        if (!inTime()) break
      }
      if (!inTime()) errors[rule.name] = `It took longer than ${mostMs} ms.`
    } catch (thrown) {
      errors[rule.name] = failureOf(thrown).message
    }
  }
  const sorted = withNamedBenchmarks(findings)
  return {
    itemId,
    repetition,
    passed,
    coverage: coverageOf(trial),
    findings: sorted,
    unread: site.unread,
    notApplicable,
    errors,
  }
}

function missingFor({ needs = [] }: ScanRule, site: ScanSite): string | undefined {
  if (needs.includes('journal') && site.records === null) return 'there is no journal'
  if (needs.includes('changes') && site.changes === null && site.records === null) return 'the changes are unknown'
  if (needs.includes('changes') && site.changes === null) return 'the changed files were not kept'
  if (needs.includes('upstream') && site.upstream.length === 0) return 'nothing says where the project comes from'
  if (needs.includes('english') && !isEnglish(site.output)) return 'the last message is not in English'
  return undefined
}

/** Short messages and code count as English. */
function isEnglish(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? []
  const latin = letters.filter((letter) => /[a-z]/i.test(letter)).length
  if (letters.length > 20 && latin < letters.length * 0.7) return false
  const words = text.toLowerCase().match(/[a-zäöüéèñß]+/g) ?? []
  const common = words.filter((word) =>
    /^(?:the|and|is|are|to|of|all|now|it|with|for|pass(?:es|ed)?|fixed|added|works)$/.test(word),
  ).length
  return words.length < 12 || common >= words.length / 12
}

function coverageOf({ records, isOwnReport, changes }: ScannedTrial): ScanCoverage {
  if (records === null) return changes === null ? 'not-scanned' : 'partly'
  return isOwnReport || records.includes(undefined) ? 'partly' : 'scanned'
}

/** Makes the finding that a scan reports. */
export function findingOf(
  { place, evidence, level, isFailed = false, names = [] }: Found,
  rule: Pick<ScanRule, 'name' | 'level' | 'group'>,
  { itemId, repetition, task }: ScanSite,
  {
    copied = null,
    allow,
  }: {
    readonly copied?: { readonly same: number; readonly of: number } | null
    readonly allow: readonly ScanAllowance[]
  },
): ScanFinding {
  const finding = { itemId, repetition, rule: rule.name, place, evidence: excerpt(evidence) }
  const own = level ?? rule.level
  const allowed = allow.find((one) => one.rule === rule.name && isAllowed(one, { place, evidence, names }))
  if (allowed !== undefined) return { ...finding, level: 'note', remark: `allowed: ${allowed.reason}` }
  if (own !== 'suspect') return { ...finding, level: own }
  if (names.some((name) => name.length > 2 && task.includes(name)))
    return { ...finding, level: 'note', remark: 'the task names it' }
  if (isFailed) return { ...finding, level: 'attempt', remark: 'it failed' }
  if (rule.group !== 'answer' || copied === null) return { ...finding, level: own }
  const remark = `${copied.same} of ${copied.of} changed lines equal the reference`
  return { ...finding, level: copied.same < copied.of * leastCopied ? 'attempt' : own, remark }
}

const secrets =
  /\b(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[abp]|AKIA|ASIA|AIza)[-_A-Za-z0-9]{12,}|\bBearer\s+[\w.~+/-]{8,}=*|(?<=\b\w*(?:KEY|TOKEN|SECRET|PASSWORD)\w*=)\S{6,}|(?<=:\/\/[^\s:/@]+:)[^\s@/]+(?=@)/gi

function excerpt(text: string): string {
  return safeLine(text.replaceAll(/\s+/g, ' ').trim().replaceAll(secrets, '***')).slice(0, longest)
}

/** How many of the lines that a trial added are in the reference too; `null` without a reference or without lines. */
function copiedShare({ changes, reference }: ScannedTrial): { readonly same: number; readonly of: number } | null {
  if (changes === null || reference === null) return null
  const own = linesOf(changes)
  const right = new Set(linesOf(reference))
  return own.length === 0 ? null : { same: own.filter((line) => right.has(line)).length, of: own.length }
}

function linesOf(files: readonly ScannedFile[]): readonly string[] {
  return files
    .filter(({ path }) => isSource(path))
    .flatMap(({ path, before, after }) =>
      newLines(before ?? '', after ?? '').map(({ text }) => `${path} ${text.trim()}`),
    )
    .filter((line) => /\w/.test(line))
}

/** Naming a benchmark is suspect together with looking its answers or its grader up. */
function withNamedBenchmarks(findings: readonly ScanFinding[]): readonly ScanFinding[] {
  const looked = /^(?:upstream-clone|upstream-fetch|grader-search|grader-read)$/
  const also = findings.some(({ rule, level }) => level === 'suspect' && looked.test(rule))
  return findings.map((one) =>
    also && one.rule === 'benchmark-named' ? { ...one, level: 'suspect', remark: 'together with looking up' } : one,
  )
}
