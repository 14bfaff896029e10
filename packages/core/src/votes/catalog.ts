import * as countingVotes from './counting-votes.js'
import * as scoreVotes from './score-votes.js'
import type { Vote } from './vote.js'

/**
 * The one list of built-in votes. The config in TypeScript and YAML, its JSON Schema, the page's what-if and the guide
 * read it.
 */
export const votes: { readonly [name: string]: (options?: object) => Vote } = { ...countingVotes, ...scoreVotes }
