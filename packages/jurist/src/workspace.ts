/**
 * The directory in which an agent worked: open, copy, compare, and run commands in it, with or without a sandbox.
 *
 * @example
 * import { copyOf } from 'jurist/workspace'
 *
 * await using workspace = await copyOf('fixtures/project')
 */
export * from '@jurist/workspace'
