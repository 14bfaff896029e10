import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A JavaScript runtime: the command line to which the path of a module is added. */
export interface Runtime {
  readonly name: string
  readonly argv: readonly string[]
}

const { arch, execPath } = process
const programs: readonly (readonly [name: string, path: string, ...argv: readonly string[]])[] = [
  ['Node 22', `node-22-linux-${arch}/bin/node`],
  ['Node 24', `node-24-linux-${arch}/bin/node`],
  ['Deno', `@deno/linux-${arch}-glibc/deno`, 'run', '--allow-read', '--allow-env', '--no-prompt'],
  ['Bun', `@oven/bun-linux-${arch === 'arm64' ? 'aarch64' : arch}/bin/bun`],
]

/** The runtime of the tests, and those that the project of this directory has for this machine. */
export const runtimes: readonly Runtime[] = [
  { name: `Node ${process.versions.node}`, argv: [execPath] },
  ...programs.flatMap(([name, path, ...argv]) => {
    const file = fileURLToPath(new URL(`node_modules/${path}`, import.meta.url))
    return existsSync(file) ? [{ name, argv: [file, ...argv] }] : []
  }),
]
