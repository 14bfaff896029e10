import type { Trial } from './trial-figures.js'
import { outcomeOf, reasonOf, type TrialOutcome } from './trial-outcome.js'

/** Trials that did not pass for reasons that differ at most in numbers, quoted words and temporary paths. */
export interface AlikeTrials {
  readonly outcome: TrialOutcome
  /** That of the first trial. It is untrusted: escape it for the place. */
  readonly reason: string
  /** Whether all trials have exactly the same reason. */
  readonly same: boolean
  readonly trials: readonly Trial[]
}

/**
 * The trials that did not pass, grouped by outcome and by similar reasons: the largest group first, groups of one size
 * in the order of their first trials.
 */
export function alikeTrials(trials: Iterable<Trial>): readonly AlikeTrials[] {
  const groups = new Map<string, { outcome: TrialOutcome; reason: string; same: boolean; trials: Trial[] }>()
  for (const trial of trials) {
    if (trial.passed === true) continue
    const [outcome, reason] = [outcomeOf(trial), reasonOf(trial)]
    const key = `${outcome} ${likeness(reason)}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { outcome, reason, same: true, trials: [trial] })
    else {
      group.same &&= group.reason === reason
      group.trials.push(trial)
    }
  }
  return [...groups.values()].sort((a, b) => b.trials.length - a.trials.length)
}

/** Quoted strings, which are replaced except for their quotes. An apostrophe within a word does not open a quotation. */
const quoted = /(?<![\p{L}\p{N}])(?:"[^"\n]{1,200}"|`[^`\n]{1,200}`|'[^'\n]{1,200}'(?![\p{L}\p{N}]))/gu
const temporary = /(?:\/[\w.-]+){0,4}\/(?:tmp|T)\/[^\s:"'`)]{1,200}/g
const hexadecimal = /\b(?=[a-f]*\d)[\da-f]{8,}(?:-[\da-f]{4,}){0,4}\b/gi
/** Numbers, except those that identify the failure: `exit code 137`, `HTTP 529`. */
const number = /(?<!\b(?:code|HTTP|status) )(?:(?<=[\s(=:])-)?(?<![\p{L}\p{N}.])\d+(?:\.\d+)*/gu

/** The part of a reason that similar failures share: quoted strings, temporary paths and numbers are masked. */
export function likeness(reason: string): string {
  return reason
    .replace(quoted, (text) => `${text[0]}…${text[0]}`)
    .replace(temporary, '/tmp/…')
    .replace(hexadecimal, '0')
    .replace(number, '0')
}
