import { briefTrials, type ExperimentResult, type ItemResult, wholeTrials } from '@jurist/experiment/result'

const notice =
  'isolation none: what agents ran could read your files, your variables and the reference answers; ' +
  'docs/guide/safety.md says how to isolate it'

/** Of a run that is too long to be read as a whole, the first trials say how all of them worked. */
const mostRead = 200

/** One line where a run with workspaces had no isolation, else `undefined`. */
export function isolationNotice(results: readonly ExperimentResult[]): string | undefined {
  const isOpen = (result: ExperimentResult) =>
    result.kind !== 'judge' &&
    result.conditions['isolation'] === 'none' &&
    wholeTrials(result, briefTrials(result).slice(0, mostRead)).some(hadWorkspace)
  return results.some(isOpen) ? notice : undefined
}

function hadWorkspace({ workspacePath, beforePath, metadata }: ItemResult): boolean {
  return (
    workspacePath !== null ||
    beforePath !== null ||
    metadata['workspaceKept'] === false ||
    metadata['beforeSource'] !== undefined
  )
}
