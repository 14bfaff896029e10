import { goImports } from './go-imports.js'
import { nodeImports } from './node-imports.js'
import type { Imports } from './outside-import.js'
import { type PythonRun, pythonImports } from './python-imports.js'

/**
 * Looks for packages of the workspace that a run would take from outside, where nobody judges them, and leads back those
 * that it can. Call `tidy` after the run.
 */
export async function importsOf(run: PythonRun & { readonly copiedFrom: string | undefined }): Promise<Imports> {
  const all = [nodeImports(run.site, run.copiedFrom), goImports(run.site), await pythonImports(run)]
  return {
    env: Object.assign({}, ...all.map(({ env }) => env)),
    outside: all.flatMap(({ outside }) => outside),
    redirected: Object.assign({}, ...all.map(({ redirected }) => redirected)),
    tidy: () => {
      for (const { tidy } of all) tidy()
    },
  }
}
