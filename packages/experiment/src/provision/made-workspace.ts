import type { Workspace } from '@jurist/core'

const maker = Symbol('maker')
type Made = { readonly [maker]: () => Workspace }

// The same getter for every object. A getter of its own, as in `{ get workspace() {…} }`, gives each object a hidden class of
// its own; these are born old, and keep everything their getters can see alive until the next full garbage collection.
const workspace = {
  enumerable: true,
  get(this: Made) {
    return this[maker]()
  },
}

/**
 * Gives an object a property `workspace`, which is made when it is read: thousands of agents and judges only look at answers.
 *
 * @param make gives the same workspace each time
 *
 * @example
 * const lease = withWorkspace({ before: null, reference: null }, () => (made ??= lazyWorkspace(options)))
 */
export function withWorkspace<Target extends object, Found extends Workspace>(
  target: Target,
  make: () => Found,
): Target & { readonly workspace: Found } {
  Object.defineProperty(target, maker, { value: make })
  return Object.defineProperty(target, 'workspace', workspace) as Target & { readonly workspace: Found }
}
