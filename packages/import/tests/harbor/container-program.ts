import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Project } from '../../../jurist/tests/project.js'

const program = fileURLToPath(new URL('../../../../tests/structure/docker-by-bubblewrap.sh', import.meta.url))

/** Puts a container program into a project. Returns the variables with which `docker` is found. */
export function containerProgram({ directory }: Project): { readonly PATH: string } {
  const bin = join(directory, 'bin')
  mkdirSync(bin, { recursive: true })
  rmSync(join(bin, 'docker'), { force: true })
  symlinkSync(program, join(bin, 'docker'))
  return { PATH: `${bin}:${process.env.PATH}` }
}
