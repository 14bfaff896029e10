/** The items by the name that `nameOf` gives them, in their order. Any text can be a name. */
export function groupBy(items, nameOf) {
  const groups = {}
  for (const item of items) {
    const name = nameOf(item)
    if (!Object.hasOwn(groups, name)) groups[name] = []
    groups[name].push(item)
  }
  return groups
}
