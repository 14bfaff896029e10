import { JuristError } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { configInvalid } from './problems.js'

/**
 * Calls a function of a config.
 *
 * @throws `config-invalid` naming its place when it throws; an error of Jurist as it is
 */
export async function calledFunction<Value>(
  make: () => Value | Promise<Value>,
  file: string,
  path: string,
): Promise<Value> {
  try {
    return await make()
  } catch (thrown) {
    if (JuristError.is(thrown)) throw thrown
    throw configInvalid(file, [{ path, problem: failureOf(thrown).message, remedy: '' }], thrown)
  }
}
