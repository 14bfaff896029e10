import { runExperiment } from 'jurist'
import { migration } from './experiment.js'
import type { Model } from './model/model.js'
import { scriptedModel } from './model/scripted-model.js'
import { report } from './report.js'

let calls = 0
const model: Model = (request) => {
  calls += 1
  return scriptedModel(request)
}

const run = runExperiment({ name: 'migration', ...migration(model) })
console.log(report(await run.result, calls))
