import * as v from 'valibot'
import { fields, says, text } from '../fields.js'
import { roles, usualNames } from './column-roles.js'
import type { ColumnMap } from './dataset.js'

/** The names of columns by their roles. */
export const columnMap: v.GenericSchema<unknown, ColumnMap> = fields(
  Object.fromEntries(
    roles.map((role) => [role, v.exactOptional(says(text, `Default: ${usualNames[role].join(', ')}.`))]),
  ),
) as v.GenericSchema<unknown, ColumnMap>
