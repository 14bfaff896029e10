export type * from './judge-detail.js'
export type * from './records.js'
export type * from './summary.js'
