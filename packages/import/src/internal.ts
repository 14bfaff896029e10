/** What `jurist export` and `jurist init` take from this package. Only they import it: its names change without notice. */
export { atifOf } from './export/atif.js'
export { exportHarbor } from './export/export-harbor.js'
export { exportScores } from './export/export-scores.js'
export { checkHarborFlags, checkScoreFlags, harborExportFlags, scoreFlags } from './export/flags.js'
export { evalLog, evalSample } from './export/inspect.js'
export { type PredictionPlaces, predictionLines } from './export/predictions.js'
export { datasetFile, jsonFile } from './write-project.js'
