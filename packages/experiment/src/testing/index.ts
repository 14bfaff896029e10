/**
 * Records, agents and contracts for tests, which need no runner of their own.
 */
export { anItem, aResult } from './records.js'
