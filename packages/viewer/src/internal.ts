/**
 * The parts of this package that the command needs and a user's program does not. Only the command imports them: names
 * change without notice.
 */
export { type PromoterOptions, promoter } from './review/promoter.js'
export { type ReviewerOptions, reviewer } from './review/reviewer.js'
