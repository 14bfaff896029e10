/**
 * Conversational agents: conversations with a simulated user, and judges of their turns.
 *
 * @example
 * import { conversation, goalReached, modelUser } from 'jurist/conversation'
 *
 * const agent = conversation(({ message }) => `You said: ${message}`, { user: modelUser({ model }) })
 * const reached = goalReached({ model })
 */
export * from '@jurist/core/conversation'
