/**
 * The kinds of runs: agents ran, judges were calibrated, or stored trials were judged again; the references of items ran
 * (`establish`), agents that cheat (`probe`), references with small mistakes (`mutate`), a hook of a coding agent asked
 * for a judgment (`hook`), or an agent ran with and without a skill (`lift`).
 */
export const runKinds = ['agent', 'judge', 'rejudge', 'establish', 'probe', 'mutate', 'hook', 'lift'] as const

/** The kind of a run. */
export type RunKind = (typeof runKinds)[number]

/**
 * Whether a run measures an agent or a judge. All others are found by their id or kind only: they are never a baseline or
 * `latest`, nor part of a trend or sweep.
 */
export function isMeasurement(kind: RunKind): kind is 'agent' | 'judge' {
  return kind === 'agent' || kind === 'judge'
}

/** Whether a session that is named shows a run: a measurement, or an arm of a study of a skill. */
export function isOfSession(kind: RunKind): boolean {
  return isMeasurement(kind) || kind === 'lift'
}

const variantPrefix = 'variant:'

/** The variant of the same session that a baseline names; `undefined`: it names a run. */
export function baselineVariant(baseline: string | null): string | undefined {
  return baseline?.startsWith(variantPrefix) === true ? baseline.slice(variantPrefix.length) : undefined
}
