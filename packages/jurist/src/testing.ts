/**
 * Contracts, scripted agents and models, and records, for tests of custom judges, votes, agents, datasets, stores,
 * sandboxes and workspaces.
 *
 * @example
 * import { aContext, judgeContract } from 'jurist/testing'
 */
export * from '@jurist/core/testing'
export * from '@jurist/experiment/testing'
export * from '@jurist/workspace/testing'
