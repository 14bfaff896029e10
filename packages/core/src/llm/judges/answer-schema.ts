import { JuristError } from '../../errors.js'
import type { Place } from '../../json.js'
import { dotted } from '../../json.js'
import type { Read } from '../../read.js'
import type { StandardSchema } from '../classifiers/json.js'

/** A reader of values as the schema that `json` takes. */
export function schemaOf<Output>(read: Read<Output>): StandardSchema<Output> {
  return {
    '~standard': {
      version: 1,
      vendor: 'jurist',
      validate: (value) => {
        try {
          return { value: read(value, [], misshapen) }
        } catch (thrown) {
          if (JuristError.is(thrown, 'response-invalid')) return { issues: [{ message: thrown.details.reason }] }
          throw thrown
        }
      },
    },
  }
}

function misshapen(place: Place, problem: string): never {
  const reason = `${dotted(place)} ${problem}`
  throw new JuristError('response-invalid', `Not the answer that was asked for: ${reason}.`, { reason })
}

/** A value of which nothing is known yet. */
export const readAnything: Read<unknown> = (value) => value
