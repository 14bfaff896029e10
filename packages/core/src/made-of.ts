const made: unique symbol = Symbol('made of')

/**
 * Says of what a judge, a model or a schema, made just now, was made: the options that can change what it says, and the judges in it. They
 * count in the fingerprint of a jury. Later calls add to it.
 */
export function madeOf<Made extends object>(one: Made, parts: object): Made {
  return Object.defineProperty(one, made, { value: { ...partsOf(one), ...parts }, configurable: true })
}

/** The judges that a judge was made of. */
export function judgesIn(one: object): readonly object[] {
  return (partsOf(one) as { readonly judges?: readonly object[] } | undefined)?.judges ?? []
}

/** Of what it was made; `undefined` where nothing is known. */
export function partsOf(one: object): object | undefined {
  return (one as { readonly [made]?: object })[made]
}
