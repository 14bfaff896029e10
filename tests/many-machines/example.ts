import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import { root } from '../structure/source.js'

/** Where the files that users copy are. */
export const example = join(root, 'examples/many-machines')

/** A file of the example. */
export function textOf(file: string): string {
  return readFileSync(join(example, file), 'utf8')
}

/** A YAML file of the example. */
export function yamlOf<Document>(file: string): Document {
  return parse(textOf(file), { merge: true }) as Document
}

type Variables = Readonly<Record<string, string>>

/** A process, and what it has printed. */
interface Process {
  readonly child: ChildProcess
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null; readonly text: string }>
  readonly text: () => string
  /** Resolves when what it printed holds a text so many times. */
  readonly said: (text: string, times?: number) => Promise<void>
}

/** A copy of the example, as after `npm ci`. */
export interface Copy extends Disposable {
  readonly directory: string
  readonly start: (words: readonly string[], env?: Variables) => Process
  /** Runs a command to its end; what it printed is in the error when it fails. */
  readonly run: (words: readonly string[], env?: Variables) => Promise<string>
  /** Makes its agent wait until `release` is called. */
  readonly hold: () => { readonly release: () => void }
}

/** Copies the example. Its processes see only `PATH`, `HOME` and the variables that a test gives. */
export function copyOfExample(): Copy {
  const directory = mkdtempSync(join(tmpdir(), 'jurist-many-'))
  cpSync(example, directory, { recursive: true })
  install(directory)
  const children: ChildProcess[] = []
  const start = ([program = '', ...args]: readonly string[], env: Variables = {}) => {
    const base = { HOME: directory, PATH: `${join(directory, 'node_modules/.bin')}:${process.env.PATH}` }
    const child = spawn(program, args, { cwd: directory, env: { ...base, ...env } })
    children.push(child)
    return processOf(child)
  }
  return {
    directory,
    start,
    async run(words, env) {
      const { code, text } = await start(words, env).ended
      if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}:\n${text}`)
      return text
    },
    hold() {
      const released = join(directory, 'released')
      // It also ends when the copy is gone, so that a test that fails leaves nothing running.
      const [there, over] = [directory, released].map((path) => `existsSync(${JSON.stringify(path)})`)
      const wait = `while (${there} && !${over}) await setTimeout(20)\n`
      const agent = readFileSync(join(directory, 'agent.mjs'), 'utf8')
      writeFileSync(join(directory, 'agent.mjs'), `import { existsSync } from 'node:fs'\n${agent}${wait}`)
      return { release: () => writeFileSync(released, '') }
    },
    [Symbol.dispose]() {
      for (const child of children) child.kill('SIGKILL')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function install(directory: string): void {
  const links = {
    'node_modules/jurist': 'packages/jurist',
    'node_modules/.bin/jurist': 'packages/jurist/bin/jurist.js',
  }
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(join(directory, dirname(path)), { recursive: true })
    symlinkSync(join(root, target), join(directory, path))
  }
}

function processOf(child: ChildProcess): Process {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (more) => (text += more))
  child.stdin?.on('error', () => undefined).end()
  const ended: Process['ended'] = new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, text }))
  })
  return {
    child,
    ended,
    text: () => text,
    said: (wanted, times = 1) =>
      new Promise((resolve, reject) => {
        const look = () => (text.split(wanted).length > times ? resolve() : undefined)
        for (const stream of [child.stdout, child.stderr]) stream?.on('data', look)
        ended.then(() => reject(new Error(`It ended without saying "${wanted}" ${times} times:\n${text}`)), reject)
        look()
      }),
  }
}
