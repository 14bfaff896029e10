/**
 * The directory that an agent worked in: opened, copied, compared, and run in, with or without a sandbox.
 *
 * @example
 * import { copyOf } from 'jurist/workspace'
 *
 * await using workspace = await copyOf('fixtures/project')
 */
export * from '@jurist/workspace'
