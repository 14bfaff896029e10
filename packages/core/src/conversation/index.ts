/**
 * Conversational agents: conversations with a simulated user, and judges of their turns.
 *
 * @example
 * import { outputText } from '@jurist/core'
 * import { conversation, everyTurn } from '@jurist/core/conversation'
 *
 * const agent = conversation(({ message }) => `You said: ${message}`, { user: ['Hello', 'Goodbye'] })
 * const polite = everyTurn(outputText({ matches: '^You said' }))
 */

export { type ConversationOptions, conversation } from './conversation.js'
export type { ConversationAgent, ConversationSession, Reply } from './conversation-agent.js'
export { conversationCriteria, goalReached } from './conversation-criteria.js'
export { atEnd, everyTurn } from './every-turn.js'
export { modelUser } from './model-user.js'
export { remembers } from './remembers.js'
export type { Scenario } from './scenario.js'
export { keepsRole, notAsked, relevantTurns } from './turn-judges.js'
export { modelAudit, type UserAudit } from './user-audit.js'
export { replayUser, type SimulatedUser, scriptedUser } from './users.js'
