/**
 * A result store of your own: a backend keeps texts, and the kit makes the store of it.
 *
 * @example
 * import { storeOver } from 'jurist/store-kit'
 *
 * const store = storeOver(backend)
 */
export * from '@jurist/experiment/store-kit'
