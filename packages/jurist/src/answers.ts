/**
 * Judges that compare an answer with what is expected, without a model. `jurist` itself has them too.
 *
 * @example
 * import { matchesExpected } from 'jurist/answers'
 *
 * const right = jury({ judges: { right: matchesExpected({ by: 'choice' }) } })
 */
export * from '@jurist/core/answers'
export { jsonSchema } from './config/json-schema.js'
