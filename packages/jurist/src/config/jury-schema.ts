import type { JsonObject } from '@jurist/core'
import {
  described,
  juryOptions,
  mustDecideOption,
  option,
  propertiesOf,
  tierOnErrorOption,
  tierPolicies,
  voteDescriptionOf,
} from '@jurist/core/internal'
import { judgesByType, votesByName } from './catalog.js'
import { confidenceSchema } from './described-confidence.js'
import { combinators } from './described-judge.js'
import { byName, exported, named, object, ref, says, text } from './schema-parts.js'

/** The definitions of juries, judges and votes in the JSON Schema of a config. */
export async function jurySchemas(): Promise<JsonObject> {
  const judges = [...(await judgesByType())].map(([type, { passes, options, required }]) =>
    judge(type, passes, propertiesOf(options), ...required),
  )
  return {
    jury: {
      oneOf: [
        says('Judges that vote.', object({ ...juryParts, ...propertiesOf(juryOptions), ...mustDecide }, 'judges')),
        says('Juries in order, cheap ones first.', object({ cascade, ...mustDecide }, 'cascade')),
        says(
          'A cascade that decides by a certificate.',
          object({ ...certifiedParts, ...mustDecide }, ...Object.keys(certifiedParts)),
        ),
        ...judges,
        ...Object.entries(combinators).map(combinator),
        exported('A judge or a jury', mustDecide),
        named('juries', mustDecide),
      ],
    },
    member,
    tier,
    certifiedTier,
    confidence: confidenceSchema(),
    vote: { oneOf: [...[...votesByName].flatMap(voteSchemas), named('votes')] },
  }
}

const mustDecide = propertiesOf({ mustDecide: mustDecideOption })

function judge(type: string, passes: string, options: JsonObject, ...required: readonly string[]): JsonObject {
  const name = says('The name of the judge.', { const: type })
  return says(`Passes when ${passes}.`, object({ type: name, ...options, ...mustDecide }, 'type', ...required))
}

function combinator([type, { passes }]: readonly [string, { readonly passes: string }]): JsonObject {
  const one = { judge: says('The judge.', ref('jury')) }
  const several = { judges: says('The judges.', { type: 'array', items: ref('jury'), minItems: 1 }) }
  const members: JsonObject = type === 'not' ? one : several
  return judge(type, passes, members, ...Object.keys(members))
}

const juryParts = {
  judges: says('The members by name.', byName({ anyOf: [ref('jury'), ref('member')] })),
  vote: says('How the members decide. Default: consensus.', ref('vote')),
}

const member = says(
  'A judge with a weight.',
  object(
    {
      judge: says('The judge.', ref('jury')),
      weight: says('How much the vote of the member counts.', { type: 'number', minimum: 0, default: 1 }),
      ...mustDecide,
    },
    'judge',
  ),
)

const cascade = says('The tiers in order; the last one is final.', { type: 'array', items: ref('tier'), minItems: 1 })

const thresholdOption = described(
  option.rate,
  'With decide-when-confident: the confidence from which on the tier decides.',
)
const confidence = says('Where the confidence comes from. Default: the judge itself.', ref('confidence'))

const tier = object(
  {
    name: says('The name of the tier.', text),
    policy: says('When the verdict of the tier decides. Otherwise the next tier is asked.', {
      enum: tierPolicies,
    }),
    jury: says('The jury or the judge of the tier.', ref('jury')),
    ...propertiesOf({ onError: tierOnErrorOption, threshold: thresholdOption }),
    confidence,
  },
  'name',
  'policy',
  'jury',
)

const certifiedTier = object(
  {
    name: says('The name of the tier.', text),
    candidate: says('The jury or the judge of the tier.', ref('jury')),
    confidence,
  },
  'name',
  'candidate',
)

const certifiedParts = {
  certified: says('The tiers in order, as they were certified.', {
    type: 'array',
    items: ref('certifiedTier'),
    minItems: 1,
  }),
  certificate: says('The file of the certificate. Without one nothing is certified, and the final tier decides.', text),
  final: says(
    'What decides where no tier is confident.',
    object(
      {
        name: says('The name of the tier.', { ...text, default: 'final' }),
        jury: says('The jury or the judge.', ref('jury')),
      },
      'jury',
    ),
  ),
}

/** A vote by its name alone, and with its options. */
function voteSchemas([name, make]: readonly [string, object]): readonly JsonObject[] {
  const { passes = '', options = {} } = voteDescriptionOf(make) ?? {}
  const type = says('The name of the vote.', { const: name })
  return [{ const: name }, object({ type, ...propertiesOf(options) }, 'type')].map((schema) =>
    says(`Passes when ${passes}.`, schema),
  )
}
