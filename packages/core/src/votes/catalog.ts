import * as countingVotes from './counting-votes.js'
import * as scoreVotes from './score-votes.js'
import type { Vote } from './vote.js'

/**
 * The built-in votes by name. Everything that offers votes (the config in TypeScript and YAML, its JSON Schema, the page's
 * what-if, the guide) reads this record.
 */
export const votes: { readonly [name: string]: (options?: object) => Vote } = { ...countingVotes, ...scoreVotes }
