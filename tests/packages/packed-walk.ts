import { execFile, execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { transform } from 'esbuild'
import { expect } from 'vitest'
import { root } from '../structure/source.js'
import { type Fence, fencesOf } from './fences.js'

const home = realpathSync(mkdtempSync(join(tmpdir(), 'jurist-walk-')))

/** Stands for the clone: its script `pack` is that of the clone, and `../my-project` is outside of it. */
export const clone = join(home, 'jurist')
const project = join(home, 'my-project')

/** Blocks that are not walked, by their first line, and why. */
export const notWalked: Readonly<Record<string, string>> = {
  'npm ci && npm run repair': 'it installs and builds the clone; tests/repair-*.test.ts run it',
  'VARIANT    PASSED     RATE    95 % WILSON  intact  loads  visible  hidden  TIMEOUT   COST    TIME':
    'it is what `npm run repair` prints',
  'npx jurist vet --quick': 'its probes of two items take minutes; the walk of the README vets an item',
  Conclusion: 'it is what `vet` prints',
  'dataset/': 'it is a drawing of a directory',
  'Tests: npm test -- {files}': 'it is what the import of another repository prints',
  'jurist.config.yaml                    an agent to replace, and the jury "done" for hooks':
    'it is a drawing of a directory',
}

/** Every probe of `vet` takes minutes, so one of each kind runs. Nothing else of a block is changed. */
const quicker = (code: string) =>
  code.replaceAll(/^(npx jurist .*\bvet)\b(?! --quick| establish| probe| mutate)/gm, '$1 --quick')

interface Ended {
  readonly code: number
  readonly printed: string
  /** The working directory at the end. */
  readonly cwd: string
}

/**
 * Runs a block as a shell does, with a home directory that is empty at first. Npm reaches no registry, so a package that is not
 * installed ends the walk.
 */
export function shell(block: string, cwd: string, { online = false } = {}): Promise<Ended> {
  const place = join(home, 'cwd')
  return new Promise((done) => {
    const words = ['-c', `trap 'pwd > "${place}"' EXIT\n${block}`]
    const options = { cwd, env: environment(cwd, online), maxBuffer: 2 ** 26 }
    const child = execFile('bash', words, options, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : 0
      done({ code, printed: stdout + stderr, cwd: readFileSync(place, 'utf8').trim() })
    })
    child.stdin?.end()
  })
}

export function environment(cwd: string, online = false): Record<string, string> {
  return {
    PATH: `${join(home, 'bin')}:${process.env.PATH}`,
    HOME: join(home, 'home'),
    CLAUDE_PROJECT_DIR: cwd,
    LANG: 'C.UTF-8',
    npm_config_update_notifier: 'false',
    ...(online ? { npm_config_cache: join(process.env.HOME ?? home, '.npm') } : { npm_config_offline: 'true' }),
  }
}

/**
 * Ids, times, costs and the number of folded lines differ from run to run, and so does the space that aligns them. The home is
 * that of this walk. Documents leave out the time of a command.
 */
function comparable(line: string): string {
  return line
    .replaceAll(home, '~')
    .replaceAll(/\d{8}T\d{9}Z-\w+/g, 'ID')
    .replaceAll(/\b(?:\d+m )?\d+(?:\.\d+)? ?(?:ms|s)\b/g, 'TIME')
    .replaceAll(/\$\d+(?:\.\d+)?/g, 'COST')
    .replace(/(exit code \d+), TIME$/, '$1')
    .replace(/^( *…) \d+ lines? above/, '$1 lines above')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** The lines of a block that are not printed, in their order. One that ends with `…` is the beginning of a line. */
export function missingLines(block: string, printed: string): readonly string[] {
  const lines = printed.split('\n').map(comparable)
  let at = 0
  return block
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const wanted = comparable(line)
      const matches = (one: string) =>
        wanted.endsWith('…') ? one.startsWith(wanted.slice(0, -1).trim()) : one === wanted
      const found = lines.findIndex((one, index) => index >= at && matches(one))
      if (found < 0) return [line]
      at = found + 1
      return []
    })
}

export const isShell = ({ language }: Fence) => ['sh', 'bash'].includes(language)
export const firstLine = ({ code }: Fence) => code.trim().split('\n')[0] ?? ''

/**
 * Walks the blocks of a document: files are written, commands run, and what is printed is compared. Other code is checked where
 * all documents are: by tests/packages.test.ts and tests/documented-commands.test.ts.
 */
