import type { ToolStep } from './tool-steps.js'

/** How often a test or a run that failed was followed by at least one write and then a test or a run again. */
export function fixCyclesOf(steps: readonly ToolStep[]): number {
  let cycles = 0
  let failed = false
  let wrote = false
  for (const { state, result } of steps) {
    if (state === 'write') wrote = true
    if (state !== 'test' && state !== 'run') continue
    if (failed && wrote) cycles += 1
    failed = result?.failed === true
    wrote = false
  }
  return cycles
}
