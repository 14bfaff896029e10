import { fileURLToPath } from 'node:url'
import { runExperiment } from 'jurist'
import { migrationJury } from './jury.js'
import type { Model } from './model/model.js'
import { scriptedModel } from './model/scripted-model.js'
import { recordedAgent } from './recorded-agent.js'
import { report } from './report.js'

let calls = 0
const model: Model = (request) => {
  calls += 1
  return scriptedModel(request)
}

const run = runExperiment({
  name: 'migration',
  dataset: fileURLToPath(new URL('dataset', import.meta.url)),
  agent: recordedAgent,
  jury: migrationJury(model),
})
console.log(report(await run.result, calls))
