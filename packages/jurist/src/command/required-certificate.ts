import { resolve } from 'node:path'
import type { ExperimentOptions } from '@jurist/experiment'
import { certificatesOf, isUncertified } from '@jurist/experiment/internal'
import { commandLine } from '@jurist/kit/called-as'
import { usageInvalid } from '../config/problems.js'
import type { Host } from './host.js'

/** What `--require-certificate` and `--allow-model-labels` say. */
interface Required {
  readonly requireCertificate: string | undefined
  readonly allowModelLabels: boolean
}

/** A notice for each experiment whose jury leaves everything to its final tier, because nothing is certified. */
export function noteUncertified(host: Host, experiments: readonly ExperimentOptions[]): void {
  for (const { name, jury } of experiments)
    if (jury !== undefined && isUncertified(jury))
      host.note(
        `notice: ${name}: there is no certificate yet, so the final tier decides everything. Make one: ${commandLine('calibrate-cascade', 'NAME', '--certificate', 'FILE')}`,
      )
}

/**
 * Refuses to begin unless the jury of each experiment decides by the certificate of the file, whose labels are from people.
 *
 * @throws `usage-invalid`, `certificate-invalid`
 */
export async function checkCertificate(
  { cwd }: Host,
  experiments: readonly ExperimentOptions[],
  { requireCertificate: file, allowModelLabels }: Required,
): Promise<void> {
  if (file === undefined) return
  const { certificateIn } = await import('@jurist/experiment/certify')
  const certificate = certificateIn(resolve(cwd, file))
  const flag = '--require-certificate'
  if (certificate === null)
    throw usageInvalid(
      flag,
      `${file} does not exist. Make it: ${commandLine('calibrate-cascade', 'NAME', '--certificate', file)}`,
    )
  for (const { name, jury } of experiments)
    if (jury === undefined || !certificatesOf(jury).some(({ id }) => id === certificate.id))
      throw usageInvalid(
        flag,
        `The jury of ${name} does not decide by the certificate ${certificate.id}. Give it a cascade with "certificate": "${file}".`,
      )
  if (certificate.labels.by === 'models' && !allowModelLabels)
    throw usageInvalid(
      flag,
      `The labels of ${file} are from models, so it bounds the disagreement with them and not with people. Label items with: ${commandLine('label', 'RUN')}. To accept it: --allow-model-labels`,
    )
}
