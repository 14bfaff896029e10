import type { TrialFigures, TrialStage } from '../result/trial-figures.js'

/** Stored figures of other versions are not used: they are made again from the records. */
export const figuresVersion = 3

/**
 * Returns a function that reads parsed figures. Equal lists of stages, and equal judgments, are kept once.
 *
 * @throws TypeError for what is not the figures of a trial
 */
export function figuresReader(): (stored: unknown) => TrialFigures {
  const stages = shared<readonly TrialStage[]>((stages) => {
    let key = ''
    for (const { name, status } of stages) key += `${name}\n${status}\n`
    return key
  })
  const judges = shared<TrialFigures['judges']>((judges) => {
    let key = ''
    for (const path in judges) key += `${path}\n${judges[path]}\n`
    return key
  })
  return (stored) => {
    const trial = stored as TrialFigures
    if (typeof trial.itemId !== 'string' || typeof trial.scores !== 'object')
      throw new TypeError('These are not the figures of a trial.')
    return Object.assign(trial, { stages: stages(trial.stages), judges: judges(trial.judges) })
  }
}

/** Returns a function that replaces equal parts by one object, to save memory. */
function shared<Part>(keyOf: (part: Part) => string): (part: Part) => Part {
  const known = new Map<string, Part>()
  return (part) => {
    const key = keyOf(part)
    const same = known.get(key)
    if (same === undefined) known.set(key, part)
    return same ?? part
  }
}
