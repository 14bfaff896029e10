import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Sandbox } from 'jurist/workspace'
import { bubblewrapSandbox, localSandbox } from 'jurist/workspace'

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

/**
 * Bubblewrap where it works, else the machine itself; the run says which. Inside, only Node and the programs that run
 * tests are visible: not the dataset with its answers.
 */
export async function availableSandbox(): Promise<Sandbox> {
  const node = dirname(dirname(process.execPath))
  const programs = [pathOf('harness'), pathOf('agents/repair/bench'), installed('@babel/parser')]
  const bubblewrap = bubblewrapSandbox({ readable: node === '/usr' ? programs : [...programs, node] })
  return bubblewrap.probe().then(
    () => bubblewrap,
    () => localSandbox(),
  )
}

/** Where Node looks for a package, which may be a link to where it is. */
function installed(name: string): string {
  const places = createRequire(import.meta.url).resolve.paths(name) ?? []
  const found = places.map((place) => join(place, name)).find((path) => existsSync(path))
  if (found === undefined) throw new Error(`${name} is not installed. Install it: npm install --save-dev ${name}`)
  return found
}
