/**
 * Everything that an experiment consists of: agents that judge or heal themselves, workspaces, hooks, plans, shards, diagnosis.
 *
 * @example
 * import { judged, runExperiment } from 'jurist/experiment'
 */
export * from '@jurist/experiment'
