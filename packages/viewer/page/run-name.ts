/** An experiment and its variant in one. */
export function nameOf(experimentName: string, variant: string | null): string {
  return variant === null ? experimentName : `${experimentName}, ${variant}`
}
