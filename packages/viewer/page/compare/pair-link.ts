import { linkTo } from '../router.js'

/** Two runs that are compared, and the address of the list or the pair that is shown. */
export interface ComparedPair {
  readonly baseline: string
  readonly candidate: string
  readonly query: URLSearchParams
}

/** The parameters of the list of items, which its pairs carry along to find their neighbours. */
export const listParameters: readonly string[] = ['change', 'q', 'ignore']

/** The link to the trials of an item, side by side. */
export function pairLink(
  { baseline, candidate, query }: ComparedPair,
  itemId: string,
  part?: string,
  more: Readonly<Record<string, string | undefined>> = {},
): string {
  const list = [...query].filter(([name]) => listParameters.includes(name))
  const path = ['compare', baseline, candidate, 'items', itemId, ...(part === undefined ? [] : [part])]
  return linkTo(path, { ...Object.fromEntries(list), ...more })
}
