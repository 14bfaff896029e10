import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Bundles a program of `tests/programs` from the sources into `directory`, so that a child process can run it. */
export async function childProgram(name: string, directory: string): Promise<string> {
  const outfile = join(directory, `${name}.mjs`)
  await build({
    entryPoints: [here(`programs/${name}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    logLevel: 'error',
    alias: {
      '@jurist/core/internal': here('../../core/src/internal.ts'),
      '@jurist/core/llm': here('../../core/src/llm/index.ts'),
      '@jurist/core': here('../../core/src/index.ts'),
      '@jurist/experiment/store': here('../src/store/index.ts'),
      '@jurist/experiment/testing': here('../src/testing/index.ts'),
    },
  })
  return outfile
}

/** A child process, and the lines that it has printed so far. */
export interface Child {
  readonly process: ChildProcess
  readonly lines: readonly string[]
  /** The exit code, or the signal. */
  readonly ended: Promise<number | string | null>
}

/** Starts a program; what it says on stderr goes to ours. */
export function startChild(program: string, args: readonly string[]): Child {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = `${rest}${text}`.split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts)
  })
  const ended = new Promise<number | string | null>((resolve) => {
    child.on('close', (code, signal) => resolve(code ?? signal))
  })
  return { process: child, lines, ended }
}
