import * as v from 'valibot'
import { fields, says, text } from '../fields.js'
import { roles, usualNames } from './column-roles.js'
import type { ColumnMap } from './dataset.js'
import type { DatasetFile } from './dataset-file.js'

/** The names of columns by their roles. */
export const columnMap: v.GenericSchema<unknown, ColumnMap> = fields(
  Object.fromEntries(
    roles.map((role) => [role, v.exactOptional(says(text, `Default: ${usualNames[role].join(', ')}.`))]),
  ),
) as v.GenericSchema<unknown, ColumnMap>

/** The place of a dataset that is not a string. */
export const datasetFile: v.GenericSchema<unknown, DatasetFile> = fields({
  path: says(text, 'The path of a file of rows.'),
  columns: v.exactOptional(says(columnMap, 'Which column holds what, if the names are not the usual ones.')),
}) as v.GenericSchema<unknown, DatasetFile>
