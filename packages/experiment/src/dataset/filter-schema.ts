import { isPlainObject, optionInvalid } from '@jurist/core/internal'
import * as v from 'valibot'
import { anyText, checkFields, fields, optional, yesOrNo } from '../fields.js'
import { type ItemFilter, itemStatuses } from './item.js'

const textsWanted = 'must be a string or an array of at least one string'
const oneOrMore = v.union([anyText, v.pipe(v.array(anyText), v.nonEmpty(textsWanted))], textsWanted)
const statuses = v.picklist(itemStatuses)
const statusWanted = 'must be active, disabled, deprecated, an array of them, or (alone) any'
const operators = ['and', 'or', 'not'] as const

export const criteriaSchema: v.GenericSchema = fields(
  {
    id: optional(oneOrMore, 'The id, or one of several.'),
    slug: optional(oneOrMore, 'The slug, or one of several.'),
    bucket: optional(oneOrMore, 'The bucket, or one of several.'),
    taskType: optional(oneOrMore, 'The type of the task, or one of several.'),
    tags: optional(v.array(anyText, 'must be an array of strings'), 'The item has all of these tags.'),
    noChange: optional(yesOrNo, 'Whether nothing should change.'),
    status: optional(
      v.union([v.literal('any'), statuses, v.pipe(v.array(statuses), v.nonEmpty(statusWanted))], statusWanted),
      'The status, or one of several; "any": every status. Default: active.',
    ),
  },
  { others: operators },
)

const alone = { remedy: 'Put other criteria into a filter of their own.' }
const filters = v.array(
  v.lazy(() => filterSchema),
  'must be an array of filters',
)
const operatorSchemas = {
  and: fields({ and: filters }, alone),
  or: fields({ or: filters }, alone),
  not: fields({ not: v.lazy(() => filterSchema) }, alone),
}

/** A filter: criteria, or one operator. */
export const filterSchema: v.GenericSchema<unknown, ItemFilter> = v.lazy((value) => {
  const operator = isPlainObject(value) ? operators.find((name) => value[name] !== undefined) : undefined
  return operator === undefined ? criteriaSchema : operatorSchemas[operator]
}) as v.GenericSchema<unknown, ItemFilter>

/**
 * The filter, checked.
 *
 * @throws `option-invalid` naming every problem
 */
export function checkedFilter(filter: unknown): ItemFilter {
  const { value, issues } = checkFields(filterSchema, filter, { prefix: 'filter' })
  if (value !== undefined) return value
  const lines = issues.map(({ field, problem, remedy }) => `${field} ${problem} ${remedy}`)
  optionInvalid(issues[0]?.field ?? 'filter', lines.join('\n'))
}
