import { readFileSync } from 'node:fs'
import { JuristError } from '@jurist/core'
import { type Certificate, readCertificate } from './certificate.js'

/**
 * The certificate in a file.
 *
 * @param path of the JSON that `jurist calibrate --certify --certificate` writes
 * @returns `null` where the file does not exist yet: nothing is certified
 * @throws `certificate-invalid`
 *
 * @example
 * import { certificateIn } from '@jurist/experiment/certify'
 *
 * console.log(certificateIn('certificates/answers.json')?.threshold ?? 'nothing is certified')
 */
export function certificateIn(path: string): Certificate | null {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw unreadable(path, String(thrown))
  }
  try {
    return readCertificate(JSON.parse(text))
  } catch (thrown) {
    if (thrown instanceof SyntaxError) throw unreadable(path, thrown.message)
    throw thrown
  }
}

function unreadable(path: string, problem: string): JuristError<'certificate-invalid'> {
  return new JuristError('certificate-invalid', `The certificate ${path} cannot be read: ${problem}.`, {
    issues: [problem],
  })
}
