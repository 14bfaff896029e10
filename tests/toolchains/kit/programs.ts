import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The Debian package of each program that the toolchains need. */
export const packages = {
  mvn: 'maven',
  javac: 'default-jdk-headless',
  python3: 'python3',
  cc: 'gcc',
  make: 'make',
  npm: 'npm',
  bwrap: 'bubblewrap',
  prlimit: 'util-linux',
  podman: 'podman',
  runc: 'runc',
  catatonit: 'catatonit',
  busybox: 'busybox-static',
  go: 'golang-go',
  cargo: 'cargo',
} as const

export type Program = keyof typeof packages

/** Whether a program is in `PATH`. */
export function isInstalled(program: Program): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((directory) => isExecutable(join(directory, program)))
}

/** Why nothing can be tried with these programs; `undefined` when all are there. */
export function missing(...programs: readonly Program[]): string | undefined {
  const absent = programs.filter((program) => !isInstalled(program))
  if (absent.length === 0) return undefined
  const names = absent.map((program) => packages[program]).join(' ')
  return `${absent.join(', ')} not found; apt-get install ${names}, or run as root with JURIST_INSTALL=1`
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
