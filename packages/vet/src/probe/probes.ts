import type { Probe } from './probe.js'
import { nothingProbes } from './probes/nothing.js'
import { processProbes } from './probes/process.js'

/**
 * Every probe that comes with Jurist, in the order of reports.
 *
 * @example
 * import { probes } from '@jurist/vet'
 *
 * console.log(probes.map(({ name }) => name).includes('exit-on-load')) // true
 */
export const probes: readonly Probe[] = Object.freeze([...nothingProbes, ...processProbes])
