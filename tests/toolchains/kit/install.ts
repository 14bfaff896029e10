import { execFileSync } from 'node:child_process'
import { isInstalled, type Program, packages } from './programs.js'

const installer = 'apt-get'

/** Installs what is missing from Debian's packages, but only as root and only with `JURIST_INSTALL=1`. */
export default function install(): void {
  if (process.env.JURIST_INSTALL !== '1') return
  const absent = (Object.keys(packages) as Program[]).filter((program) => !isInstalled(program))
  if (absent.length === 0) return
  if (process.getuid?.() !== 0) {
    console.warn('JURIST_INSTALL=1 is ignored: only root can install packages.')
    return
  }
  const names = absent.map((program) => packages[program])
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  try {
    execFileSync(installer, ['update', '-qq'], { env, stdio: 'inherit' })
    execFileSync(installer, ['install', '-y', '-qq', '--no-install-recommends', ...names], { env, stdio: 'inherit' })
  } catch (thrown) {
    // What is still missing is skipped, and says so.
    console.warn(`JURIST_INSTALL=1: ${installer} could not install ${names.join(' ')} (${String(thrown)})`)
  }
}
