/**
 * Helpers for tests of your own judges, votes and workspaces.
 *
 * @example
 * import { aContext, judgeContract } from 'jurist/testing'
 */
export * from '@jurist/core/testing'
