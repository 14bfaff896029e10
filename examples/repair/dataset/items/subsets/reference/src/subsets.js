/** All subsets, beginning with the empty one; the order of the items is kept. */
export function subsets(items) {
  const found = []
  const chosen = []
  const choose = (from) => {
    found.push([...chosen])
    for (let index = from; index < items.length; index++) {
      chosen.push(items[index])
      choose(index + 1)
      chosen.pop()
    }
  }
  choose(0)
  return found
}
