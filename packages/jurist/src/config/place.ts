import type { Place } from '@jurist/core/internal'

export type { Place } from '@jurist/core/internal'

/** A place as people write it: `experiments.add-readme.variants[0]`. */
export function dotted(place: Place): string {
  return place.reduce<string>((path, step) => {
    if (typeof step === 'number') return `${path}[${step}]`
    return path === '' ? step : `${path}.${step}`
  }, '')
}
