/**
 * Judges that compare an answer with the expected one, without a model. `jurist` exports them as well.
 *
 * @example
 * import { matchesExpected } from 'jurist/answers'
 *
 * const right = jury({ judges: { right: matchesExpected({ by: 'choice' }) } })
 */
export * from '@jurist/core/answers'
export { jsonSchema } from './config/json-schema.js'
