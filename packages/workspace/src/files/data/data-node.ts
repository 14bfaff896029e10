import { maxDepth } from '../comparator.js'
import { refuse } from '../compare-trees.js'

/** A value of JSON, YAML or TOML. Lines are those where the value starts. */
export type DataNode = ScalarNode | ListNode | MapNode

/** A value without parts: equal when type and value are. */
export interface ScalarNode {
  readonly kind: 'scalar'
  readonly type: string
  /** The one text of the value: `1e0` for 1, 1.0 and 1e0 where these are the same. */
  readonly value: string
  /** How it is written, where `value` reads badly. */
  readonly source?: string
  readonly line: number
}

export interface ListNode {
  readonly kind: 'list'
  readonly tag?: string
  readonly items: readonly DataNode[]
  /** The order does not count, and neither do repeats. */
  readonly asSet?: boolean
  /** Two places of the document hold this very node. */
  readonly shared?: boolean
  readonly line: number
}

export interface MapNode {
  readonly kind: 'map'
  readonly tag?: string
  readonly entries: ReadonlyMap<string, DataNode>
  /** The order of the keys counts. */
  readonly keepsOrder?: boolean
  readonly shared?: boolean
  readonly line: number
}

/** Refuses what is nested deeper than data may be. */
export function checkDepth(depth: number, line: number): void {
  if (depth > maxDepth.data) refuse(`nested deeper than ${maxDepth.data} levels`, line)
}
