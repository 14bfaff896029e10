import type { PackagePlan } from './package-plan.js'

/** The layers of the page, and what it may import from the viewer. */
export const pagePlan: NonNullable<PackagePlan['page']> = {
  fromSource: ['answers', 'what-if'],
  layers: [
    ['router', 'text', 'documents', 'charts', 'marks', 'keys', 'copy-button', 'virtual-rows'],
    ['places', 'paged-rows'],
    ['navigation', 'table', 'filters', 'bar'],
    ['parts'],
    ['behaviour', 'calibration', 'judges', 'what-if'],
    ['run', 'item', 'compare', 'experiment', 'transcript'],
    ['runs', 'session', 'labelling'],
    ['page'],
    ['main', 'report', 'review'],
  ],
}
