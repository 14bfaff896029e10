export { consensus } from './counting-votes.js'
