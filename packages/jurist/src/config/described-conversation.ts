import type { Agent, JsonObject } from '@jurist/core'
import type { ConversationAgent, ConversationOptions, SimulatedUser } from '@jurist/core/conversation'
import { failureOf, isPlainObject, type Place, printed } from '@jurist/core/internal'
import { describedExport } from './described-jury.js'
import { modelFrom } from './models.js'
import { reportUnknownKeys } from './problems.js'
import type { Reading } from './reading.js'
import { exported, object, ref, text } from './schema-parts.js'

type Given = Readonly<Record<string, unknown>>

const model: JsonObject = {
  description: 'The name of one of "models", or the description of a model.',
  anyOf: [text, ref('model')],
}

/** The JSON Schema of a conversational agent. */
export const conversationSchema: JsonObject = {
  description: 'An agent that talks with a simulated user.',
  ...object(
    {
      conversation: exported('The agent, a function of a session,'),
      user: {
        description:
          'The messages of a user, `script` for those of the scenario of each item, or a model that plays it.',
        anyOf: [
          { type: 'array', items: text, minItems: 1 },
          { const: 'script' },
          object(
            { model, instructions: { description: 'What else the model should know to play the user.', ...text } },
            'model',
          ),
        ],
      },
      maxTurns: { description: 'How many messages the user may send.', type: 'integer', minimum: 1, default: 20 },
      audit: {
        description: 'The model that looks at what the user did wrong. `false`: neither it nor the rules.',
        anyOf: [{ const: false }, object({ model }, 'model')],
      },
      auditPassed: {
        description: 'The share of the passed trials that are audited.',
        type: 'number',
        minimum: 0,
        maximum: 1,
        default: 0.1,
      },
    },
    'conversation',
    'user',
  ),
}

const names = ['conversation', 'user', 'maxTurns', 'audit', 'auditPassed']

/** Builds the agent that `{conversation: {module}, user, …}` describes. */
export async function describedConversation(value: Given, place: Place, reading: Reading): Promise<Agent | undefined> {
  const { report } = reading
  reportUnknownKeys(value, names, place, report)
  const { conversation: described, user, audit, maxTurns, auditPassed } = value
  if (!isPlainObject(described)) {
    report([...place, 'conversation'], `must be a module (got ${printed(described)}).`, 'Write {module: ./agent.ts}.')
    return undefined
  }
  const agent = await describedExport(described, [...place, 'conversation'], reading, 'agent')
  if (agent === undefined) return undefined
  const doors = await import('@jurist/core/conversation')
  try {
    return doors.conversation(agent as ConversationAgent, {
      user: userOf(user, reading, doors),
      ...(audit === undefined ? {} : { audit: auditOf(audit, reading, doors) }),
      ...(maxTurns === undefined ? {} : { maxTurns: maxTurns as number }),
      ...(auditPassed === undefined ? {} : { auditPassed: auditPassed as number }),
    })
  } catch (thrown) {
    report(place, failureOf(thrown).message, '')
    return undefined
  }
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

function withModel(value: Given, { models = {} }: Reading): Given {
  return value.model === undefined ? value : { ...value, model: modelFrom(value.model, models) }
}
