/**
 * The parts that `jurist export`, `init`, `lift`, `scan` and `hook` use. Only they may import this module: its names change
 * without notice.
 */
export { atifOf } from './export/atif.js'
export { exportHarbor } from './export/export-harbor.js'
export { exportScores } from './export/export-scores.js'
export { checkHarborFlags, checkScoreFlags, harborExportFlags, scoreFlags } from './export/flags.js'
export { evalLog, evalSample } from './export/inspect.js'
export { type PredictionPlaces, predictionLines } from './export/predictions.js'
export { newProject } from './new-project.js'
export { openTraces } from './traces/import-traces.js'
export { datasetFile, itemDirectory, jsonFile, writeFiles } from './write-project.js'
