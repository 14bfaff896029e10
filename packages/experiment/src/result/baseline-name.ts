const variantPrefix = 'variant:'

/** The variant of the same session that a baseline names; `undefined`: it names a run. */
export function baselineVariant(baseline: string | null): string | undefined {
  return baseline?.startsWith(variantPrefix) === true ? baseline.slice(variantPrefix.length) : undefined
}
