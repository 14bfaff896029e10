/**
 * Custom result stores and queues: a backend stores texts, and the kit builds the store on top of it.
 *
 * @example
 * import { storeOver } from 'jurist/store-kit'
 *
 * const store = storeOver(backend)
 */
export * from '@jurist/experiment/store-kit'
