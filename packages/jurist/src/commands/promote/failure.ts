import { createHash } from 'node:crypto'
import { flatten, type Judgment } from '@jurist/core'
import { firstPlace, furtherCheck, likeness, trialText } from '@jurist/experiment/internal/results'
import { type ItemResult, reasonOf } from '@jurist/experiment/result'
import { isTestFile } from '@jurist/kit/code-languages'

/** The identity of a failure: where and why it was decided, without the parts that differ between equal runs. */
export interface Signature {
  /** The place of the judge in the jury, or `agent` where no judge failed. */
  readonly judge: string
  /** The first failed check of the judge; `''`: it has none. */
  readonly check: string
  /** A line of a test; `''` elsewhere, since lines of a solution move. */
  readonly place: string
  /** The reason in normal form. Of a judge that asks a model its label only: its words differ each time. */
  readonly reason: string
}

/** A failure of a trial, as people read it and as it is compared. */
export interface TrialFailure {
  readonly signature: Signature
  /** One line. It is untrusted: escape it for the place. */
  readonly text: string
  /** The number of the first message of a conversation that failed; absent: the judge names none. */
  readonly turn?: number
}

const longestValue = 40
const values = /\b(expected|received|got|actual|but was|to (?:be|equal|match))\b:?\s*([^\s,;()]{1,80})/gi
/** The form in which assertions print two values: `2 !== 3`. */
const unequal = /(\S{1,80}) (?:!==?|≠) (\S{1,80})/g

/** A reason without numbers, quoted words, hashes, times and temporary paths, but with what was expected and what came. */
export function normalReason(reason: string): string {
  const plain = reason.replace(/\s+/g, ' ').trim()
  const told = [...plain.matchAll(values), ...plain.matchAll(unequal)].map(
    ([, word = '', value = '']) => `${word.slice(0, longestValue)} ${value.slice(0, longestValue)}`,
  )
  return [likeness(plain), ...told].join(' | ').toLowerCase()
}

/**
 * The failure of a trial: of the first judge that failed in the order of the jury, or of the judge at `path`. `undefined`: no judge failed
 * it there.
 */
export function failureOf(item: ItemResult, path?: string): TrialFailure | undefined {
  const rows = item.verdict === null ? [] : flatten(item.verdict).filter(({ kind }) => kind === 'judge')
  const found = rows.find((row) => row.judgment.status === 'fail' && (path === undefined || row.path.slice(1) === path))
  if (found !== undefined) return judgedFailure(found.path.slice(1), found.judgment)
  if (path !== undefined || item.failure === null || item.passed !== false) return undefined
  const { name, message, code = '' } = item.failure
  const signature = { judge: 'agent', check: code || name, place: '', reason: normalReason(message) }
  return { signature, text: reasonOf(item) }
}

function judgedFailure(judge: string, judgment: Judgment): TrialFailure {
  const { reasoning, metadata } = judgment
  // Tests that run beside each other are reported in the order in which they end.
  const checks = judgment.checks.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const failed = furtherCheck({ ...judgment, checks }) ?? checks.find(({ passed }) => !passed)
  const place = firstPlace({ ...judgment, checks })
  const isModel = typeof metadata['rawText'] === 'string' || metadata['model'] !== undefined
  const said = failed === undefined || reasoning.includes(failed.message) ? reasoning : `${reasoning} ${failed.message}`
  const label = metadata['label']
  const turns = checks.flatMap(({ name, passed }) =>
    passed ? [] : [Number(/^turn-(\d+)$/.exec(name)?.[1] ?? Infinity)],
  )
  const turn = Math.min(...turns)
  return {
    signature: {
      judge,
      check: failed === undefined ? '' : likeness(failed.name),
      place: place !== undefined && isTestFile(place.path) ? `${place.path}:${place.line}` : '',
      reason: isModel ? `label ${typeof label === 'string' ? label : ''}` : normalReason(said),
    },
    text: `${judge}: ${failed === undefined ? '' : `${failed.name}  `}${said}`.replace(/\s+/g, ' ').trim(),
    ...(Number.isFinite(turn) ? { turn } : {}),
  }
}

