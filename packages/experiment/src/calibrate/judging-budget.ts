import type { CalibrateOptions } from './calibrate-options.js'

/** What stops a calibration, and who hears of it. */
type Watched = Pick<CalibrateOptions, 'signal' | 'onEvent'>

/**
 * The options of one or more calibrations that stop when together they have cost the budget: what runs then is cancelled, and the
 * calibrations are `interrupted`.
 *
 * @param budgetUsd in US dollars; `undefined`: no limit
 */
export function withinBudget({ budgetUsd, signal, onEvent }: Watched & { readonly budgetUsd?: number }): Watched {
  const given = { ...(signal && { signal }), ...(onEvent && { onEvent }) }
  if (budgetUsd === undefined) return given
  const stop = new AbortController()
  let spentUsd = 0
  const watch: Watched['onEvent'] = (event) => {
    if (event.type === 'item-end') {
      spentUsd += event.result.judgeCostUsd ?? 0
      if (spentUsd >= budgetUsd)
        stop.abort(new Error(`The judges have cost ${spentUsd} USD, and the budget is ${budgetUsd} USD.`))
    }
    return onEvent?.(event)
  }
  return { signal: signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]), onEvent: watch }
}
