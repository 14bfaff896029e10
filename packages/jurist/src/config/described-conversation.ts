import type { Agent, JsonObject } from '@jurist/core'
import type { ConversationAgent, ConversationOptions, SimulatedUser } from '@jurist/core/conversation'
import { isPlainObject, type Place, printed } from '@jurist/core/internal'
import { describedExport } from './described-jury.js'
import { modelFrom } from './models.js'
import {
  type Described,
  exported,
  object,
  type Parts,
  partsSchema,
  type Reading,
  readParts,
  ref,
  text,
} from './parts.js'
import { attempted } from './problems.js'

const model: JsonObject = {
  description: 'The name of one of "models", or the description of a model.',
  anyOf: [text, ref('model')],
}

const parts: Parts = {
  conversation: {
    schema: exported('The agent, a function of a session,'),
    async read(value, place, reading) {
      if (isPlainObject(value)) return await describedExport(value, place, reading, 'agent')
      reading.report(place, `must be a module (got ${printed(value)}).`, 'Write {module: ./agent.ts}.')
      return undefined
    },
    isRequired: true,
  },
  user: {
    schema: {
      description: 'The messages of a user, `script` for those of the scenario of each item, or a model that plays it.',
      anyOf: [
        { type: 'array', items: text, minItems: 1 },
        { const: 'script' },
        object(
          { model, instructions: { description: 'What else the model should know to play the user.', ...text } },
          'model',
        ),
      ],
    },
    isRequired: true,
  },
  maxTurns: {
    schema: { description: 'How many messages the user may send.', type: 'integer', minimum: 1, default: 20 },
  },
  audit: {
    schema: {
      description: 'The model that looks at what the user did wrong. `false`: neither it nor the rules.',
      anyOf: [{ const: false }, object({ model }, 'model')],
    },
  },
  auditPassed: {
    schema: {
      description: 'The share of the passed trials that are audited.',
      ...{ type: 'number', minimum: 0, maximum: 1, default: 0.1 },
    },
  },
}

/** The JSON Schema of a conversational agent. */
export const conversationSchema: JsonObject = {
  description: 'An agent that talks with a simulated user.',
  ...partsSchema(parts),
}

/** Builds the agent that `{conversation: {module}, user, …}` describes. */
export async function describedConversation(
  value: Described,
  place: Place,
  reading: Reading,
): Promise<Agent | undefined> {
  const read = await readParts(value, parts, place, reading)
  if (read === undefined) return undefined
  const { conversation: agent, user, ...limits } = read
  const doors = await import('@jurist/core/conversation')
  const make = () =>
    doors.conversation(agent as ConversationAgent, {
      ...(limits as Omit<ConversationOptions, 'user'>),
      user: userOf(user, reading, doors),
      ...(limits['audit'] === undefined ? {} : { audit: auditOf(limits['audit'], reading, doors) }),
    })
  return attempted(make, place, reading.report)
}

type Doors = typeof import('@jurist/core/conversation')

function userOf(
  value: unknown,
  reading: Reading,
  { modelUser, scriptedUser }: Doors,
): SimulatedUser | readonly string[] {
  if (value === 'script') return scriptedUser()
  // Other values are refused by `conversation`.
  return isPlainObject(value) ? modelUser(withModel(value, reading) as never) : (value as readonly string[])
}

function auditOf(value: unknown, reading: Reading, { modelAudit }: Doors): NonNullable<ConversationOptions['audit']> {
  return isPlainObject(value) ? modelAudit(withModel(value, reading) as never) : (value as false)
}

function withModel(value: Described, { models = {} }: Reading): Described {
  return value.model === undefined ? value : { ...value, model: modelFrom(value.model, models) }
}