export async function walk(fences: readonly Fence[], start: string, { online = false } = {}): Promise<string> {
  let cwd = start
  let printed = ''
  let all = ''
  for (const fence of fences) {
    const { page, line, language, code, name } = fence
    if (notWalked[firstLine(fence)] !== undefined) continue
    if (name !== undefined) writeFileSync(join(cwd, name), code)
    else if (isShell(fence)) {
      const ended = await shell(quicker(code), cwd, { online })
      expect([0, 1], `${page}:${line}\n${code}${ended.printed}`).toContain(ended.code)
      expect(ended.printed, `${page}:${line}`).not.toMatch(/npm (?:error|ERR!)/)
      ;({ cwd, printed } = ended)
      all += printed
    } else if (language === '')
      expect({ at: `${page}:${line}`, missing: missingLines(code, printed) }, printed).toEqual({
        at: `${page}:${line}`,
        missing: [],
      })
  }
  return all
}

export function write(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
}

/** The blocks of the README above a heading, or of a section. */
export function section(page: string, heading: string): readonly Fence[] {
  const lines = readFileSync(join(root, page), 'utf8').split('\n')
  const from = lines.indexOf(heading) + 1
  expect(from, `${page} has no heading "${heading}"`).toBeGreaterThan(0)
  const next = lines.findIndex((line, index) => index >= from && /^## /.test(line))
  return fencesOf(page).filter(({ line }) => line > from && (next < 0 || line <= next))
}

/** A repository whose second commit repairs what its tests show, and a `claude` that repairs it as well. */
export const right = 'export const sum = (a, b) => Number(a) + Number(b)\n'

export function repository(at: string): void {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', at, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { stdio: 'ignore' })
  const head =
    "import assert from 'node:assert'\nimport { test } from 'node:test'\nimport { sum } from '../src/sum.js'\n"
  const adds = "test('adds', () => assert.equal(sum(1, 2), 3))\n"
  const texts = "test('adds texts', () => assert.equal(sum('1', '2'), 3))\n"
  const commit = (message: string, files: Readonly<Record<string, string>>) => {
    write(at, files)
    git('add', '--all')
    git('commit', '--quiet', '--message', message)
  }
  mkdirSync(at, { recursive: true })
  git('init', '--quiet', '--initial-branch', 'main')
  commit('A function that adds', {
    '.gitignore': 'node_modules\njurist-packages\n',
    'package.json': '{"type":"module","scripts":{"test":"node --test"}}',
    'src/sum.js': 'export const sum = (a, b) => a + b\n',
    'test/sum.test.js': `${head}${adds}`,
  })
  commit('Numbers in texts are added as numbers', {
    'src/sum.js': right,
    'test/sum.test.js': `${head}${adds}${texts}`,
  })
}

function scriptedAgent(): void {
  const program = `#!/usr/bin/env node\nrequire('node:fs').writeFileSync('src/sum.js', ${JSON.stringify(right)})\n`
  write(join(home, 'bin'), { claude: program })
  chmodSync(join(home, 'bin/claude'), 0o755)
}

/** A new project with what `npm run pack` installed in the first one. */
export function newProject(name: string): string {
  const directory = join(home, name, 'my-project')
  mkdirSync(directory, { recursive: true })
  symlinkSync(join(project, 'node_modules'), join(directory, 'node_modules'))
  return directory
}

/** TypeScript as a reader's `tsx` runs it. */
export async function javaScriptOf(code: string): Promise<string> {
  return (await transform(code, { loader: 'ts', target: 'node20' })).code
}

/** Asks the hook that a settings file names. */
export async function asked(directory: string, event: 'SessionStart' | 'Stop'): Promise<{ readonly reason?: string }> {
  const settings = JSON.parse(readFileSync(join(directory, '.claude/settings.json'), 'utf8'))
  const installed: string = settings.hooks[event][0].hooks[0].command
  // A session belongs to the project that it began in.
  const about = {
    session_id: basename(dirname(directory)),
    transcript_path: '',
    cwd: directory,
    hook_event_name: event,
  }
  const input = join(home, 'event.json')
  writeFileSync(input, JSON.stringify({ ...about, stop_hook_active: false }))
  // The answer is a line of standard output; notices follow.
  const { printed } = await shell(`${installed} < "${input}"`, directory)
  return JSON.parse(printed.slice(0, printed.indexOf('\n')))
}

/** Installs the packed packages as the README says, and follows it to its first run. */
export async function installPacked(): Promise<void> {
  mkdirSync(join(home, 'home'))
  write(clone, { 'package.json': JSON.stringify({ scripts: { pack: `node "${join(root, 'build/pack.mjs')}"` } }) })
  cpSync(join(root, 'examples'), join(clone, 'examples'), { recursive: true })
  scriptedAgent()
  const [install] = section('README.md', '## Install').filter(isShell)
  if (install === undefined) throw new Error('The README does not say how to install Jurist.')
  const printed = await walk([...section('README.md', '# Jurist'), install], clone, { online: true })
  expect(printed).toMatch(/Passed +\d+ of \d+ decided/)
  // The examples of the clone run with the packed packages, too.
  symlinkSync(join(project, 'node_modules'), join(clone, 'node_modules'))
}

export function removePacked(): void {
  rmSync(home, { recursive: true, force: true })
}
