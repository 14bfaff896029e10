const variantPrefix = 'variant:'

/**
 * The variant of the same session that a baseline names; `undefined`: it names a run.
 *
 * @example
 * baselineVariant('variant:v1') // 'v1'
 */
export function baselineVariant(baseline: string | null): string | undefined {
  return baseline?.startsWith(variantPrefix) === true ? baseline.slice(variantPrefix.length) : undefined
}
