import type { Check, JsonObject } from '@jurist/core'
import { escaped, shortened } from '../quotation.js'

const maxChecks = 500

/** The checks with the failed ones first. */
export function failedFirst(checks: readonly Check[]): readonly Check[] {
  return [...checks].sort((one, other) => Number(one.passed) - Number(other.passed))
}

/** As many checks as a judgment holds, and how many it leaves out. */
export function limited(checks: readonly Check[]): { readonly checks: readonly Check[]; readonly omitted: JsonObject } {
  const more = checks.length - maxChecks
  return { checks: checks.slice(0, maxChecks), omitted: more > 0 ? { omittedChecks: more } : {} }
}

/** An id as judgments show it. */
export function shownId(id: string): string {
  const shown = shortened(escaped(id))
  return shown.trim() === '' ? '(unnamed)' : shown
}
