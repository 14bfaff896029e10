import type { DiagnosticInput, DiagnosticRule, Finding, GapCategory, Remediation } from '../diagnosis.js'

/** A rule that finds at most one thing in an input: `explain` says what, or `null`. */
export interface SimpleRule {
  readonly id: string
  readonly description: string
  readonly category: GapCategory
  /** What was found, and its category where it is not the rule's own. */
  readonly explain: (
    input: DiagnosticInput,
  ) => string | { readonly message: string; readonly category: GapCategory } | null
  readonly remedy: Omit<Remediation, 'sources'>
}

/** The rule of a simple one. */
export function rule({ id, description, category, explain, remedy }: SimpleRule): DiagnosticRule {
  return Object.freeze<DiagnosticRule>({
    id,
    description,
    category,
    remedy: () => remedy,
    match(input): readonly Finding[] {
      const found = explain(input)
      if (found === null) return []
      const told = typeof found === 'string' ? { message: found, category } : found
      const { itemId, repetition } = input.item
      return [{ itemId, repetition, path: input.path, check: input.check, rule: id, ...told }]
    },
  })
}
