import { fileURLToPath } from 'node:url'
import { cassetteFile } from '@jurist/experiment/store'
import { type JudgeModel, replay, wrapModel } from 'jurist/llm'
import { evaluate } from './evaluate.js'
import { report } from './report.js'

/** Never called: every answer is in the cassette, and what is not there is an error. */
const offline: JudgeModel = async () => {
  throw new Error('This example asks no model.')
}
const cassette = cassetteFile(fileURLToPath(new URL('judges.cassette.json', import.meta.url)))

console.log(report(await evaluate(wrapModel(offline, replay(cassette)))))
