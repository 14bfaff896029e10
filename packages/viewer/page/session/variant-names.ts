import type { VariantFigures } from '@jurist/experiment/internal/results'
import { dateAndTime } from '../text.js'

/** A name for each run: its variant; with the experiment or the date where that is needed to tell the runs apart. */
export function variantNames(variants: readonly VariantFigures[]): readonly string[] {
  const namings: readonly ((run: VariantFigures) => string)[] = [
    ({ variant, experimentName }) => variant ?? experimentName,
    ({ variant, experimentName }) => (variant === null ? experimentName : `${experimentName}, ${variant}`),
    ({ variant, experimentName, startedAt }) => `${variant ?? experimentName}, ${dateAndTime(startedAt)}`,
    ({ id }) => id,
  ]
  for (const naming of namings) {
    const names = variants.map(naming)
    if (new Set(names).size === names.length) return names
  }
  return variants.map(({ id }) => id)
}
