import { type DiagnosticRule, type Finding, type Remediation, sourceOf } from './diagnosis.js'

const unstable: Omit<Remediation, 'sources'> = {
  target: 'experiment',
  action: 'change',
  summary: 'Repeat the unstable items more often.',
  detail: 'One trial says little about an item that passes now and then: look at pass@k and pass^k.',
  confidence: 'high',
}

/** What the rules say to do about their findings. */
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
    `${itemId}#${repetition}`,
    itemId,
    ...(path === '' ? [] : [path]),
  ]
  return remedies.some(({ sources }) => sources.some((source) => names.includes(source)))
}