type Signed = Pick<TrialFailure, 'signature'>

export function isSameFailure(one: Signed | undefined, other: Signed): boolean {
  return one !== undefined && keyOf(one.signature) === keyOf(other.signature)
}

export function keyOf({ judge, check, place, reason }: Signature): string {
  return JSON.stringify([judge, check, place, reason])
}

/** Words of three, so that order counts and a changed word changes three of them. */
export function shingles(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
  if (words.length < 3) return new Set(words.length === 0 ? [] : [words.join(' ')])
  return new Set(words.slice(2).map((word, index) => `${words[index]} ${words[index + 1]} ${word}`))
}

/** Jaccard's index: the share of what both have among what one of them has; 1 for two empty sets. */
export function jaccard(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 && other.size === 0) return 1
  let both = 0
  for (const value of one) if (other.has(value)) both += 1
  return both / (one.size + other.size - both)
}

/** Failed trials for one reason. */
export interface Cluster {
  /** The trial with the fewest changed files and steps. */
  readonly smallest: FailedTrial
  readonly trials: readonly FailedTrial[]
}

export interface FailedTrial extends TrialFailure {
  readonly item: ItemResult
  /** Less is smaller: changed files, then steps. */
  readonly size: readonly [files: number, steps: number]
}

const alike = 0.9

/**
 * Groups failed trials: those of one judge whose reasons differ at most in values, then by single links those whose reasons share 0.9 of
 * their words (Jaccard over words of three). The same for every order of the trials; the largest group first.
 */
export function clustersOf(trials: readonly FailedTrial[]): readonly Cluster[] {
  const groups = new Map<string, FailedTrial[]>()
  for (const trial of trials) {
    const { judge, check, place, reason } = trial.signature
    const key = JSON.stringify([judge, check, place, reason.split(' | ')[0]])
    groups.set(key, [...(groups.get(key) ?? []), trial])
  }
  const all = [...groups.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, members]) => members)
  const words = all.map((members) => shingles(members[0]?.signature.reason.split(' | ')[0] ?? ''))
  const parents = all.map((_, index) => index)
  const rootOf = (index: number): number => (parents[index] === index ? index : rootOf(parents[index] ?? index))
  for (const [one, left] of all.entries())
    for (const [other, right] of all.entries()) {
      const [a, b] = [left[0]?.signature, right[0]?.signature]
      if (other <= one || a === undefined || b === undefined) continue
      const areNear = a.judge === b.judge && a.check === b.check && a.place === b.place
      if (areNear && jaccard(words[one] ?? new Set(), words[other] ?? new Set()) >= alike)
        parents[rootOf(other)] = rootOf(one)
    }
  const clusters = new Map<number, FailedTrial[]>()
  for (const [index, members] of all.entries())
    clusters.set(rootOf(index), [...(clusters.get(rootOf(index)) ?? []), ...members])
  return [...clusters.values()]
    .map((members) => {
      const sorted = members.toSorted(bySize)
      return { smallest: sorted[0] as FailedTrial, trials: sorted }
    })
    .sort(
      (a, b) => b.trials.length - a.trials.length || (trialText(a.smallest.item) < trialText(b.smallest.item) ? -1 : 1),
    )
}

function bySize(a: FailedTrial, b: FailedTrial): number {
  const [name, other] = [trialText(a.item), trialText(b.item)]
  return a.size[0] - b.size[0] || a.size[1] - b.size[1] || (name < other ? -1 : name > other ? 1 : 0)
}

const longestSlug = 48

/** A name for a failure: the words of what failed. */
export function slugOf({ signature, text }: TrialFailure): string {
  const { check } = signature
  // What a message of a conversation failed for is said after its number.
  const named = check.startsWith('turn-') ? text.replace(/^.*\bturn-\d+: /, '') : check
  const words = (named === '' ? text : named)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  const cut = words.slice(0, longestSlug).replace(/-[^-]*$/, '')
  return (words.length <= longestSlug ? words : cut) || `failure-${hashOf(text).slice(0, 8)}`
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
