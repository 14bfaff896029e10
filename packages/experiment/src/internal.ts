/**
 * What the packages of this repository share and a user's program does not need. Only they import it: its names change
 * without notice.
 */
export { adds, callback, count, fieldIssues, fields, notNegative, record, text, yesOrNo } from './fields.js'
export {
  experimentJsonSchemas,
  experimentReference,
  jsonSchemaOf,
  type OptionEntry,
  sentence,
} from './run/experiment-reference.js'
