import { resolve } from 'node:path'
import { failureOf, isPlainObject, type Place, printed } from '@jurist/core/internal'
import { loadExports } from './module-config.js'
import type { Reading } from './reading.js'

/**
 * The function that `{module, export?, options?}` names: the default export, or the named one; with `options` it is a
 * factory and is called with them. The path is relative to the config.
 */
export async function describedExport(
  { module, export: name = 'default', options }: Readonly<Record<string, unknown>>,
  place: Place,
  { directory, report }: Reading,
  what: string,
): Promise<unknown> {
  if (typeof module !== 'string' || typeof name !== 'string') {
    report(place, `the module of the ${what} must be a path, not ${printed(module)}.`, 'Write {module: ./file.ts}.')
    return undefined
  }
  try {
    const exports = await loadExports(resolve(directory, module))
    const found = isPlainObject(exports) || typeof exports === 'object' ? Reflect.get(Object(exports), name) : undefined
    const made: unknown = options !== undefined && typeof found === 'function' ? await found(options) : found
    if (typeof made === 'function') return made
    report(place, `${module} exports no ${what} as "${name}".`, `Export a function of that name.`)
  } catch (thrown) {
    report(place, `${module}: ${failureOf(thrown).message}`, '')
  }
  return undefined
}
