import { pathOf } from './tool-state.js'
import type { ToolStep } from './tool-steps.js'

/** A file that was read again though nothing had been written to it. */
export interface RedundantRead {
  readonly path: string
  /** How often it was read in all. */
  readonly reads: number
}

/** Files that were read again with no write to them between, in the order in which that happened first. */
export function redundantReadsOf(steps: readonly ToolStep[]): readonly RedundantRead[] {
  const reads = new Map<string, number>()
  const unchanged = new Set<string>()
  const redundant = new Set<string>()
  for (const { call, state } of steps) {
    const path = pathOf(call)
    if (path === undefined) continue
    if (state === 'write') unchanged.delete(path)
    if (state !== 'read') continue
    if (unchanged.has(path)) redundant.add(path)
    unchanged.add(path)
    reads.set(path, (reads.get(path) ?? 0) + 1)
  }
  return [...redundant].map((path) => ({ path, reads: reads.get(path) ?? 0 }))
}
