import type { Confidence, FinalTier, JsonObject, Judge, Jury } from '@jurist/core'
import { agreement, declared, votes } from '@jurist/core/confidence'
import {
  checkOptions,
  described,
  failureOf,
  isPlainObject,
  type OptionDescriptions,
  option,
  type Place,
  printed,
  propertiesOf,
} from '@jurist/core/internal'
import type { CascadeTier } from '@jurist/experiment/internal'
import { pathIn } from './item-limits.js'
import { reportUnknownKeys, unknownProblem } from './problems.js'
import type { Reading } from './reading.js'
import { object } from './schema-parts.js'

/** Reads a jury or a judge. */
export type ReadJury = (value: unknown, place: Place, reading: Reading) => Promise<Jury | Judge | undefined>

interface DescribedConfidence {
  /** Completes "The confidence is …". */
  readonly is: string
  readonly options: OptionDescriptions
  readonly required?: readonly string[]
  readonly make: (options: Readonly<Record<string, unknown>>) => Confidence
}

const votesOptions = {
  samples: described(option.integer(2), 'The number of times that the judge is asked.'),
  temperature: described(option.nonNegative, 'For every model that the judge asks.', 1),
}

/** The sources of confidence by their names in YAML and JSON. */
const sources: { readonly [type: string]: DescribedConfidence } = {
  declared: {
    is: 'what the judgment declares: the probability of the answer where the model gives it, or its own word',
    options: {},
    make: (options) => {
      checkOptions('declared', options, {})
      return declared()
    },
  },
  agreement: {
    is: 'the share of the votes of a jury that agree with it',
    options: {},
    make: (options) => {
      checkOptions('agreement', options, {})
      return agreement()
    },
  },
  votes: {
    is: 'the share of several samples that say the same',
    options: votesOptions,
    required: ['samples'],
    make: (options) => {
      const { samples, ...rest } = checkOptions('votes', options, votesOptions) as {
        readonly samples: number
        readonly temperature?: number
      }
      return votes(samples, rest)
    },
  },
}

/** Builds the source that `votes` or `{type: votes, samples: 5}` describes. */
function describedConfidence(value: unknown, place: Place, { report }: Reading): Confidence | undefined {
  const { type, ...options } = isPlainObject(value) ? value : { type: value }
  const source = typeof type === 'string' && Object.hasOwn(sources, type) ? sources[type] : undefined
  if (source === undefined) {
    report(place, ...unknownProblem('source of confidence', type, Object.keys(sources)))
    return undefined
  }
  try {
    return source.make(options)
  } catch (thrown) {
    report(place, failureOf(thrown).message, '')
    return undefined
  }
}

/** Replaces the description in `confidence`, if there is one, by its source; `undefined` if it is invalid. */
export function withConfidence(
  value: Readonly<Record<string, unknown>>,
  place: Place,
  reading: Reading,
): Readonly<Record<string, unknown>> | undefined {
  if (value['confidence'] === undefined) return value
  const confidence = describedConfidence(value['confidence'], [...place, 'confidence'], reading)
  return confidence && { ...value, confidence }
}

/** Builds the tiers of a certified cascade: `[{name, candidate, confidence?}]`. */
export async function describedTiers(
  value: unknown,
  place: Place,
  reading: Reading,
  read: ReadJury,
): Promise<readonly CascadeTier[] | undefined> {
  if (!Array.isArray(value)) {
    reading.report(place, `must be an array of tiers (got ${printed(value)}).`, 'Write [{name, candidate}, …].')
    return undefined
  }
  const tiers = await Promise.all(
    value.map(async (tier: unknown, index) => {
      const at = [...place, index]
      if (!isPlainObject(tier)) {
        reading.report(at, `must be a tier (got ${printed(tier)}).`, 'Write {name, candidate}.')
        return undefined
      }
      reportUnknownKeys(tier, ['name', 'candidate', 'confidence'], at, reading.report)
      const candidate = await read(tier['candidate'], [...at, 'candidate'], reading)
      const made = withConfidence(tier, at, reading)
      return candidate === undefined || made === undefined ? undefined : ({ ...made, candidate } as CascadeTier)
    }),
  )
  return tiers.includes(undefined) ? undefined : (tiers as readonly CascadeTier[])
}

/** Builds the jury of `{certified, certificate, final}`. */
export async function certifiedJury(
  value: Readonly<Record<string, unknown>>,
  place: Place,
  reading: Reading,
  read: ReadJury,
): Promise<Jury | undefined> {
  reportUnknownKeys(value, ['certified', 'certificate', 'final'], place, reading.report)
  const tiers = await describedTiers(value['certified'], [...place, 'certified'], reading, read)
  const { certificate: path, final: given } = value
  const final = isPlainObject(given) ? given : {}
  if (typeof path !== 'string')
    reading.report([...place, 'certificate'], `must be a path (got ${printed(path)}).`, 'Write certificates/NAME.json.')
  const jury = await read(final['jury'], [...place, 'final', 'jury'], reading)
  if (tiers === undefined || jury === undefined || typeof path !== 'string') return undefined
  try {
    const { certificateIn, certifiedCascade } = await import('@jurist/experiment/certify')
    const certificate = certificateIn(pathIn(reading, path))
    return certifiedCascade(tiers, certificate, { name: 'final', ...final, policy: 'final', jury } as FinalTier)
  } catch (thrown) {
    reading.report([...place, 'certificate'], failureOf(thrown).message, '')
    return undefined
  }
}

export function confidenceSchema(): JsonObject {
  return {
    oneOf: Object.entries(sources).flatMap(([type, { is, options, required = [] }]) => {
      const whole = object(
        { type: { description: 'The name of the source.', const: type }, ...propertiesOf(options) },
        'type',
        ...required,
      )
      return [...(required.length === 0 ? [{ const: type }] : []), whole].map((schema) => ({
        description: `The confidence is ${is}.`,
        ...schema,
      }))
    }),
  }
}
