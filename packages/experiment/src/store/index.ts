export * from './sessions.js'
export type * from './store.js'
export * from './sweeps.js'
