/**
 * The parts that `jurist export`, `init`, `lift`, `scan` and `hook` use. Only they may import this module: its names change
 * without notice.
 */
export { atifOf } from './export/atif.js'
export { checkHarborFlags, exportHarbor, harborExportFlags } from './export/export-harbor.js'
export { checkScoreFlags, exportScores, scoreFlags } from './export/export-scores.js'
export { evalLog, evalSample } from './export/inspect.js'
export { type PredictionPlaces, predictionLines } from './export/predictions.js'
export { datasetFile, itemDirectory, jsonFile, newProject, writeFiles } from './new-project.js'
export { openTraces } from './traces/import-traces.js'
