/** The results of `work` for each item, in the order of the items. All work starts at once. */
export async function mapInOrder(items, work) {
  const results = []
  await Promise.all(
    items.map(async (item) => {
      results.push(await work(item))
    }),
  )
  return results
}
