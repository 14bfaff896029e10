import type { Confidence, Vote } from '@jurist/core'
import { agreement, declared, votes as sampled } from '@jurist/core/confidence'
import { checkOptions, described, option, voteDescriptionOf, votes } from '@jurist/core/internal'
import {
  categoryMatchRules,
  exactCategoryMatch,
  exactVerdictMatch,
  type JudgeScorer,
  numericalTolerance,
  toleranceRules,
} from '@jurist/experiment/internal/config'
import { byConfigName } from './catalog.js'
import { type Choices, chosen, isUse, type Read, used } from './parts.js'

// What YAML and JSON choose by a name: votes, scorers, and where a confidence comes from.

/** The votes of core's catalogue. */
export const voteChoices: Choices<Vote> = Object.fromEntries(
  byConfigName(votes).map(([name, make]) => {
    const { passes = '', options = {} } = voteDescriptionOf(make) ?? {}
    return [name, { description: `Passes when ${passes}.`, options, make: make as (options: object) => Vote }]
  }),
)

/** Builds the vote of a description: `consensus`, `{type: average, threshold: 0.7}`, or `{use: name}`. */
export const describedVote: Read<Vote> = (value, place, reading) =>
  isUse(value) ? (used(value, 'votes', place, reading) as Vote | undefined) : vote(value, place, reading)

const vote = chosen('vote', voteChoices)

const toleranceOption = {
  tolerance: described(option.rate, 'The maximum difference between score and label, both from 0 to 1.'),
}

export const scorerChoices: Choices<JudgeScorer> = {
  'exact-verdict-match': {
    description: 'A judgment matches when the judgment has the status of the label.',
    options: {},
    make: (options) => {
      checkOptions('exact-verdict-match', options, {})
      return exactVerdictMatch()
    },
  },
  'exact-category-match': {
    description: 'A judgment matches when the category of the judgment is the label.',
    options: categoryMatchRules,
    make: (options) => exactCategoryMatch(options),
  },
  'numerical-tolerance': {
    description: 'A judgment matches when the score of the judgment is near the label.',
    options: { ...toleranceOption, ...toleranceRules },
    required: ['tolerance'],
    make: ({ tolerance, ...options }) => {
      checkOptions('numerical-tolerance', { tolerance }, toleranceOption)
      return numericalTolerance(tolerance as number, options)
    },
  },
}

/** Builds the scorer that `{type, …options}` describes. */
export const describedScorer: Read<JudgeScorer> = chosen('scorer', scorerChoices)

const votesOptions = {
  samples: described(option.integer(2), 'The number of times that the judge is asked.'),
  temperature: described(option.nonNegative, 'For every model that the judge asks.', 1),
}

export const confidenceChoices: Choices<Confidence> = {
  declared: {
    description:
      'The confidence is what the judgment declares: the probability of the answer where the model gives it, or its own word.',
    options: {},
    make: (options) => {
      checkOptions('declared', options, {})
      return declared()
    },
  },
  agreement: {
    description: 'The confidence is the share of the votes of a jury that agree with it.',
    options: {},
    make: (options) => {
      checkOptions('agreement', options, {})
      return agreement()
    },
  },
  votes: {
    description: 'The confidence is the share of several samples that say the same.',
    options: votesOptions,
    required: ['samples'],
    make: (options) => {
      const { samples, ...rest } = checkOptions('votes', options, votesOptions) as {
        readonly samples: number
        readonly temperature?: number
      }
      return sampled(samples, rest)
    },
  },
}

/** Builds the source that `votes` or `{type: votes, samples: 5}` describes. */
export const describedConfidence: Read<Confidence> = chosen('source of confidence', confidenceChoices)
