/**
 * Extensions of the command `jurist`: subcommands with their flags, judges and stores. Guide: docs/guide/extending.md.
 */
import '../errors.js'

export * from './flags.js'
export * from './host.js'
export * from './plugin.js'
export * from './subcommand.js'
export * from './usage.js'
