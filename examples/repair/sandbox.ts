import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Sandbox } from '@jurist/workspace'
import { bubblewrapSandbox, localSandbox } from '@jurist/workspace'

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))
const parser = dirname(createRequire(import.meta.url).resolve('@babel/parser/package.json'))

/**
 * Bubblewrap where it works, else the machine itself; the run says which. Inside, only Node and the programs that run
 * tests are visible: not the dataset with its answers.
 */
export async function availableSandbox(): Promise<Sandbox> {
  const node = dirname(dirname(process.execPath))
  const readable = [pathOf('harness'), pathOf('agents/repair/bench'), parser, ...(node === '/usr' ? [] : [node])]
  const bubblewrap = bubblewrapSandbox({ readable })
  return bubblewrap.probe().then(
    () => bubblewrap,
    () => localSandbox(),
  )
}
