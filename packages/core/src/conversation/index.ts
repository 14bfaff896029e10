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

export type { ModelBase } from '../llm/judges/model-base.js'
export type { JudgedExample, OwnPrompt } from '../llm/judges/prompted.js'
export type { ConversationAgent, ConversationSession, Reply } from './conversation.js'
export { type ConversationOptions, conversation } from './conversation.js'
export { conversationCriteria, goalReached } from './conversation-criteria.js'
export { atEnd, type EveryTurnOptions, everyTurn } from './every-turn.js'
export { modelUser } from './model-user.js'
export { remembers } from './remembers.js'
export type { Scenario } from './scenario.js'
export type { TalkBase } from './talk-base.js'
export { keepsRole, notAsked, relevantTurns, type TurnJudgeOptions } from './turn-judges.js'
export { type AuditedTalk, modelAudit, type UserAudit, type UserAuditResult } from './user-audit.js'
export { replayUser, type SimulatedUser, scriptedUser, type UserMove } from './users.js'
