/**
 * Look at a store of results: a page on loopback, served by one function of requests.
 *
 * @example
 * import { fileStore } from '@jurist/experiment/store'
 * import { viewer } from '@jurist/viewer'
 *
 * const answer = viewer(fileStore('results'), { directory: 'results' })
 * const response = await answer(new Request('http://localhost/'))
 */
export { type Viewer, type ViewerOptions, viewer } from './viewer.js'
