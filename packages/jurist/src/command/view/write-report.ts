import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExperimentResult } from '@jurist/experiment/result'
import { usageInvalid } from '../../config/problems.js'
import type { Results } from '../results-store.js'

/**
 * Writes a run, and the other variants of its session, as one HTML file.
 *
 * @returns the path of the file
 * @throws `usage-invalid` when the directory cannot be written
 */
export async function writeReport({ store }: Results, run: ExperimentResult, directory: string): Promise<string> {
  const { staticReport } = await import('@jurist/viewer/static')
  const others: ExperimentResult[] = []
  if (run.session !== null)
    for await (const { id } of store.list({ experimentName: run.experimentName, session: run.session })) {
      const other = id === run.id ? undefined : await store.load(id)
      if (other !== undefined) others.push(other)
    }
  const html = await staticReport([run, ...others])
  const file = join(directory, 'index.html')
  try {
    await mkdir(directory, { recursive: true })
    await writeFile(file, html)
  } catch (cause) {
    throw usageInvalid('--static', `${file} cannot be written: ${(cause as Error).message}. Choose another directory.`)
  }
  return file
}
