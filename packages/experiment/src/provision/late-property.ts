/** Gives an object a property that is made when it is read; `make` gives the same value each time. */
export type LateProperty<Name extends string, Bound> = <Target extends object, Value extends Bound>(
  target: Target,
  make: () => Value,
) => Target & { readonly [name in Name]: Value }

/**
 * A function that gives objects an enumerable property of this name, which is made when it is read: thousands of agents and
 * judges look at an answer, and at no workspace, signal or directory. All objects share one getter. A getter of its own, as in
 * `{ get signal() {…} }`, gives each object a hidden class of its own; these are born old, and keep everything their getters
 * can see alive until the next full garbage collection.
 *
 * @example
 * const withWorkspace = lateProperty<'workspace', Workspace>('workspace')
 * const lease = withWorkspace({ before: null }, () => (made ??= lazyWorkspace(options)))
 */
export function lateProperty<Name extends string, Bound>(name: Name): LateProperty<Name, Bound> {
  const maker = Symbol(name)
  const property = {
    enumerable: true,
    get(this: { readonly [maker]: () => unknown }) {
      return this[maker]()
    },
  }
  return (target, make) => {
    Object.defineProperty(target, maker, { value: make })
    return Object.defineProperty(target, name, property) as never
  }
}
