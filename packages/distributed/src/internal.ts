/**
 * Parts that the command needs and a user's program does not. Only packages of this repository import it: its names change without
 * notice.
 */
import './errors.js'

export { type MergePlan, mergePlan } from './merge-plan.js'
export { type StoredShard, storeMerged } from './store-merged.js'
