import { cassetteFile } from '@jurist/experiment/store'
import { replay, wrapModel } from 'jurist/llm'
import { evaluate } from './evaluate.js'
import { standInModel } from './stand-in-model.js'

// npx jiti examples/rag/record.ts FILE: asks the model and records what it says. Put your own model here.
const [, , file] = process.argv
if (file === undefined) throw new Error('Name the file to record into, such as examples/rag/judges.cassette.json.')
const { items } = await evaluate(wrapModel(standInModel, replay(cassetteFile(file), { mode: 'auto' })))
console.log(`${items.length} answers judged, calls recorded in ${file}`)
