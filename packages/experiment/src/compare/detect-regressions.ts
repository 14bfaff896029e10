import { JuristError } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { checkAmounts } from './compare-options.js'
import type { Comparison, ItemChange } from './comparison.js'

/** Binary fractions: a drop of exactly the threshold is not below it. */
const accident = 1e-9

/**
 * The items that regressed by more than is allowed: status `regressed`, and a score that is listed fell by more than its
 * threshold. Items that only one run has are never among them.
 *
 * @param thresholds the most that a score may fall on an item, by score
 * @throws `option-invalid` for a threshold that is no finite number of at least 0
 *
 * @example
 * detectRegressions(comparison, { 'rules/build': 0, 'meaning/correct': 0.2 }).map(({ itemId }) => itemId)
 */
export function detectRegressions(
  comparison: Comparison,
  thresholds: Readonly<Record<string, number>>,
): readonly ItemChange[] {
  if (!isPlainObject(thresholds))
    throw new JuristError('option-invalid', 'detectRegressions: give "thresholds", numbers by score.', {
      option: 'thresholds',
    })
  checkAmounts('detectRegressions', 'thresholds', thresholds)
  const listed = Object.entries(thresholds)
  return comparison.items.filter(
    ({ status, scoreDeltas }) =>
      status === 'regressed' &&
      listed.some(
        ([key, threshold]) => Object.hasOwn(scoreDeltas, key) && (scoreDeltas[key] ?? 0) < -threshold - accident,
      ),
  )
}
