/**
 * Judges that compare an answer with what is expected, without a model.
 *
 * @example
 * import { jury } from '@jurist/core'
 * import { matchesExpected } from '@jurist/core/answers'
 *
 * jury({ judges: { right: matchesExpected({ by: 'number', tolerance: 0.5 }) } })
 */
export type { Embed, Embeddings } from '../judge-model.js'
export type { MatchesExpectedOptions } from './matches-expected.js'
export { matchesExpected } from './matches-expected.js'
export type { Normalization } from './normalization.js'
export type { Tolerance } from './numbers.js'
export { outputJson } from './output-json.js'
export { type SimilarToOptions, similarTo } from './similar-to.js'
export { type Limits, within } from './within.js'
