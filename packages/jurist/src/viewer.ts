/**
 * The page for stored runs as a request handler, or as one HTML file.
 *
 * @example
 * import { staticReport } from 'jurist/viewer'
 *
 * const html = await staticReport([result])
 */
export * from '@jurist/viewer'
export * from '@jurist/viewer/static'
