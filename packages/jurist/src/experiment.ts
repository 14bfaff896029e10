/**
 * The parts of an experiment: agents that judge or repair their own work, workspaces, hooks, plans, shards, diagnosis.
 *
 * @example
 * import { judged, runExperiment } from 'jurist/experiment'
 */
export * from '@jurist/experiment'
