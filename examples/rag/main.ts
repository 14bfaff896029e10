import { fileURLToPath } from 'node:url'
import { cassetteFile } from '@jurist/experiment/store'
import { runExperiment } from 'jurist'
import { replay, wrapModel } from 'jurist/llm'
import { answeringAgent } from './answering-agent.js'
import { ragJury } from './jury.js'
import { report } from './report.js'
import { standInModel } from './stand-in-model.js'

// Without an argument every answer of the model is played from the cassette; with the name of a file the model is asked
// what that file does not hold, and what it says is recorded there.
const [, , recording] = process.argv
const cassette = cassetteFile(recording ?? fileURLToPath(new URL('judges.cassette.json', import.meta.url)))
const model = wrapModel(standInModel, replay(cassette, { mode: recording === undefined ? 'replay' : 'auto' }))

const run = runExperiment({
  name: 'rag',
  dataset: fileURLToPath(new URL('questions.jsonl', import.meta.url)),
  agent: answeringAgent,
  jury: ragJury(model),
})
console.log(report(await run.result))
