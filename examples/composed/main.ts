import { gate } from './deploy-gate.js'
import { judgedOnce } from './judged.js'
import { plannedAndJudged } from './pipeline.js'
import { healed } from './self-healing.js'

for (const example of [judgedOnce, healed, plannedAndJudged, gate]) console.log(await example())
