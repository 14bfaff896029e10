export interface Tree {
  readonly children: readonly Tree[]
}

/** How many nodes lie on the longest way down, the root included. */
export function depthOf(tree: Tree): number {
  let deepest = 0
  for (const child of tree.children) deepest = Math.max(deepest, depthOf(child))
  return deepest + 1
}

/** The largest number of nodes on one level. */
export function widest(tree: Tree): number {
  let level: readonly Tree[] = [tree]
  let width = 0
  while (level.length > 0) {
    width = Math.max(width, level.length)
    level = level.flatMap((node) => node.children)
  }
  return width
}
