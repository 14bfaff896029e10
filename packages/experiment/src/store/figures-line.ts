import type { TrialFigures, TrialStage } from '../result/trial-figures.js'

/** Figures of other versions are not used: they are made again from the records. */
export const figuresVersion = 2

/**
 * Reads figures from lines; of what many trials have in common one copy is kept.
 *
 * @throws TypeError for a line that has none
 */
export function figuresReader(): (line: Partial<TrialFigures>) => TrialFigures {
  const parts = sharedParts()
  return (line) => trialIn(line, parts)
}

/** Figures as a line of JSON has them. Reading 100,000 lines takes a quarter less time without figures that say nothing. */
export function figuresLine(trial: TrialFigures): object {
  const line: { [key: string]: unknown } = {}
  // Property by property: spreading an object of this size takes four times as long.
  for (const key in trial)
    if (trial[key as keyof TrialFigures] !== empty[key]) line[key] = trial[key as keyof TrialFigures]
  if (trial.itemSlug === trial.itemId) line['itemSlug'] = undefined
  if (trial.tags.length === 0) line['tags'] = undefined
  return line
}

const empty: { readonly [figure: string]: unknown } = {
  failure: null,
  usage: null,
  judgeUsage: null,
  costUsd: null,
  judgeCostUsd: null,
  efficiency: null,
  checks: null,
  failedByError: false,
  judgeTimedOut: false,
  environmentProblem: null,
  reason: '',
}

const none: readonly never[] = Object.freeze([])
const unjudged = Object.freeze({})

/** Restores the figures of one line. Equal lists of stages, and equal judgments, are shared. */
function trialIn(line: Partial<TrialFigures>, shared: ReturnType<typeof sharedParts>) {
  const { itemId, itemHash, repetition, bucket, agent, judged, passed, scores, durationMs } = line
  if (typeof itemId !== 'string' || typeof scores !== 'object')
    throw new TypeError('These are not the figures of a trial.')
  const { agentMs, endedAt, stages } = line
  const trial = {
    itemId,
    itemHash,
    repetition,
    bucket,
    agent,
    judged,
    passed,
    itemSlug: line.itemSlug ?? itemId,
    tags: line.tags ?? none,
    failure: line.failure ?? null,
    endedAt,
    durationMs,
    agentMs,
    usage: line.usage ?? null,
    judgeUsage: line.judgeUsage ?? null,
    costUsd: line.costUsd ?? null,
    judgeCostUsd: line.judgeCostUsd ?? null,
    scores,
    efficiency: line.efficiency ?? null,
    checks: line.checks ?? null,
    stages: shared.stages(stages ?? none),
    judges: shared.judges(line.judges ?? unjudged),
    failedByError: line.failedByError ?? false,
    judgeTimedOut: line.judgeTimedOut ?? false,
    environmentProblem: line.environmentProblem ?? null,
    reason: line.reason ?? '',
  } as TrialFigures
  if (line.tried !== undefined) Object.assign(trial, { tried: line.tried })
  return line.user === undefined ? trial : Object.assign(trial, { user: line.user })
}

/** What many trials have in common is kept once. */
function sharedParts() {
  return {
    stages: shared<readonly TrialStage[]>((stages) => {
      let key = ''
      for (const { name, status } of stages) key += `${name}\n${status}\n`
      return key
    }),
    judges: shared<TrialFigures['judges']>((judges) => {
      let key = ''
      for (const path in judges) key += `${path}\n${judges[path]}\n`
      return key
    }),
  }
}

function shared<Part>(keyOf: (part: Part) => string): (part: Part) => Part {
  const known = new Map<string, Part>()
  return (part) => {
    const key = keyOf(part)
    const same = known.get(key)
    if (same === undefined) known.set(key, part)
    return same ?? part
  }
}
