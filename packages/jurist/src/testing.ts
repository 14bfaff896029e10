/**
 * What tests of one's own judges, votes and workspaces need.
 *
 * @example
 * import { aContext, judgeContract } from 'jurist/testing'
 */
export * from '@jurist/core/testing'
