/**
 * A page that shows a result store, served by one function from `Request` to `Response`.
 *
 * @example
 * import { fileStore } from '@jurist/experiment/store'
 * import { viewer } from '@jurist/viewer'
 *
 * const answer = viewer(fileStore('results'), { directory: 'results' })
 * const response = await answer(new Request('http://localhost/'))
 * console.log(response.status)
 */
export { type Viewer, type ViewerOptions, viewer } from './viewer.js'
