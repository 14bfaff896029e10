/**
 * What the command needs of this package, and a user's program does not. Only it imports this: names change without notice.
 */
export { type ReviewerOptions, reviewer } from './review/reviewer.js'
