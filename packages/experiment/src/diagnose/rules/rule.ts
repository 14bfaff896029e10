import { trialText } from '../../result/trial-figures.js'
import {
  type DiagnosticInput,
  type DiagnosticRule,
  type Finding,
  type GapCategory,
  type Remediation,
  sourceOf,
} from '../diagnosis.js'

/** A rule that finds at most one problem in an input: `explain` returns its message, or `null`. */
export interface SimpleRule {
  readonly id: string
  readonly description: string
  readonly category: GapCategory
  /** Returns the message, with a category if it differs from that of the rule. */
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

const unstable: Omit<Remediation, 'sources'> = {
  target: 'experiment',
  action: 'change',
  summary: 'Repeat the unstable items more often.',
  detail: 'One trial says little about an item that passes now and then: look at pass@k and pass^k.',
  confidence: 'high',
}

/** The remedies of the rules for their findings. */
export function remediesOf(findings: readonly Finding[], rules: readonly DiagnosticRule[]): readonly Remediation[] {
  const byId = new Map(rules.map((rule) => [rule.id, rule]))
  return findings.flatMap((finding) => {
    const remedy = finding.rule === 'unstable-item' ? unstable : byId.get(finding.rule ?? '')?.remedy?.(finding)
    return remedy === undefined ? [] : [{ ...remedy, sources: [sourceOf(finding)] }]
  })
}

/** Remedies of the same target, action and summary as one, its sources united; the one that most findings ask for first. */
export function mergedRemedies(remedies: readonly Remediation[]): readonly Remediation[] {
  const merged = new Map<string, { readonly remedy: Remediation; readonly asked: number }>()
  for (const remedy of remedies) {
    const key = JSON.stringify([remedy.target, remedy.action, remedy.summary])
    const same = merged.get(key)
    const sources = [...new Set([...(same?.remedy.sources ?? []), ...remedy.sources])]
    const asked = (same?.asked ?? 0) + remedy.sources.length
    merged.set(key, { remedy: { ...(same?.remedy ?? remedy), sources }, asked })
  }
  return [...merged.values()].sort((one, other) => other.asked - one.asked).map(({ remedy }) => remedy)
}

/** Whether a remedy names a finding: by its full source, its trial or its item. */
export function isNamed(finding: Finding, remedies: readonly Remediation[]): boolean {
  const { itemId, repetition, path } = finding
  const names: readonly string[] = [
    sourceOf(finding),
    trialText({ itemId, repetition }),
    itemId,
    ...(path === '' ? [] : [path]),
  ]
  return remedies.some(({ sources }) => sources.some((source) => names.includes(source)))
}
